// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package feasible says whether a pod may run on a node by what both say of themselves: node name, node selector,
// required node affinity, taints and tolerations, and host ports. The words are those of kube-scheduler's plugins, since
// people and autoscalers know them. Room is the scheduler's own matter.
package feasible

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	corev1 "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

var unschedulable = v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}

// Refusal says why the pod may not run on the node, where these others are; empty: it may.
func Refusal(pod *v1.Pod, node *v1.Node, others func(func(*v1.Pod) bool)) string {
	if node.Spec.Unschedulable && !corev1.TolerationsTolerateTaint(klog.Background(), pod.Spec.Tolerations, &unschedulable, true) {
		return "node(s) were unschedulable"
	}
	if matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil {
		return "the pod's node affinity is wrong: " + err.Error()
	} else if !matches {
		return "node(s) didn't match Pod's node affinity/selector"
	}
	if taint, untolerated := corev1.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, keepsAway, true); untolerated {
		return fmt.Sprintf("node(s) had untolerated taint {%s: %s}", taint.Key, taint.Value)
	}
	if wanted := HostPorts(pod); len(wanted) > 0 {
		for other := range others {
			if other.UID != pod.UID && conflict(wanted, HostPorts(other)) {
				return "node(s) didn't have free ports for the requested pod ports"
			}
		}
	}
	return ""
}

// keepsAway is true of taints because of which nothing is placed.
func keepsAway(taint *v1.Taint) bool {
	return taint.Effect == v1.TaintEffectNoSchedule || taint.Effect == v1.TaintEffectNoExecute
}

// HostPorts gives the ports of the node that a pod takes.
func HostPorts(pod *v1.Pod) []v1.ContainerPort {
	var ports []v1.ContainerPort
	add := func(containers []v1.Container) {
		for _, container := range containers {
			for _, port := range container.Ports {
				if port.HostPort > 0 {
					ports = append(ports, port)
				}
			}
		}
	}
	add(pod.Spec.Containers)
	for _, container := range pod.Spec.InitContainers {
		if container.RestartPolicy != nil && *container.RestartPolicy == v1.ContainerRestartPolicyAlways {
			add([]v1.Container{container})
		}
	}
	return ports
}

func conflict(wanted, taken []v1.ContainerPort) bool {
	for _, a := range wanted {
		for _, b := range taken {
			if a.HostPort == b.HostPort && protocol(a) == protocol(b) && sameAddress(a.HostIP, b.HostIP) {
				return true
			}
		}
	}
	return false
}

func protocol(port v1.ContainerPort) v1.Protocol {
	if port.Protocol == "" {
		return v1.ProtocolTCP
	}
	return port.Protocol
}

func sameAddress(a, b string) bool {
	return a == b || every(a) || every(b)
}

func every(address string) bool { return address == "" || address == "0.0.0.0" || address == "::" }
