// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// footing is what the scheduler knows of a pod.
type footing int

const (
	untold  footing = iota
	asked           // it looks for a node
	checked         // a node was found and the bridge agreed; the allocation is on its way
	placed          // it has an allocation
)

// pod is one that has not finished.
type pod struct {
	object      *v1.Pod
	mine        bool   // of the bridge's scheduler name
	wrong       string // why the scheduler cannot be told of it
	application string
	class       string            // of what it demands of nodes; empty: the scheduler knows all of it
	placeholder bool              // it holds room for others of its task group
	group       *podGroup         // nil: of none
	amounts     translate.Amounts // what it takes by its object
	node        string            // where it takes room: it runs there, or this was decided

	standing  footing
	told      translate.Amounts  // what it takes, as the scheduler was told
	uuid      string             // of its allocation; empty until that is known
	reported  bool               // the scheduler was told that it runs, and did not answer yet
	check     int64              // the number of the check that was accepted
	outdated  bool               // asked for as it was, and is another by now
	attempt   *filters.Attempt   // what was reserved with its node, until it is bound
	refusedBy []string           // the plugins that refused it nodes
	refusal   string             // its group in Bridge.refusals
	alike     string             // the same for pods that were alike when this was
	alikeOf   *v1.Pod            // its object
	refused   int                // how many nodes, since it was last looked at again
	nowhere   bool               // asked for as one that may run on no node for now
	stranded  bool               // in Bridge.stranded
	clears    bool               // asked for as one for which others may end that are in its way
	inTheWay  bool               // of such a pod, as the scheduler is told
	claims    []string           // under which it is in Bridge.claimless
	removing  bool               // a write is to end it, which is tried until it is gone
	there     bool               // counted in its group
	ending    si.TerminationType // the scheduler wished its end and waits for it
	held      bool               // it has an allocation, and waits for others of its group
	binding   bool               // a write is under way
	bound     bool               // the write succeeded, whatever informers know

	rejected string    // why the scheduler did not take it
	notSoon  time.Time // before it is asked for again
	tries    int       // of bindings that failed
	unbound  string    // why the last binding failed
	since    time.Time // asked for the first time; zero: it was not, or its binding was measured
	waitsFor string    // what its condition says, or is about to
	telling  bool      // that is being written
	found    found     // why it waits, as the bridge sees it
	inLine   bool      // in Bridge.questions
	lookAt   time.Time // when that is due again
	listed   bool      // in Bridge.waiting or Bridge.again
}

func (p *pod) name() string { return p.object.Namespace + "/" + p.object.Name }

// runsOn is the node of a pod that has one, as far as the API server or the bridge's own write says.
func (p *pod) runsOn() string {
	if p.object.Spec.NodeName == "" && (p.binding || p.bound) {
		return p.node
	}
	return p.object.Spec.NodeName
}

// wanted is true of a pod that may be given a node.
func (p *pod) wanted() bool {
	return p.runsOn() == "" && p.object.DeletionTimestamp == nil && len(p.object.Spec.SchedulingGates) == 0
}

// oldest is the order in which pods are told.
func oldest(a, b *pod) int {
	return cmp.Or(a.object.CreationTimestamp.Compare(b.object.CreationTimestamp.Time), cmp.Compare(a.object.UID, b.object.UID))
}

func sorted(pods map[types.UID]*pod) []*pod {
	return slices.SortedFunc(maps.Values(pods), oldest)
}

// forget makes a pod one of which a new scheduler knows nothing.
func (b *Bridge) forget(p *pod) {
	if p.runsOn() == "" {
		b.leave(p)
	}
	p.standing, p.uuid, p.reported, p.rejected = untold, "", false, ""
	p.ending, p.notSoon = si.TerminationType_UNKNOWN_TERMINATION_TYPE, time.Time{}
	p.refusedBy, p.refused, p.nowhere, p.clears, p.inTheWay = nil, 0, false, false, false
	b.refusals.drop(p)
}

// move makes the pod take room on this node and no other.
func (b *Bridge) move(p *pod, name string) {
	if p.node == name {
		return
	}
	b.leave(p)
	n := b.nodeOf(name)
	p.node, n.pods[p.object.UID] = name, p
	p.recount()
	b.filters.Pod(p.object, name)
	b.touch(n)
	b.changed(filters.OfPod(nil, p.object, name))
}

// leave gives back the room that a pod takes.
func (b *Bridge) leave(p *pod) {
	if p.node == "" {
		return
	}
	n := b.nodes[p.node]
	delete(n.pods, p.object.UID)
	p.node, p.held = "", false
	p.recount()
	b.filters.PodGone(p.object, n.name)
	b.unreserve(p)
	b.touch(n)
	b.changed(filters.OfPod(p.object, nil, n.name))
}

// unreserve gives back the volumes and devices that were reserved for a pod. That may have to wait for a write and for the API
// server, so it happens elsewhere; then pods that may have been refused because of it are looked at again.
func (b *Bridge) unreserve(p *pod) {
	attempt := p.attempt
	p.attempt = nil
	if attempt == nil {
		return
	}
	if !attempt.Works() {
		attempt.Unreserve(b.context) // nothing but what this goroutine knows
		return
	}
	go func() {
		attempt.Unreserve(b.context)
		b.todo.Put(func() {
			for _, p := range b.refusals.of(func(p *pod) bool { return filters.Reserves(p.refusedBy) }) {
				b.wake(p)
			}
		})
	}()
}

func (b *Bridge) podChanged(object *v1.Pod) {
	p := b.pods[object.UID]
	if translate.Finished(object) {
		if p != nil {
			b.podEnded(p)
		}
		return
	}
	application, placeholder := translate.Application(object, b.SharedApplications), translate.IsPlaceholder(object)
	was := p
	if p != nil && p.mine && p.runsOn() == "" && (p.application != application || p.placeholder != placeholder) {
		b.podEnded(p) // to the scheduler it is another one by now
		p = nil
	}
	if p == nil {
		p = &pod{mine: object.Spec.SchedulerName == b.SchedulerName}
		if p.mine {
			p.application, p.placeholder = application, placeholder
			p.waitsFor = translate.WaitsFor(object)
		}
		if was != nil {
			p.since, p.lookAt, p.listed, p.inLine = was.since, was.lookAt, was.listed, was.inLine
		}
		b.pods[object.UID] = p
	}
	old := p.object
	if p.node != "" {
		b.filters.PodChanged(old, object, p.node)
		b.changed(filters.OfPod(old, object, p.node))
	}
	p.object = object
	p.recount()
	if old == nil {
		b.joinGroup(p)
		b.nominated(p)
	}
	another := old == nil || p.runsOn() == "" && (!translate.SameAsk(old, object) || p.mine && filters.Class(object) != p.class)
	if another && p.mine {
		b.judge(p)
	}
	b.namesGroups(p)
	if amounts := translate.OfPod(object); !maps.Equal(amounts, p.amounts) {
		p.amounts = amounts
		if p.node != "" {
			b.touch(b.nodes[p.node])
		}
	}
	if name := object.Spec.NodeName; name != "" && p.node != name {
		if p.standing != untold { // somebody else bound it, elsewhere than was decided
			b.release(p)
			p.standing, p.uuid, p.reported = untold, "", false
		}
		b.move(p, name)
	}
	if old != nil {
		b.waitingChanged(p, old, another)
	}
	b.reconcile(p)
	b.groupChanged(p.group)
}

// judge decides whether the scheduler can be told of a pod, which is new or another ask by now. What the scheduler has of a
// pod of which it can no longer be told is given back.
func (b *Bridge) judge(p *pod) {
	p.wrong = ""
	if err := translate.Wrong(p.object); err != nil {
		p.wrong = err.Error()
		if p.standing != untold {
			b.giveBack(p)
		}
		return
	}
	p.class = filters.Class(p.object)
	b.gangHeard(p)
}

// recount keeps the number of pods of its group that are there.
func (p *pod) recount() {
	if there := p.group != nil && (p.node != "" || p.wanted()); there != p.there {
		p.there = there
		if there {
			p.group.there++
		} else {
			p.group.there--
		}
	}
}

// waitingChanged looks again at a pod that waits and was changed: it may tolerate more or want less by now. If the pod is
// another ask by now, what the scheduler refused does not count for it.
func (b *Bridge) waitingChanged(p *pod, old *v1.Pod, another bool) {
	if another {
		p.outdated, p.nowhere, p.clears, p.refused, p.rejected, p.notSoon = true, false, false, 0, "", time.Time{}
	}
	if p.standing != asked && p.standing != checked {
		return
	}
	b.askAnew(p)
	if !b.refusals.has(p) {
		return
	}
	b.refusals.put(p) // it may be like others by now
	if b.filters.MayHelp(p.refusedBy, p.object, filters.OfWaiting(old, p.object)) {
		b.wake(p)
	}
}

// askAnew takes back what was asked for a pod that is another by now; reconcile asks for it as it is. What is on its way to
// a node goes there.
func (b *Bridge) askAnew(p *pod) {
	if p.outdated && p.standing == asked && p.wanted() {
		b.giveBack(p)
		b.reconcile(p)
	}
}

func (b *Bridge) podDeleted(object *v1.Pod) {
	if p := b.pods[object.UID]; p != nil {
		b.podEnded(p)
	}
}

// podEnded takes a pod out of everything. Its room is free from here on.
func (b *Bridge) podEnded(p *pod) {
	if p.standing != untold && b.link != nil {
		b.release(p)
	}
	b.leave(p)
	b.left(p)
	b.leaveGroup(p)
	delete(b.later, p.object.UID)
	b.refusals.drop(p)
	delete(b.unheard, p.object.UID)
	b.claimless.drop(p)
	b.namesNone(p)
	b.gangLeft(p)
	delete(b.pods, p.object.UID)
}
