// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// gangPatience is how long placeholders of several gangs keep their room while none of these gangs gets more.
const gangPatience = 10 * time.Second

// watchGangs ends that several gangs hold each a part of the room that one of them would need: a younger one gives way to
// an older one that could use its room. One gang in a beat, so that the others see what comes of it.
func (b *Bridge) watchGangs(now time.Time) {
	var stalled []*application // the oldest first
	for _, a := range b.applications {
		if b.gangs[a.id] != nil && a.standing == accepted && !a.failed && len(a.missing) > 0 && now.Sub(a.progress) > gangPatience {
			stalled = append(stalled, a)
		}
	}
	slices.SortFunc(stalled, func(x, y *application) int {
		return cmp.Or(b.gangs[x.id].first.CreationTimestamp.Compare(b.gangs[y.id].first.CreationTimestamp.Time), cmp.Compare(x.id, y.id))
	})
	for i, younger := range slices.Backward(stalled) {
		if slices.ContainsFunc(stalled[:i], func(older *application) bool { return b.inTheWay(younger, older) }) {
			for _, a := range stalled {
				a.progress = now
			}
			b.giveWayTo(younger, now)
			return
		}
	}
}

// inTheWay is true where a placeholder that waits could have the room of those that the other gang holds. Room that it
// could have now and has not is its queue's matter: then the other one counts where it is of the same queue.
func (b *Bridge) inTheWay(younger, older *application) bool {
	i := slices.IndexFunc(sorted(older.pods), func(p *pod) bool { return p.placeholder && p.standing == asked })
	if i < 0 {
		return false
	}
	waits := sorted(older.pods)[i]
	holders := map[string][]*v1.Pod{}
	for _, p := range younger.pods {
		if p.placeholder && p.node != "" {
			holders[p.node] = append(holders[p.node], p.object)
		}
	}
	first, other := b.gangs[older.id].first, b.gangs[younger.id].first
	together := first.Namespace == other.Namespace && translate.Queue(first) == translate.Queue(other)
	for node, held := range holders {
		if !together && b.filters.Attempt(b.context, waits.object).On(b.context, node) == nil {
			continue
		}
		for _, one := range held {
			b.filters.PodGone(one, node)
		}
		refusal := b.filters.Attempt(b.context, waits.object).On(b.context, node)
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
	b.outbox.removed = append(b.outbox.removed, &si.RemoveApplicationRequest{ApplicationID: a.id, PartitionName: translate.Partition})
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
