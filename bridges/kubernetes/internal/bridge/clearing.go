// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// The scheduler ends pods for others to free amounts, and knows nothing of host ports, anti-affinity, spreading and volumes. The
// bridge therefore says as an amount who is in the way of a pod: a node on which the pod could run if some pods ended has 1000 of the
// kind conflictKind, each pod that would have to end there takes 1, and the pod asks for 1000. So the pod fits there once all of them
// are gone, and the scheduler decides by its own rules whether they may end, and on which node.
//
// One kind serves the pods that are alike. Others wait in a line for their turn. Pods that require a node each (those of DaemonSets)
// have one turn together, since the scheduler looks for each of them at its node alone: at one for each node.

const (
	conflictKind = "conflicting-pods"
	conflictRoom = 1000             // more than the pods of a node
	clearingTurn = 3 * time.Second  // of pods that are alike, while nobody ends for them and others wait
	clearingRest = 30 * time.Second // at most, between two looks that find the same
)

// clearing is what the scheduler is told of pods that are in the way of others.
type clearing struct {
	key     string                        // of the pods for which it is; empty: of none
	members map[types.UID]*pod            // those of them that are asked for so
	rooms   map[string]map[types.UID]*pod // nodes on which they could run, and who is in the way there
	began   time.Time
	next    time.Time // when is looked at them again
	soonest time.Time // the same, if something has changed
	pause   time.Duration
	line    map[string]*pod      // one of each of the others, by their keys
	turns   map[string]time.Time // when each of those was looked at last; it may have had its turn then
	rests   time.Time            // before which none of those is looked at
	joining []*pod               // those that take part in this turn from the next look on
}

// takes returns the amounts with which the scheduler is told of a pod.
func (b *Bridge) takes(p *pod) translate.Amounts {
	amounts, conflicts := b.known(p.amounts), int64(0)
	if p.clears {
		conflicts = conflictRoom
	} else if p.inTheWay {
		conflicts = 1
	}
	if conflicts == 0 {
		return amounts
	}
	amounts = maps.Clone(amounts)
	amounts[conflictKind] = conflicts
	return amounts
}

// offers returns the amounts with which the scheduler is told of a node.
func (b *Bridge) offers(n *node) translate.Amounts {
	amounts := b.known(translate.OfNode(n.object))
	if _, room := b.clearing.rooms[n.name]; room {
		amounts = maps.Clone(amounts)
		amounts[conflictKind] = conflictRoom
	}
	return amounts
}

// mayClear returns whether others may end for a pod because they are in its way. Pods of task groups run in the place of their
// placeholders, and pods of a PodGroup give their nodes back together.
func mayClear(p *pod) bool {
	policy := p.object.Spec.PreemptionPolicy
	return p.group == nil && !p.placeholder && translate.GroupOf(p.object) == "" && (policy == nil || *policy != v1.PreemptNever)
}

// requiring is the key of pods that require a node. No other key is empty after its application.
const requiring = "\n"

// clearingKey is the same for pods for which the same pods may end on the same nodes, and for all that require a node.
func clearingKey(p *pod) string {
	if translate.RequiredNode(p.object) != "" {
		return requiring
	}
	alike := filters.Alike(p.object)
	if alike == "" {
		alike = string(p.object.UID)
	}
	return p.application + "\n" + alike
}

// wantClearing puts a pod in line that no node will take as the nodes are now. Its kind stays in line as long as pods of it wait: who
// is in the way may be on its way to a node, and its end not be possible before that.
func (b *Bridge) wantClearing(p *pod) {
	c, key := &b.clearing, clearingKey(p)
	if c.line == nil {
		c.line, c.turns = map[string]*pod{}, map[string]time.Time{}
	}
	if key == c.key {
		c.joining = append(c.joining, p)
	} else if !b.mayJoin(c.line[key]) {
		c.line[key] = p
	}
}

// mayJoin returns whether a pod may be asked for as one for which others may end.
func (b *Bridge) mayJoin(p *pod) bool {
	return p != nil && b.pods[p.object.UID] == p && p.standing == asked && !p.clears && p.wanted() && !b.awaitsVictims(p)
}

// clear goes on with the pods of this turn, and begins the next turn once this one is over and others in line need one.
func (b *Bridge) clear(now time.Time) {
	c := &b.clearing
	for _, p := range c.joining {
		if c.key == "" || clearingKey(p) != c.key || !b.mayJoin(p) {
			continue
		}
		if _, taken := c.rooms[translate.RequiredNode(p.object)]; taken {
			c.line[c.key] = p // it is the next one there
			continue
		}
		b.joinClearing(p)
		c.next = c.soonest
	}
	c.joining = nil
	if c.key != "" && !now.Before(c.next) {
		b.goOnClearing(now)
	}
	begun := time.Now()
	for !now.Before(c.rests) && time.Since(begun) < thinking && (c.key == "" || now.Sub(c.began) >= clearingTurn && !b.isClearing()) {
		key := c.first(now)
		if key == "" {
			break
		}
		c.turns[key] = now
		alike := b.waitingLike(c.line[key], key)
		if len(alike) == 0 {
			delete(c.line, key)
			delete(c.turns, key)
			continue
		}
		if rooms, some := b.roomsOf(alike); len(some) > 0 {
			b.endTurn()
			b.beginTurn(key, some, rooms, now)
		}
	}
	if took := time.Since(begun); took > time.Millisecond {
		c.rests = now.Add(share * took)
	}
}

// first returns the key of those in line whose turn is next: of those that were not looked at for some time the one that was not for
// the longest time, of equals that of the highest priority, and of these the oldest. It is empty if nobody is due.
func (c *clearing) first(now time.Time) string {
	first := ""
	for key, p := range c.line {
		if at, looked := c.turns[key]; looked && now.Sub(at) < clearingTurn {
			continue
		}
		if first == "" {
			first = key
			continue
		}
		other := c.line[first]
		if cmp.Or(c.turns[key].Compare(c.turns[first]), firstOfAll(p, other)) < 0 {
			first = key
		}
	}
	return first
}

// waitingLike returns a pod and those that are like it, as far as nodes were refused to them: those of the highest priority first, and
// of equals the oldest.
func (b *Bridge) waitingLike(p *pod, key string) []*pod {
	var all []*pod
	for _, one := range b.refusals.pods {
		if (key == requiring || one.application == p.application) && b.mayJoin(one) && mayClear(one) && clearingKey(one) == key {
			all = append(all, one)
		}
	}
	if b.mayJoin(p) && !slices.Contains(all, p) {
		all = append(all, p)
	}
	slices.SortFunc(all, firstOfAll)
	return all
}

func firstOfAll(one, other *pod) int {
	return cmp.Or(cmp.Compare(corev1.PodPriority(other.object), corev1.PodPriority(one.object)), oldest(one, other))
}

// beginTurn asks for pods that are alike as ones for which others may end.
func (b *Bridge) beginTurn(key string, alike []*pod, rooms map[string]map[types.UID]*pod, now time.Time) {
	c := &b.clearing
	delete(c.line, key)
	c.key, c.members, c.began, c.pause = key, map[types.UID]*pod{}, now, beat
	b.clearRooms(rooms)
	for _, one := range alike {
		b.joinClearing(one)
	}
	c.looked(now, 0)
}

// endTurn asks for the pods of this turn as for any others, and looks at the nodes for them again.
func (b *Bridge) endTurn() {
	c := &b.clearing
	b.clearRooms(nil)
	for _, p := range sorted(c.members) {
		if b.pods[p.object.UID] != p || !p.clears {
			continue
		}
		p.clears = false
		if p.wanted() {
			p.outdated = true
			b.askAnew(p)
			b.strand(p)
		} else {
			b.reconcile(p)
		}
	}
	c.key, c.members = "", nil
}

// isClearing returns whether pods end for one of the pods of this turn, or such a pod is about to get its place.
func (b *Bridge) isClearing() bool {
	for uid, p := range b.clearing.members {
		n := b.nominations[uid]
		if b.pods[uid] == p && p.clears && p.wanted() && (p.standing != asked || n != nil && n.pod == p && n.node != "") {
			return true
		}
	}
	return false
}

// goOnClearing looks at the nodes again. The turn ends if nobody is in the way any longer.
func (b *Bridge) goOnClearing(now time.Time) {
	c := &b.clearing
	var waiting, placed []*pod
	for uid, p := range c.members {
		switch {
		case b.pods[uid] != p || !p.clears:
			delete(c.members, uid)
		case p.wanted():
			waiting = append(waiting, p)
		case p.runsOn() != "":
			placed = append(placed, p)
			delete(c.members, uid)
		}
	}
	begun, before, busy := time.Now(), c.rooms, b.isClearing()
	var rooms map[string]map[types.UID]*pod
	var some []*pod
	if len(waiting) > 0 {
		slices.SortFunc(waiting, firstOfAll)
		rooms, some = b.roomsOf(waiting)
	}
	b.clearRooms(rooms)
	for _, p := range placed { // its node is no room for the others any longer
		p.clears = false
		b.reconcile(p)
	}
	if len(some) == 0 && !busy {
		b.endTurn()
		return
	}
	c.pause = min(2*c.pause, clearingRest)
	if len(placed) > 0 || busy || !sameRooms(before, c.rooms) {
		c.pause = beat
	}
	c.looked(now, time.Since(begun))
}

// looked decides when the next look is due, after one that took so long.
func (c *clearing) looked(now time.Time, took time.Duration) {
	c.next, c.soonest = now.Add(max(c.pause, share*took)), now.Add(max(beat, share*took))
}

func sameRooms(one, other map[string]map[types.UID]*pod) bool {
	return maps.EqualFunc(one, other, func(x, y map[types.UID]*pod) bool { return maps.Equal(x, y) })
}

// joinClearing asks for a pod as one for which others may end.
func (b *Bridge) joinClearing(p *pod) {
	p.clears, p.nowhere, p.outdated = true, false, true
	b.clearing.members[p.object.UID] = p
	b.askAnew(p)
}

// roomsOf returns the rooms of pods that have a turn together, and those of them for which somebody is to end. Of pods that require
// the same node it is one.
func (b *Bridge) roomsOf(pods []*pod) (map[string]map[types.UID]*pod, []*pod) {
	if translate.RequiredNode(pods[0].object) == "" {
		rooms, some := b.roomsFor(pods[0])
		if !some {
			pods = nil
		}
		return rooms, pods
	}
	rooms, ends := map[string]map[types.UID]*pod{}, []*pod(nil)
	for _, p := range pods {
		node := translate.RequiredNode(p.object)
		if _, taken := rooms[node]; taken {
			continue
		}
		its, some := b.roomsFor(p)
		if some {
			ends = append(ends, p)
		}
		if room, fits := its[node]; fits && (some || p.clears) {
			rooms[node] = room
		}
	}
	return rooms, ends
}

// roomsFor returns the nodes on which a pod could run, each with those that are in the way there, and whether somebody is to end.
// Nobody is to if the pod only has to wait: somewhere all that are in the way end already.
func (b *Bridge) roomsFor(p *pod) (map[string]map[types.UID]*pod, bool) {
	rooms, some := map[string]map[types.UID]*pod{}, false
	if b.rests(p) {
		return nil, false
	}
	attempt := b.filters.Attempt(b.context, p.object)
	defer b.tookLong(p, attempt)
	for name, inTheWay := range attempt.Rooms(b.context, b.mayEndFor(p)) {
		ending := len(inTheWay) > 0
		rooms[name] = map[types.UID]*pod{}
		for _, object := range inTheWay {
			other := b.pods[object.UID]
			rooms[name][object.UID] = other
			ending = ending && isEnding(other)
			some = true
		}
		if ending && !p.clears {
			return nil, false
		}
	}
	return rooms, some
}

func isEnding(p *pod) bool {
	return p.object.DeletionTimestamp != nil || p.ending != si.TerminationType_UNKNOWN_TERMINATION_TYPE
}

// mayEndFor returns the pods that may end for a pod as far as the bridge can say: pods of its own application if they have a lower
// priority, others unless they have a higher one. Pods that end already may, unless they end for somebody else who waits.
func (b *Bridge) mayEndFor(p *pod) func(*v1.Pod) bool {
	key, forOthers := clearingKey(p), map[types.UID]bool{}
	for _, n := range b.nominations {
		for uid, victim := range n.victims {
			if n.pod.wanted() && b.isVictim(victim) && clearingKey(n.pod) != key {
				forOthers[uid] = true
			}
		}
	}
	priority := corev1.PodPriority(p.object)
	return func(object *v1.Pod) bool {
		other := b.pods[object.UID]
		if other == nil || forOthers[object.UID] {
			return false
		}
		if isEnding(other) {
			return true
		}
		a := b.applications[other.application]
		if !other.mine || other.standing != placed || other.uuid == "" || a == nil || a.standing != accepted || a.failed {
			return false
		}
		its := corev1.PodPriority(object)
		return its < priority || its == priority && other.application != p.application
	}
}

// clearRooms tells the scheduler of these rooms in place of those before. Pods that are in the way are reported before others are
// asked for, so the scheduler never sees a room as empty that is not.
func (b *Bridge) clearRooms(rooms map[string]map[types.UID]*pod) {
	c := &b.clearing
	before := c.rooms
	c.rooms = rooms
	inTheWay := map[types.UID]*pod{}
	for name, room := range rooms {
		maps.Copy(inTheWay, room)
		if _, known := before[name]; !known {
			b.touch(b.nodeOf(name))
		}
	}
	for name, room := range before {
		if _, still := rooms[name]; !still && b.nodes[name] != nil {
			b.touch(b.nodes[name])
		}
		for uid, p := range room {
			if inTheWay[uid] == nil && b.pods[uid] == p {
				p.inTheWay = false
				b.report(p)
			}
		}
	}
	for _, p := range sorted(inTheWay) {
		if p.mine && p.standing == placed && p.ending == si.TerminationType_UNKNOWN_TERMINATION_TYPE {
			p.inTheWay = true
			b.report(p)
		}
	}
}
