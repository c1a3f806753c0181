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
	of      map[string]string           // for each class that was told: the namespace of the pod for which it was told
	refused map[string]int              // nodes that were refused to others
	next    time.Time                   // not before that another one is told
	rests   map[string]time.Time        // until when no class is told for a namespace
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
	c, class, namespace, now := &b.demands, p.class, p.object.Namespace, time.Now()
	if c.told[class] != nil || b.link == nil || now.Before(c.next) || now.Before(c.rests[namespace]) {
		return
	}
	if len(c.told) >= mostClasses && !b.forgetClass(namespace) {
		c.rests[namespace] = now.Add(beat) // all pods were looked at
		return
	}
	c.told[class], c.of[class] = b.filters.AttemptOfNodes(b.context, p.object), namespace
	delete(c.refused, class)
	c.next = time.Now().Add(time.Duration(len(b.nodes)) * classPause)
	for _, n := range b.nodes {
		b.touch(n)
	}
	b.askAnewOf(class)
}

// askAnewOf asks for the pods of a class as they are by now.
func (b *Bridge) askAnewOf(class string) {
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

// forgetClass forgets a class in favour of one of this namespace. It prefers a class of which no pod waits, and else takes one of the
// namespace that has the most classes. It returns false if that namespace has no more classes than this one would have.
func (b *Bridge) forgetClass(namespace string) bool {
	c, waiting, together, of := &b.demands, map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, p := range b.pods {
		if p.runsOn() == "" {
			waiting[p.class] = true
			if a := b.applications[p.application]; a != nil && b.isOfHardGang(p, a) {
				together[p.class] = true // they stay as they were asked for
			}
		}
	}
	forgotten := ""
	for class, its := range c.of {
		if !waiting[class] {
			forgotten = class
		}
		of[its]++
	}
	if forgotten == "" {
		for class, its := range c.of {
			if !together[class] && of[its] > of[namespace]+1 && (forgotten == "" || of[its] > of[c.of[forgotten]]) {
				forgotten = class
			}
		}
	}
	if forgotten == "" {
		return false
	}
	delete(c.told, forgotten)
	delete(c.of, forgotten)
	for _, n := range b.nodes {
		delete(n.verdicts, forgotten)
	}
	b.askAnewOf(forgotten)
	return true
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
