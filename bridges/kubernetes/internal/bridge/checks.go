// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"tenon.invalid/kubernetes/internal/cluster"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/translate"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

const longestReason = 1000 // bytes of an answer: a plugin may quote what people write

// check answers whether a pod may run on a node. What is accepted takes room and ports from here on, so that the next
// check, of which several may be open, counts it.
func (b *Bridge) check(one *tenonv1.Check) {
	p, n := b.pods[types.UID(one.AllocationKey)], b.nodes[one.NodeID]
	reason := ""
	switch {
	case p == nil || p.standing != asked && p.standing != checked || !p.wanted():
		reason = "the pod does not wait any more"
	case n == nil || n.object == nil:
		reason = "the node is gone"
	default:
		if p.standing == checked {
			b.leave(p)
			p.standing = asked
		}
		reason = b.agree(p, n, b.inPlaceOf(one, n))
	}
	answer := &tenonv1.CheckAnswer{PartitionName: one.PartitionName, Number: one.Number, Accepted: reason == "", Reason: cluster.Cut(reason, longestReason)}
	b.outbox.answers = append(b.outbox.answers, answer)
	if !answer.Accepted {
		b.Metrics.Checks.WithLabelValues("refused").Inc()
		return
	}
	b.Metrics.Checks.WithLabelValues("accepted").Inc()
	p.standing, p.check = checked, one.Number
}

// inPlaceOf is the placeholder on this node whose room the check is about; nil: none.
func (b *Bridge) inPlaceOf(one *tenonv1.Check, n *node) *pod {
	if holder := n.pods[types.UID(one.PlaceholderKey)]; !one.Allocate && holder != nil {
		return holder
	}
	return nil
}

// agree reserves the node for the pod with all that belongs to it, or says why not. The placeholder that the pod replaces
// there does not count.
func (b *Bridge) agree(p *pod, n *node, holder *pod) string {
	if holder != nil {
		b.filters.PodGone(holder.object, n.name)
		defer b.filters.Pod(holder.object, n.name)
	}
	if b.rests(p) {
		b.noteRefusal(p, []string{names.DynamicResources})
		return b.resting(p)
	}
	begun := time.Now()
	attempt := b.filters.Attempt(b.context, p.object)
	defer b.tookLong(p, attempt)
	refusal := attempt.On(b.context, n.name)
	if refusal == nil && holder == nil {
		refusal = b.keptForOthers(p, n)
	}
	b.Metrics.Point("Filter", begun, refusal == nil)
	if refusal == nil {
		begun = time.Now()
		refusal = attempt.Reserve(b.context, n.name)
		b.Metrics.Point("Reserve", begun, refusal == nil)
	}
	if refusal != nil {
		b.noteRefusal(p, refusal.Plugins)
		b.classRefused(p, refusal)
		b.countRefusal(p, attempt, refusal)
		return strings.Join(refusal.Reasons, ", ")
	}
	b.move(p, n.name)
	p.attempt = attempt
	return ""
}

// changed wakes the pods that were refused a node and may have one after this change: the scheduler does not propose again
// what was refused.
func (b *Bridge) changed(change filters.Change) {
	if b.link == nil {
		return
	}
	for _, p := range b.refusals.helped(func(p *pod) bool { return b.filters.MayHelp(p.refusedBy, p.object, change) }) {
		b.wake(p)
	}
}

// namespaceChanged wakes the pods that InterPodAffinity refused a node if a namespace has other labels, or is new: a term of
// affinity may choose namespaces by labels. The plugin has no queueing hint for namespaces.
func (b *Bridge) namespaceChanged(old, now *v1.Namespace) {
	if old != nil && maps.Equal(old.Labels, now.Labels) {
		return
	}
	b.filters.NamespacesChanged()
	for _, p := range b.refusals.of(func(p *pod) bool { return slices.Contains(p.refusedBy, names.InterPodAffinity) }) {
		b.wake(p)
	}
}

func (b *Bridge) wake(p *pod) {
	if p.clears {
		b.clearing.next = b.clearing.soonest // it stays as it is asked for, and the change may make another node one for it
		b.checkAgain(p)
		return
	}
	b.refusals.drop(p)
	p.refusedBy, p.refused = nil, 0
	if p.nowhere {
		p.nowhere, p.outdated = false, true
		b.askAnew(p)
	} else {
		b.checkAgain(p)
	}
}

// checkAgain lets the scheduler propose the nodes that were refused to a pod again.
func (b *Bridge) checkAgain(p *pod) {
	if p.standing == asked || p.standing == checked {
		b.outbox.again = append(b.outbox.again, &tenonv1.CheckAgain{
			PartitionName: translate.Partition, ApplicationID: p.application, AllocationKey: string(p.object.UID),
		})
	}
}

// checkOver takes back what was accepted too late, or for nothing.
func (b *Bridge) checkOver(one *tenonv1.CheckOver) {
	if p := b.pods[types.UID(one.AllocationKey)]; p != nil && p.standing == checked && p.check == one.Number {
		b.leave(p)
		p.standing = asked
		b.askAnew(p)
	}
}
