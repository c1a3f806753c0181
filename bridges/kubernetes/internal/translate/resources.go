// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package translate says in the scheduler interface's words what pods, nodes and namespaces of Kubernetes are. All of it
// is a function of the objects alone.
package translate

import (
	"maps"
	"math"

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

// uncounted is what an amount is that is as large or larger.
const uncounted = math.MaxInt64

// OfList translates: cpu becomes vcore in thousandths, all others keep their names and are rounded up to whole units.
func OfList(list v1.ResourceList) Amounts {
	amounts := make(Amounts, len(list)+1)
	for name, quantity := range list {
		switch {
		case name != v1.ResourceCPU && quantity.CmpInt64(uncounted) < 0:
			amounts[string(name)] = quantity.Value()
		case name != v1.ResourceCPU:
			amounts[string(name)] = uncounted
		case quantity.CmpInt64(uncounted/1000) < 0:
			amounts[Vcore] = quantity.MilliValue()
		default:
			amounts[Vcore] = uncounted
		}
	}
	return amounts
}

// OfPod is what a pod takes of its node: containers, init containers and sidecars, overhead and pod-level resources as
// the kubelet reckons them, of a pod that is being resized what it may already have; and one of the node's pods.
func OfPod(pod *v1.Pod) Amounts {
	amounts := some(OfList(resource.PodRequests(pod, resource.PodResourcesOptions{UseStatusResources: pod.Spec.NodeName != ""})))
	amounts[Pods] = 1
	return amounts
}

// OfNode is what of a node pods may use.
func OfNode(node *v1.Node) Amounts { return some(OfList(node.Status.Allocatable)) }

// some leaves out of what there is none: the scheduler keeps few kinds of resources, and kubelets name many.
func some(amounts Amounts) Amounts {
	maps.DeleteFunc(amounts, func(_ string, amount int64) bool { return amount == 0 })
	return amounts
}

// Common is true of kinds of resources that any cluster has.
func Common(kind string) bool {
	return kind == Vcore || kind == Pods || kind == string(v1.ResourceMemory) || kind == string(v1.ResourceEphemeralStorage)
}

// Add adds the other's amounts so many times.
func (a Amounts) Add(other Amounts, times int64) {
	for name, amount := range other {
		if amount > 0 && times > (uncounted-a[name])/amount {
			a[name] = uncounted
		} else {
			a[name] += amount * times
		}
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
