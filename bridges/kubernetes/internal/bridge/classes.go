// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/translate"
)

// The scheduler proposes one node after the other for a pod, and each check of a node that the pod does not tolerate, say, is
// one for nothing. If many nodes were refused to pods that demand the same of nodes, the bridge finds all nodes on which they
// may run, tells the scheduler by an attribute of those nodes, and asks for the pods again as ones that require it.

const (
	mostClasses    = 64                     // each is an attribute of nodes
	enoughRefusals = 8                      // of a class before it is told of
	classPause     = 200 * time.Microsecond // for each node, between two classes: each may change all nodes
	mostCounted    = 10_000                 // classes whose refusals are counted
)

// classes are kinds of demands of pods, by filters.Class.
type classes struct {
	told    map[string]*filters.Attempt // those that nodes have as attributes
	refused map[string]int              // nodes that were refused to others
	next    time.Time                   // not before that another one is told
}

// classRefused counts the refusal of a node to a pod, and has the pod's class told where there were enough.
func (b *Bridge) classRefused(p *pod, refusal *filters.Refusal) {
	c := &b.demands
	if p.class == "" || c.told[p.class] != nil || !filters.OfNodes(refusal.Plugins) {
		return
	}
	if len(c.refused) >= mostCounted {
		clear(c.refused)
	}
	c.refused[p.class]++
	if c.refused[p.class] >= enoughRefusals {
		b.todo.Put(func() { b.tellClass(p) }) // after the check is answered
	}
}

func (b *Bridge) tellClass(p *pod) {
	c, class := &b.demands, p.class
	if c.told[class] != nil || b.link == nil || time.Now().Before(c.next) || len(c.told) >= mostClasses && !b.forgetClass() {
		return
	}
	c.told[class] = b.filters.AttemptOfNodes(b.context, p.object)
	delete(c.refused, class)
	c.next = time.Now().Add(time.Duration(len(b.nodes)) * classPause)
	for _, n := range b.nodes {
		b.touch(n)
	}
	var waiting []*pod
	for _, other := range b.pods {
		if a := b.applications[other.application]; other.class == class && other.standing == asked && (a == nil || !b.isOfHardGang(other, a)) {
			waiting = append(waiting, other) // placeholders of a hard gang stay together as they are
		}
	}
	slices.SortFunc(waiting, oldest)
	for _, other := range waiting {
		other.outdated = true
		b.askAnew(other)
	}
}

// forgetClass makes room for another class. False if pods of each one wait.
func (b *Bridge) forgetClass() bool {
	waiting := map[string]bool{}
	for _, p := range b.pods {
		if p.runsOn() == "" {
			waiting[p.class] = true
		}
	}
	for class := range b.demands.told {
		if !waiting[class] {
			delete(b.demands.told, class)
			for _, n := range b.nodes {
				delete(n.verdicts, class)
			}
			return true
		}
	}
	return false
}

// classOf is the class of which the scheduler is told with a pod; empty: none.
func (b *Bridge) classOf(p *pod) string {
	if b.demands.told[p.class] == nil {
		return ""
	}
	return p.class
}

// attributesOf are those of a node, with the classes that may run there.
func (b *Bridge) attributesOf(n *node) map[string]string {
	attributes := translate.NodeAttributes(n.object)
	if n.verdictsOf != n.object {
		n.verdictsOf, n.verdicts = n.object, map[string]bool{}
	}
	for class, attempt := range b.demands.told {
		fits, known := n.verdicts[class]
		if !known {
			fits = attempt.On(b.context, n.name) == nil
			n.verdicts[class] = fits
		}
		if fits {
			attributes[translate.ClassAttribute(class)] = translate.Fits
		}
	}
	return attributes
}

// verdictsOfNode are those of classes about one node, as it was when they were found.
type verdictsOfNode struct {
	verdictsOf *v1.Node
	verdicts   map[string]bool
}
