// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package filters

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Change is what happened to an object of the cluster. Old is nil of a new one, and Now of one that is gone.
type Change struct {
	events   []fwk.ClusterEvent
	old, now any
}

// OfNode is a change of a node.
func OfNode(old, now *v1.Node) Change {
	if old == nil || now == nil {
		return OfObject(fwk.Node, pointer(old), pointer(now))
	}
	return Change{framework.NodeSchedulingPropertiesChange(now, old), old, now}
}

// OfPod is a change of a pod on a node: it came there (old is nil), left it, or changed there. The plugins look at its node
// name, which a pod that is not bound yet lacks.
func OfPod(old, now *v1.Pod, node string) Change {
	old, now = placed(old, node), placed(now, node)
	if old == nil || now == nil {
		return OfObject(fwk.AssignedPod, pointer(old), pointer(now))
	}
	return Change{framework.PodSchedulingPropertiesChange(now, old, false), old, now}
}

// OfWaiting is a change of the pod that was refused, which has no node.
func OfWaiting(old, now *v1.Pod) Change {
	return Change{framework.PodSchedulingPropertiesChange(now, old, true), old, now}
}

// OfObject is a change of an object of another kind.
func OfObject(kind fwk.EventResource, old, now any) Change {
	action := fwk.Update
	if old == nil {
		action = fwk.Add
	} else if now == nil {
		action = fwk.Delete
	}
	return Change{[]fwk.ClusterEvent{{Resource: kind, ActionType: action}}, old, now}
}

// placed is the pod as if it were bound already.
func placed(pod *v1.Pod, node string) *v1.Pod {
	if pod == nil || pod.Spec.NodeName != "" {
		return pod
	}
	other := *pod
	other.Spec.NodeName = node
	return &other
}

// pointer makes a nil of nothing.
func pointer[T any](object *T) any {
	if object == nil {
		return nil
	}
	return object
}

// Plugins names those that may refuse and say after what to look again.
func (f *Filters) Plugins() []string { return slices.Collect(maps.Keys(f.wakes)) }

// MayHelp is true where these plugins, which refused the pod, say that the change may make it fit.
func (f *Filters) MayHelp(plugins []string, pod *v1.Pod, change Change) bool {
	return slices.ContainsFunc(plugins, func(plugin string) bool {
		return slices.ContainsFunc(f.wakes[plugin], func(one fwk.ClusterEventWithHint) bool {
			if !slices.ContainsFunc(change.events, func(event fwk.ClusterEvent) bool { return framework.MatchClusterEvents(one.Event, event) }) {
				return false
			}
			if one.QueueingHintFn == nil {
				return true
			}
			hint, err := one.QueueingHintFn(f.log, pod, change.old, change.now)
			return err != nil || hint == fwk.Queue
		})
	})
}
