// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package translate

import (
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	corev1 "k8s.io/component-helpers/scheduling/corev1"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// Partition is the one that all of a bridge is in.
const Partition = "default"

// AnnotationAllowPreemption of a priority class with the value false: its pods are no victims while there are others.
const AnnotationAllowPreemption = domain + "allow-preemption"

// Role is what an ask has beside its pod.
type Role struct {
	Application string
	Originator  bool // the others of the application come from it
	Protected   bool // its priority class wants it to be no victim
}

// Allocation is a pod as an ask; with a node, as one that runs there.
func Allocation(pod *v1.Pod, role Role, node, uuid string) *si.Allocation {
	return &si.Allocation{
		AllocationKey: string(pod.UID), ApplicationID: role.Application, PartitionName: Partition, NodeID: node, UUID: uuid,
		TaskGroupName: GroupOf(pod), Placeholder: IsPlaceholder(pod),
		ResourcePerAlloc: OfPod(pod).Message(), AllocationTags: tags(pod), Priority: corev1.PodPriority(pod), Originator: role.Originator,
		PreemptionPolicy: &si.PreemptionPolicy{
			AllowPreemptSelf:  !role.Protected,
			AllowPreemptOther: pod.Spec.PreemptionPolicy == nil || *pod.Spec.PreemptionPolicy != v1.PreemptNever,
		},
	}
}

func tags(pod *v1.Pod) map[string]string {
	tags := map[string]string{
		"kubernetes.io/meta/namespace": pod.Namespace,
		"kubernetes.io/meta/podName":   pod.Name,
		"creationTime":                 strconv.FormatInt(pod.CreationTimestamp.Unix(), 10),
	}
	if node := RequiredNode(pod); node != "" {
		tags[domain+"requiredNode"] = node
	}
	requirements(pod, tags)
	return tags
}

// Finished is true of pods that run no more and never will again.
func Finished(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

func anyOf(values []string) string { return strings.Join(values, "|") }
