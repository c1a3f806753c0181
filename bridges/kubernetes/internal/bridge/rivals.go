// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// gangPatience is how long placeholders of several gangs keep their room while none of these gangs gets more.
const gangPatience = 10 * time.Second

// rivalry is where watchGangs goes on in the next beat, after one in which it had no time for all pairs of gangs.
type rivalry struct {
	younger string // the application of the younger gang; empty: with the youngest
	older   int    // of those that are older than it
}

// rival is a gang of which something waits for a node.
type rival struct {
	*application
	first   *v1.Pod // of its gang
	waits   *pod    // the oldest placeholder that was asked for; nil: none
	alike   string  // what kind returns, once it was asked for
	holders map[string][]*v1.Pod
}

// watchGangs ends that several gangs hold each a part of the room that one of them would need: a younger one gives way to
// an older one that could use its room. One gang in a beat, so that the others see what comes of it. All of it takes 50 ms
// and a look at one pair of gangs at most.
func (b *Bridge) watchGangs(now time.Time) {
	var stalled []*rival // the oldest first
	for _, a := range b.applications {
		if g := b.gangs[a.id]; g != nil && a.standing == accepted && !a.failed && len(a.missing) > 0 && now.Sub(a.progress) > gangPatience {
			stalled = append(stalled, &rival{application: a, first: g.first})
		}
	}
	slices.SortFunc(stalled, func(x, y *rival) int {
		return cmp.Or(x.first.CreationTimestamp.Compare(y.first.CreationTimestamp.Time), cmp.Compare(x.id, y.id))
	})
	for _, one := range stalled {
		one.look()
	}
	begun, from := time.Now(), b.rivalry
	b.rivalry = rivalry{}
	youngest := len(stalled) - 1
	if i := slices.IndexFunc(stalled, func(one *rival) bool { return one.id == from.younger }); i >= 0 {
		youngest = i
	}
	for i := youngest; i > 0; i-- {
		younger := stalled[i]
		if len(younger.holders) == 0 {
			continue
		}
		seen := map[string]bool{}
		for j, older := range stalled[:i] {
			if younger.id == from.younger && j < from.older || older.waits == nil || seen[older.kind()] {
				continue
			}
			if time.Since(begun) >= thinking {
				b.rivalry = rivalry{younger.id, j}
				return
			}
			seen[older.kind()] = true
			if b.inTheWay(younger, older) {
				for _, one := range stalled {
					one.progress = now
				}
				b.giveWayTo(younger.application, now)
				return
			}
		}
	}
}

// look finds which placeholder waits and which have nodes.
func (r *rival) look() {
	r.holders = map[string][]*v1.Pod{}
	for _, p := range r.pods {
		switch {
		case !p.placeholder:
		case p.node != "":
			r.holders[p.node] = append(r.holders[p.node], p.object)
		case p.standing == asked && (r.waits == nil || oldest(p, r.waits) < 0):
			r.waits = p
		}
	}
}

// kind is the same for gangs of which the same is to be found about a younger one.
func (r *rival) kind() string {
	if r.alike == "" {
		if r.alike = filters.Alike(r.waits.object); r.alike == "" {
			r.alike = string(r.waits.object.UID)
		}
		r.alike += "\n" + translate.Queue(r.first)
	}
	return r.alike
}

// inTheWay is true where a placeholder that waits could have the room of those that the other gang holds. Room that it
// could have now and has not is its queue's matter: then the other one counts where it is of the same queue.
func (b *Bridge) inTheWay(younger, older *rival) bool {
	together := older.first.Namespace == younger.first.Namespace && translate.Queue(older.first) == translate.Queue(younger.first)
	for node, held := range younger.holders {
		if !together && b.filters.Attempt(b.context, older.waits.object).On(b.context, node) == nil {
			continue
		}
		for _, one := range held {
			b.filters.PodGone(one, node)
		}
		refusal := b.filters.Attempt(b.context, older.waits.object).On(b.context, node)
		for _, one := range held {
			b.filters.Pod(one, node)
		}
		if refusal == nil {
			return true
		}
	}
	return false
}

// giveWayTo takes a gang back from the scheduler, and tells it again after a while. Placeholders with nodes end, and are made
// anew then.
func (b *Bridge) giveWayTo(a *application, now time.Time) {
	b.Log.Info("a gang gives way to an older one", "application", a.id, "placeholders without node", len(a.missing))
	a.standing, a.gaveWay, a.retryAt = rejected, true, now.Add(pause(a.yields))
	a.yields++
	b.outbox.remove(a.id)
	for _, p := range sorted(a.pods) {
		p.standing, p.uuid, p.reported, p.ending = untold, "", false, si.TerminationType_UNKNOWN_TERMINATION_TYPE
		if p.runsOn() == "" {
			b.leave(p)
			continue
		}
		b.touch(b.nodes[p.node])
		if p.placeholder && p.object.DeletionTimestamp == nil {
			b.remove(p)
		}
	}
}
