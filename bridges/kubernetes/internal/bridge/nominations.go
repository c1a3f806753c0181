// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1"
	"tenon.invalid/kubernetes/internal/cluster"
	"tenon.invalid/kubernetes/internal/filters"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// nominatedFor is how long a pod keeps its nominated node after the last one there has ended for it: until it is placed.
const nominatedFor = 10 * time.Second

// nomination is the node on which victims end for a pod. It tells people and autoscalers that nothing more has to be done for the
// pod, and the scheduler does not read it. The scheduler names the pod in the preemptorKey of each victim's release. The API server
// clears the nominated node when the pod is bound.
type nomination struct {
	pod     *pod
	node    string             // empty: none any more
	victims map[types.UID]*pod // that end there for it
	until   time.Time          // it stays so long without them
	said    string             // what the API server has
	saying  bool
	keeps   bool // a node was refused to others because of it
}

// keptForOthers says why a pod may not run on a node on which pods end for others of higher priority that they were in the way of, as
// if these ran there already; nil: it may. kube-scheduler counts nominated pods so. The scheduler keeps amounts itself.
func (b *Bridge) keptForOthers(p *pod, on *node) *filters.Refusal {
	var kept []*nomination
	for _, n := range b.nominations {
		if n.node == on.name && n.pod != p && n.pod.clears && n.pod.node == "" && n.pod.wanted() &&
			corev1.PodPriority(n.pod.object) > corev1.PodPriority(p.object) {
			kept = append(kept, n)
			b.filters.Pod(n.pod.object, on.name)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	refusal := b.filters.Attempt(b.context, p.object).On(b.context, on.name)
	for _, n := range kept {
		b.filters.PodGone(n.pod.object, on.name)
		n.keeps = n.keeps || refusal != nil
	}
	return refusal
}

// noLonger ends a nomination. Pods to which the node was refused because of it are looked at again.
func (b *Bridge) noLonger(n *nomination) {
	if n.keeps && n.pod.node == "" {
		n.keeps = false
		b.changed(filters.OfPod(n.pod.object, nil, n.node))
	}
	n.node = ""
}

// nominate says in the pod for which a victim ends, where that is.
func (b *Bridge) nominate(victim *pod, preemptor types.UID) {
	p := b.pods[preemptor]
	if p == nil || !p.mine || !p.wanted() {
		return
	}
	n := b.nominations[p.object.UID]
	if n == nil || n.pod != p {
		n = &nomination{pod: p, victims: map[types.UID]*pod{}}
		b.nominations[p.object.UID] = n
	}
	n.node, n.until = victim.node, time.Now().Add(nominatedFor)
	n.victims[victim.object.UID] = victim
	b.sayNomination(n)
}

// nominated takes over what an earlier bridge said: it ends unless somebody ends for the pod again.
func (b *Bridge) nominated(p *pod) {
	if node := p.object.Status.NominatedNodeName; cluster.Nominated(p.object) && p.wanted() {
		b.nominations[p.object.UID] = &nomination{
			pod: p, node: node, said: node, victims: map[types.UID]*pod{}, until: time.Now().Add(nominatedFor),
		}
	}
}

// watchNominations ends those whose victims have ended.
func (b *Bridge) watchNominations(now time.Time) {
	for uid, n := range b.nominations {
		if b.pods[uid] != n.pod || n.pod.object.Spec.NodeName != "" || n.pod.object.DeletionTimestamp != nil {
			b.noLonger(n)
			delete(b.nominations, uid)
			continue
		}
		maps.DeleteFunc(n.victims, func(_ types.UID, victim *pod) bool { return !b.isVictim(victim) })
		if len(n.victims) > 0 {
			n.until = now.Add(nominatedFor)
		} else if now.After(n.until) && n.pod.wanted() {
			b.noLonger(n)
		}
		if n.node == "" && n.said == "" && !n.saying {
			delete(b.nominations, uid)
			continue
		}
		b.sayNomination(n)
	}
}

// isVictim returns true while the scheduler waits for the end of a preempted pod.
func (b *Bridge) isVictim(p *pod) bool {
	return b.pods[p.object.UID] == p && p.ending == si.TerminationType_PREEMPTED_BY_SCHEDULER
}

// awaitsVictims returns true while pods end for this pod.
func (b *Bridge) awaitsVictims(p *pod) bool {
	n := b.nominations[p.object.UID]
	return n != nil && n.pod == p && slices.ContainsFunc(slices.Collect(maps.Values(n.victims)), b.isVictim)
}

func (b *Bridge) sayNomination(n *nomination) {
	if n.saying || n.said == n.node || !n.pod.wanted() {
		return
	}
	n.saying = true
	object, node := n.pod.object, n.node
	b.write(conditions, object.Namespace, func(ctx context.Context) error { return b.writer.Nominate(ctx, object, node) }, func(err error) {
		n.saying = false
		if err == nil {
			n.said = node
		} else if b.pods[object.UID] == n.pod && n.pod.wanted() { // the next beat tries again
			b.Log.Warn("a pod's nominated node could not be written", "pod", n.pod.name(), "node", node, "error", err)
		}
	})
}
