// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"maps"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/tenon"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// standing is what the scheduler knows of a node or an application.
type standing int

const (
	unknown standing = iota
	said             // and not answered
	accepted
	rejected
)

// node is one of the cluster, or a name that pods have.
type node struct {
	name     string
	object   *v1.Node // nil: there is none
	standing standing
	reason   string // of a rejection
	retryAt  time.Time
	pods     map[types.UID]*pod // that take room there

	// As the scheduler was told.
	open       bool
	capacity   translate.Amounts
	occupied   translate.Amounts
	attributes map[string]string

	verdictsOfNode
}

func (n *node) forget() {
	n.standing, n.open, n.reason = unknown, false, ""
}

// nodeOf gives the node of that name, known or not.
func (b *Bridge) nodeOf(name string) *node {
	n := b.nodes[name]
	if n == nil {
		n = &node{name: name, pods: map[types.UID]*pod{}}
		b.nodes[name] = n
	}
	return n
}

func (b *Bridge) touch(n *node) { b.dirty[n] = struct{}{} }

func (b *Bridge) nodeChanged(object *v1.Node) {
	n := b.nodeOf(object.Name)
	old := n.object
	n.object = object
	b.countKinds(old, object)
	b.filters.Node(object)
	b.touch(n)
	b.changed(filters.OfNode(old, object))
}

func (b *Bridge) nodeDeleted(object *v1.Node) {
	if n := b.nodes[object.Name]; n != nil && n.object != nil {
		b.countKinds(n.object, nil)
		n.object = nil
		b.filters.NodeGone(n.name)
		b.touch(n)
		b.changed(filters.OfNode(object, nil))
	}
}

// syncNode tells the scheduler what it does not know yet of a node. A node comes drained, and is opened when all that runs
// there is known.
func (b *Bridge) syncNode(n *node) {
	if n.object == nil && len(n.pods) == 0 {
		delete(b.nodes, n.name)
	}
	if b.link == nil {
		return
	}
	if n.object == nil {
		if n.standing == said || n.standing == accepted {
			b.sayNode(n, si.NodeInfo_DECOMISSION)
			for _, p := range n.pods {
				switch p.standing {
				case checked:
					b.leave(p)
					p.standing = asked
				case placed:
					p.standing, p.uuid, p.reported = untold, "", false
					if p.held { // nothing else will end its stay there
						b.leave(p)
						b.todo.Put(func() { b.reconcile(p) })
					}
				}
			}
		}
		n.forget()
		return
	}
	if wrong := translate.WrongNode(n.object); wrong != nil {
		b.nodeUntellable(n, wrong)
		return
	}
	now := node{name: n.name, capacity: b.offers(n), attributes: b.attributesOf(n)}
	now.occupied = b.occupied(n, now.capacity)
	changed := !maps.Equal(now.capacity, n.capacity) || !maps.Equal(now.occupied, n.occupied) || !maps.Equal(now.attributes, n.attributes)
	if changed || n.standing == unknown {
		if wrong := tenon.Refusal(nodeInfo(&now, si.NodeInfo_UPDATE)); wrong != nil {
			b.nodeUntellable(n, wrong)
			return
		}
	}
	n.capacity, n.occupied, n.attributes = now.capacity, now.occupied, now.attributes
	switch n.standing {
	case unknown:
		n.standing = said
		b.sayNode(n, si.NodeInfo_CREATE_DRAIN)
	case said:
		if changed {
			b.sayNode(n, si.NodeInfo_UPDATE)
		}
	case accepted:
		if changed {
			b.sayNode(n, si.NodeInfo_UPDATE)
		}
		open := !n.object.Spec.Unschedulable && (n.open || !b.unreported(n))
		if open && !n.open {
			b.sayNode(n, si.NodeInfo_DRAIN_TO_SCHEDULABLE)
		} else if !open && n.open {
			b.sayNode(n, si.NodeInfo_DRAIN_NODE)
		}
		n.open = open
	}
}

// nodeUntellable keeps a node of which the scheduler cannot be told from being used: it alone is refused.
func (b *Bridge) nodeUntellable(n *node, wrong error) {
	switch n.standing {
	case unknown:
		n.standing = said
		b.nodeRejected(n.name, wrong.Error())
	case accepted: // the scheduler has the node as it was
		if n.open {
			n.open = false
			b.sayNode(n, si.NodeInfo_DRAIN_NODE)
			b.Log.Warn("a node is drained", "node", n.name, "reason", wrong)
			b.writer.NodeRefused(n.object, wrong.Error())
		}
	}
}

func (b *Bridge) sayNode(n *node, action si.NodeInfo_ActionFromRM) {
	b.outbox.nodes = append(b.outbox.nodes, nodeInfo(n, action))
}

func nodeInfo(n *node, action si.NodeInfo_ActionFromRM) *si.NodeInfo {
	info := &si.NodeInfo{NodeID: n.name, Action: action}
	if action == si.NodeInfo_CREATE_DRAIN || action == si.NodeInfo_UPDATE {
		info.SchedulableResource, info.OccupiedResource, info.Attributes = n.capacity.Message(), n.occupied.Message(), maps.Clone(n.attributes)
		info.Attributes["si/node-partition"] = translate.Partition
	}
	return info
}

// occupied is what others take of what the node has: pods of other schedulers, and pods of this one that it does not want to
// know.
func (b *Bridge) occupied(n *node, capacity translate.Amounts) translate.Amounts {
	sum := translate.Amounts{}
	for _, p := range n.pods {
		if !p.mine || p.standing == untold && b.unwanted(p) {
			sum.Add(p.amounts, 1)
		}
	}
	maps.DeleteFunc(sum, func(kind string, _ int64) bool { _, has := capacity[kind]; return !has })
	return sum
}

// unreported is true while something of this scheduler runs there that it does not know.
func (b *Bridge) unreported(n *node) bool {
	for _, p := range n.pods {
		if p.mine && (p.reported || p.standing == untold && !b.unwanted(p)) {
			return true
		}
	}
	return false
}

func (b *Bridge) nodeAccepted(name string) {
	n := b.nodes[name]
	if n == nil || n.standing != said {
		return
	}
	n.standing = accepted
	b.touch(n)
	for _, p := range n.pods {
		b.reconcile(p)
	}
}

func (b *Bridge) nodeRejected(name, reason string) {
	if n := b.nodes[name]; n != nil && n.standing == said {
		if reason != n.reason && n.object != nil {
			b.writer.NodeRefused(n.object, reason)
		}
		n.standing, n.reason, n.retryAt = rejected, reason, time.Now().Add(retry)
		b.Log.Warn("the scheduler refused a node", "node", name, "reason", reason)
	}
}
