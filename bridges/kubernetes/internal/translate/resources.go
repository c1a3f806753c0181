// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package translate says in the scheduler interface's words what pods, nodes and namespaces of Kubernetes are. All of it
// is a function of the objects alone.
package translate

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// Names of resource types that differ from Kubernetes' own.
const (
	Vcore = "vcore" // thousandths of a core
	Pods  = "pods"
)

// Amounts are whole numbers by resource type.
type Amounts map[string]int64

// OfList translates: cpu becomes vcore in thousandths, all others keep their names and are rounded up to whole units.
func OfList(list v1.ResourceList) Amounts {
	amounts := make(Amounts, len(list)+1)
	for name, quantity := range list {
		if name == v1.ResourceCPU {
			amounts[Vcore] = quantity.MilliValue()
		} else {
			amounts[string(name)] = quantity.Value()
		}
	}
	return amounts
}

// OfPod is what a pod takes of its node: containers, init containers and sidecars, overhead and pod-level resources as
// the kubelet reckons them, of a pod that is being resized what it may already have; and one of the node's pods.
func OfPod(pod *v1.Pod) Amounts {
	amounts := OfList(resource.PodRequests(pod, resource.PodResourcesOptions{UseStatusResources: pod.Spec.NodeName != ""}))
	amounts[Pods] = 1
	return amounts
}

// OfNode is what of a node pods may use.
func OfNode(node *v1.Node) Amounts { return OfList(node.Status.Allocatable) }

// Add adds the other's amounts.
func (a Amounts) Add(other Amounts) {
	for name, amount := range other {
		a[name] += amount
	}
}

// Message gives the amounts as the interface has them.
func (a Amounts) Message() *si.Resource {
	message := &si.Resource{Resources: make(map[string]*si.Quantity, len(a))}
	for name, amount := range a {
		message.Resources[name] = &si.Quantity{Value: amount}
	}
	return message
}
