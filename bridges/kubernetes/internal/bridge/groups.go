// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	scheduling "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// groupPatience is how long the first pods of a group keep their room while others of it have none.
const groupPatience = 10 * time.Second

// podGroup is a gang as Kubernetes has it: of its pods a number have to run together. They are asked for when so many are
// there, and bound when so many have nodes. A group that does not come together gives its room back after a while: the
// youngest first, so that of several that are in each other's way the oldest runs.
type podGroup struct {
	name   string               // NAMESPACE/NAME
	object *scheduling.PodGroup // nil: there is none
	pods   map[types.UID]*pod
	there  int       // of its pods have a node or may be given one
	whole  bool      // its pods are asked for
	since  time.Time // when the first one of those that wait for others had a node; zero: none has
	pause  time.Time // before they are asked for again; zero: none
	tries  int       // that brought too few nodes
}

// quorum is how many have to run together.
func (g *podGroup) quorum() int {
	if g.object == nil || g.object.Spec.SchedulingPolicy.Gang == nil {
		return 0
	}
	return int(g.object.Spec.SchedulingPolicy.Gang.MinCount)
}

// placed counts the pods that have nodes.
func (g *podGroup) placed() int {
	count := 0
	for _, p := range g.pods {
		if p.node != "" && p.standing != checked {
			count++
		}
	}
	return count
}

// held are the pods that have an allocation and wait for others, the oldest first.
func (g *podGroup) held() []*pod {
	var all []*pod
	for _, p := range g.pods {
		if p.held {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, oldest)
	return all
}

// lacks says why its pods are not asked for; empty: they are.
func (g *podGroup) lacks() string {
	if g == nil {
		return ""
	}
	if g.object == nil {
		return fmt.Sprintf("there is no pod group %s", g.name)
	}
	if wanted := g.quorum(); g.there < wanted {
		return fmt.Sprintf("the pod group %s has %d of the %d pods that have to run together", g.name, g.there, wanted)
	}
	if !g.pause.IsZero() {
		return fmt.Sprintf("there was no room for %d pods of the pod group %s together; it is tried again", g.quorum(), g.name)
	}
	return ""
}

// forget makes it one of which a new scheduler knows nothing.
func (g *podGroup) forget() {
	g.whole, g.since, g.pause = false, time.Time{}, time.Time{}
}

func (b *Bridge) groupOf(name string) *podGroup {
	g := b.groups[name]
	if g == nil {
		g = &podGroup{name: name, pods: map[types.UID]*pod{}}
		b.groups[name] = g
	}
	return g
}

func (b *Bridge) joinGroup(p *pod) {
	if name := translate.PodGroupOf(p.object); name != "" {
		p.group = b.groupOf(name)
		p.group.pods[p.object.UID] = p
		p.recount()
	}
}

func (b *Bridge) leaveGroup(p *pod) {
	if p.group != nil {
		delete(p.group.pods, p.object.UID)
		if p.there {
			p.there = false
			p.group.there--
		}
		b.groupChanged(p.group)
	}
}

func (b *Bridge) podGroupChanged(object *scheduling.PodGroup) {
	g := b.groupOf(object.Namespace + "/" + object.Name)
	g.object = object
	b.groupChanged(g)
	b.bindGroup(g)
}

func (b *Bridge) podGroupDeleted(object *scheduling.PodGroup) {
	if g := b.groups[object.Namespace+"/"+object.Name]; g != nil {
		g.object = nil
		b.groupChanged(g)
	}
}

// groupChanged asks for the pods of a group that has become whole, and takes back what was asked for one that is no more.
func (b *Bridge) groupChanged(g *podGroup) {
	if g == nil {
		return
	}
	if g.object == nil && len(g.pods) == 0 {
		delete(b.groups, g.name)
	}
	whole := g.lacks() == ""
	if whole == g.whole || b.link == nil {
		return
	}
	g.whole = whole
	if !whole {
		b.takeBack(g)
		return
	}
	for _, p := range sorted(g.pods) {
		b.reconcile(p)
	}
}

// bindGroup binds what was held, as soon as there are enough of them.
func (b *Bridge) bindGroup(g *podGroup) {
	if g.object == nil || g.placed() < g.quorum() {
		if g.since.IsZero() && len(g.held()) > 0 {
			g.since = time.Now()
		}
		return
	}
	g.since, g.tries = time.Time{}, 0
	held := g.held()
	for _, p := range held {
		p.held = false
		b.bind(p)
	}
	if len(held) > 0 {
		b.sayGroup(g, true, fmt.Sprintf("%d pods have nodes", g.placed()))
	}
}

// sayGroup writes its condition, which once it is true stays so.
func (b *Bridge) sayGroup(g *podGroup, scheduled bool, message string) {
	for _, condition := range g.object.Status.Conditions {
		if condition.Type == scheduling.PodGroupInitiallyScheduled && (condition.Status == metav1.ConditionTrue || !scheduled && condition.Message == message) {
			return
		}
	}
	object := g.object
	b.write(conditions, object.Namespace, func(ctx context.Context) error { return b.writer.PodGroup(ctx, object, scheduled, message) }, func(err error) {
		if err != nil {
			b.Log.Warn("the condition of a pod group could not be written", "group", g.name, "error", err)
		}
	})
}

// watchGroups does for groups what depends on time alone.
func (b *Bridge) watchGroups(now time.Time) {
	var holding []*podGroup
	over := false
	for _, g := range b.groups {
		if !g.pause.IsZero() && now.After(g.pause) {
			g.pause = time.Time{}
			b.groupChanged(g)
		}
		if !g.since.IsZero() {
			holding = append(holding, g)
			over = over || now.Sub(g.since) > groupPatience
		}
	}
	if !over {
		return
	}
	slices.SortFunc(holding, func(a, b *podGroup) int {
		return cmp.Or(a.made().Compare(b.made()), cmp.Compare(a.name, b.name))
	})
	for _, g := range holding {
		g.since = now
	}
	b.giveWay(holding[len(holding)-1], now)
}

// made is when the group was; of one that is gone, never.
func (g *podGroup) made() time.Time {
	if g.object == nil {
		return time.Unix(1<<40, 0)
	}
	return g.object.CreationTimestamp.Time
}

// giveWay lets others have the room of a group whose pods did not all find some.
func (b *Bridge) giveWay(g *podGroup, now time.Time) {
	if g.object != nil {
		b.sayGroup(g, false, fmt.Sprintf("%d of the %d pods that have to run together have room", g.placed(), g.quorum()))
	}
	g.whole, g.pause = false, now.Add(pause(g.tries))
	g.tries++
	b.takeBack(g)
}

// takeBack ends what the scheduler has of those pods that were not bound.
func (b *Bridge) takeBack(g *podGroup) {
	g.since = time.Time{}
	for _, p := range sorted(g.pods) {
		if p.mine && p.runsOn() == "" && p.standing != untold {
			b.giveBack(p)
			if b.wait(p); p.waitsFor != "" {
				b.tell(p, b.why(p, nil).words())
			}
		}
	}
}

// giveBack ends what the scheduler has of a pod that was not bound.
func (b *Bridge) giveBack(p *pod) {
	b.release(p)
	b.leave(p)
	p.standing, p.uuid, p.ending = untold, "", si.TerminationType_UNKNOWN_TERMINATION_TYPE
}
