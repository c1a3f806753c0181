// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package translate

import (
	"maps"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	v1 "k8s.io/api/core/v1"
	corev1 "k8s.io/component-helpers/scheduling/corev1"
	si "tenon.invalid/proto/tenon/si/v1later"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

// Partition is the one that all of a bridge is in.
const Partition = "default"

// AnnotationAllowPreemption of a priority class with the value false: its pods are no victims while there are others.
const AnnotationAllowPreemption = Domain + "allow-preemption"

// Role is what an ask has beside its pod.
type Role struct {
	Application string
	Originator  bool   // the others of the application come from it
	Protected   bool   // its priority class wants it to be no victim
	Class       string // only nodes with its ClassAttribute; empty: whatever nodes
}

// Allocation is a pod as an ask for these amounts; with a node, as one that runs there.
func Allocation(pod *v1.Pod, role Role, amounts Amounts, node, uuid string) *si.Allocation {
	tags := tags(pod)
	if role.Class != "" {
		tags[ClassAttribute(role.Class)] = Fits
	}
	return &si.Allocation{
		AllocationKey: string(pod.UID), ApplicationID: role.Application, PartitionName: Partition, NodeID: node, UUID: uuid,
		TaskGroupName: GroupOf(pod), Placeholder: IsPlaceholder(pod),
		ResourcePerAlloc: amounts.Message(), AllocationTags: tags, Priority: corev1.PodPriority(pod), Originator: role.Originator,
		PreemptionPolicy: &si.PreemptionPolicy{
			AllowPreemptSelf:  !role.Protected,
			AllowPreemptOther: pod.Spec.PreemptionPolicy == nil || *pod.Spec.PreemptionPolicy != v1.PreemptNever,
		},
	}
}

// Question asks what would become of the same ask.
func Question(pod *v1.Pod, role Role, amounts Amounts) *tenonv1.AskIf {
	ask := Allocation(pod, role, amounts, "", "")
	resources := make(map[string]*structpb.Value, len(amounts))
	for name, amount := range amounts { // as texts, which are exact however large they are
		unit := ""
		if name == Vcore {
			unit = "m"
		}
		resources[name] = structpb.NewStringValue(strconv.FormatInt(amount, 10) + unit)
	}
	return &tenonv1.AskIf{
		Key: ask.AllocationKey, Resources: resources, Priority: ask.Priority, Tags: ask.AllocationTags, TaskGroup: ask.TaskGroupName,
		RequiredNode: RequiredNode(pod), AllowPreemptOther: ask.PreemptionPolicy.AllowPreemptOther,
		AllowPreemptSelf: &ask.PreemptionPolicy.AllowPreemptSelf,
	}
}

// SameAsk is true where the scheduler was told of one what it would be told of the other.
func SameAsk(one, other *v1.Pod) bool {
	return GroupOf(one) == GroupOf(other) && maps.Equal(tags(one), tags(other)) && maps.Equal(OfPod(one), OfPod(other))
}

func tags(pod *v1.Pod) map[string]string {
	tags := map[string]string{
		"kubernetes.io/meta/namespace": pod.Namespace,
		"kubernetes.io/meta/podName":   pod.Name,
		"creationTime":                 strconv.FormatInt(pod.CreationTimestamp.Unix(), 10),
	}
	if node := RequiredNode(pod); node != "" {
		tags[Domain+"requiredNode"] = node
	}
	requirements(pod, tags)
	return tags
}

// WaitsFor is what the condition of a pod says why it has no node; empty: nothing.
func WaitsFor(pod *v1.Pod) string {
	for _, one := range pod.Status.Conditions {
		if one.Type == v1.PodScheduled && one.Status == v1.ConditionFalse && (one.Reason == v1.PodReasonUnschedulable || one.Reason == v1.PodReasonSchedulerError) {
			return one.Message
		}
	}
	return ""
}

// Finished is true of pods that run no more and never will again.
func Finished(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

func anyOf(values []string) string { return strings.Join(values, "|") }
