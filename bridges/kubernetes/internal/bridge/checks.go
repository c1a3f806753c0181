// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/feasible"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

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
		reason = b.unfit(p, n)
	}
	answer := &tenonv1.CheckAnswer{PartitionName: one.PartitionName, Number: one.Number, Accepted: reason == "", Reason: reason}
	b.outbox.answers = append(b.outbox.answers, answer)
	if !answer.Accepted {
		b.Metrics.Checks.WithLabelValues("refused").Inc()
		return
	}
	b.Metrics.Checks.WithLabelValues("accepted").Inc()
	b.move(p, n.name)
	p.standing, p.check = checked, one.Number
}

// checkOver takes back what was accepted too late, or for nothing.
func (b *Bridge) checkOver(one *tenonv1.CheckOver) {
	if p := b.pods[types.UID(one.AllocationKey)]; p != nil && p.standing == checked && p.check == one.Number {
		b.leave(p)
		p.standing = asked
	}
}

// unfit says why a pod does not fit on a node; empty: it does.
func (b *Bridge) unfit(p *pod, n *node) string {
	if reason := feasible.Refusal(p.object, n.object, n.others); reason != "" {
		return reason
	}
	if lacking := lacking(p, n); len(lacking) > 0 {
		return lacking[0]
	}
	return ""
}

// lacking names each resource of which the node has too little left, as kube-scheduler does.
func lacking(p *pod, n *node) []string {
	var names []string
	used := n.usage()
	for name, amount := range p.amounts {
		have := n.capacity[name] - used[name]
		if _, on := n.pods[p.object.UID]; on {
			have += amount
		}
		if amount > 0 && amount > have {
			names = append(names, insufficient(name))
		}
	}
	slices.Sort(names)
	return names
}

func insufficient(name string) string {
	switch name {
	case "vcore":
		name = "cpu"
	case "pods":
		return "Too many pods"
	}
	return fmt.Sprintf("Insufficient %s", name)
}
