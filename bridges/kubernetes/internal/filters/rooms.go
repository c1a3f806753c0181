// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package filters

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
)

// mostInTheWay is how many nodes with pods in the way Rooms returns. kube-scheduler looks at as many in a small cluster.
const mostInTheWay = 100

// Rooms returns the nodes on which the pod could run if enough were free there, each with the pods that would have to end there
// first: because of a host port, anti-affinity, spreading, or a volume. Of pods without which one less ends, those of higher priority
// stay, and of equals the older ones. Only pods of which mayEnd is true end. The result has every node on which nobody is in the
// way, and the first 100 others by name. It is nil if no node will do whoever ends.
// The attempt is over afterwards.
func (a *Attempt) Rooms(ctx context.Context, mayEnd func(*v1.Pod) bool) map[string][]*v1.Pod {
	f := a.filters
	if a.nowhere != nil {
		return nil
	}
	a.skipScheduler()
	rooms, others := map[string][]*v1.Pod{}, 0
	names := maps.Keys(f.cluster.nodes)
	if a.only != nil {
		names = maps.Keys(a.only)
	}
	for _, name := range slices.Sorted(names) {
		if info := f.cluster.nodes[name]; info == nil || info.Node() == nil {
			continue
		}
		refusal := a.On(ctx, name)
		if a.Exhausted() {
			return nil
		}
		if refusal == nil {
			rooms[name] = nil
		} else if refusal.resolvable && others < mostInTheWay {
			if pods := a.inTheWay(ctx, name, mayEnd); len(pods) > 0 {
				rooms[name] = pods
				others++
			}
		}
	}
	return rooms
}

// FitsNow returns whether the pod may run on some node as the nodes are now, or whether nobody knows because its claims take too long.
func (a *Attempt) FitsNow(ctx context.Context) bool {
	f := a.filters
	for name, info := range f.cluster.nodes {
		if info.Node() != nil && (a.On(ctx, name) == nil || a.Exhausted()) {
			return true
		}
	}
	return false
}

// skipScheduler leaves out the plugins that look at what the scheduler itself decides about.
func (a *Attempt) skipScheduler() {
	a.state = a.state.Clone()
	a.state.SetSkipFilterPlugins(a.state.GetSkipFilterPlugins().Union(ofScheduler))
}

// inTheWay returns the pods that would have to end on a node that was refused; nil if that would not help. It looks as
// kube-scheduler's preemption does: without all of those that may end, then with each again that is in nobody's way. The cluster
// stays as it is.
func (a *Attempt) inTheWay(ctx context.Context, name string, mayEnd func(*v1.Pod) bool) []*v1.Pod {
	info, state := a.filters.cluster.nodes[name].Snapshot(), a.state.Clone()
	var out []fwk.PodInfo
	for _, one := range info.GetPods() {
		if mayEnd(one.GetPod()) {
			out = append(out, one)
		}
	}
	leave := func(one fwk.PodInfo) bool {
		return info.RemovePod(a.filters.log, one.GetPod()) == nil && a.by.RunPreFilterExtensionRemovePod(ctx, state, a.pod, one, info).IsSuccess()
	}
	come := func(one fwk.PodInfo) bool {
		info.AddPodInfo(one)
		return a.by.RunPreFilterExtensionAddPod(ctx, state, a.pod, one, info).IsSuccess()
	}
	fits := func() bool {
		if a.Exhausted() {
			return false
		}
		defer a.measure(time.Now())
		return a.by.RunFilterPlugins(ctx, state, a.pod, info).IsSuccess()
	}
	for _, one := range out {
		if !leave(one) {
			return nil
		}
	}
	if len(out) == 0 || !fits() {
		return nil
	}
	slices.SortFunc(out, moreImportant)
	var end []*v1.Pod
	for _, one := range out {
		if !come(one) {
			return nil
		}
		if fits() {
			continue
		}
		if !leave(one) {
			return nil
		}
		end = append(end, one.GetPod())
	}
	return end
}

func moreImportant(x, y fwk.PodInfo) int {
	one, other := x.GetPod(), y.GetPod()
	return cmp.Or(cmp.Compare(corev1.PodPriority(other), corev1.PodPriority(one)),
		one.CreationTimestamp.Compare(other.CreationTimestamp.Time), cmp.Compare(one.UID, other.UID))
}
