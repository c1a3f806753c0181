// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"tenon.invalid/kubernetes/internal/tenon"
	"tenon.invalid/kubernetes/internal/translate"
)

// The bridge sends only kinds of resources that a node has or a queue names, since anybody may write any kind into a pod, and the
// scheduler keeps at most 64 kinds. The scheduler already keeps the kinds that its queues name. Of the other kinds that nodes have,
// the bridge sends at most mostKinds.

// mostKinds is the largest number of kinds of nodes that the bridge sends beside the four that every cluster has and conflictKind.
// This leaves 12 of the 64 kinds for those that only queues name.
const mostKinds = 47

const (
	queuesEvery = 30 * time.Second // between two questions what queues name
	queuesSoon  = 5 * time.Second  // the same, while pods want kinds that neither a node has nor a queue names
)

// queueKinds are the kinds of resources that queues of the scheduler name, as the scheduler reports them.
type queueKinds struct {
	named map[string]bool
	told  bool      // the first question of this session has ended, with an answer or without
	open  bool      // the scheduler was asked, and has not answered
	next  time.Time // when it is asked again
	soon  time.Time // the same, while pods want kinds that neither a node has nor a queue names
}

// askQueues asks the scheduler what kinds its queues name, when that is due. Without a control socket nobody can be asked.
func (b *Bridge) askQueues(now time.Time) {
	due := b.queues.next
	if len(b.unheard) > 0 {
		due = b.queues.soon
	}
	if b.Control.Socket == "" || b.queues.open || now.Before(due) {
		return
	}
	b.queues.open = true
	link := b.link
	go func() {
		begun := time.Now()
		kinds, err := b.Control.QueueKinds(b.context, b.Session.PolicyGroup)
		took := time.Since(begun)
		b.todo.Put(func() { b.queuesAnswered(link, kinds, took, err) })
	}()
}

// queuesAnswered takes the answer to a question what kinds queues name, and how long the answer took. After the first answer of
// a session the scheduler is told of the gangs that waited for it.
func (b *Bridge) queuesAnswered(link *tenon.Link, kinds map[string]bool, took time.Duration, err error) {
	b.queues.open = false
	now := time.Now()
	if b.link != link { // the answer is of an earlier session
		if b.link != nil {
			b.askQueues(now)
		}
		return
	}
	b.queues.next, b.queues.soon = now.Add(max(queuesEvery, share*took)), now.Add(max(queuesSoon, share*took))
	b.queues.told = true
	if err != nil {
		b.Log.Warn("the scheduler does not say what its queues name", "error", err)
	} else {
		b.queuesName(kinds)
	}
	for _, a := range b.applications {
		if a.early && len(a.pods) > 0 {
			b.sayApplication(a, sorted(a.pods)[0])
		}
	}
}

// mayLearn returns true if these amounts have a kind that nobody names so far, and the first answer of this session what kinds
// queues name has not come yet.
func (b *Bridge) mayLearn(amounts translate.Amounts) bool {
	return b.Control.Socket != "" && !b.queues.told && b.lacks(amounts)
}

// queuesName takes the kinds that queues name now.
func (b *Bridge) queuesName(kinds map[string]bool) {
	old := b.queues.named
	b.queues.named = kinds
	if slices.ContainsFunc(slices.Collect(maps.Keys(kinds)), func(kind string) bool { return !translate.Common(kind) && !old[kind] }) {
		b.kindsCame()
	}
}

// kindsCame reports pods and nodes again after the bridge may send more kinds. Pods that have a node are reported first: if pods
// that wait were asked for before that, the scheduler would place them as if the others used none of the new kinds.
func (b *Bridge) kindsCame() {
	b.reportUncommon()
	waited := sorted(b.unheard)
	clear(b.unheard)
	for _, p := range waited {
		b.reconcile(p)
	}
	for _, n := range b.nodes {
		if n.object != nil {
			b.touch(n)
		}
	}
	b.sayGangsAnew()
}

// reportUncommon reports pods that have a node again if the scheduler was sent other kinds for them.
func (b *Bridge) reportUncommon() {
	for _, p := range b.pods {
		if p.mine && p.standing == placed && hasUncommon(p.amounts) {
			b.reconcile(p)
		}
	}
}

// countKinds follows what kinds of resources nodes have. Pods that waited for a new kind are looked at again.
func (b *Bridge) countKinds(old, now *v1.Node) {
	came := false
	for _, kind := range slices.Sorted(maps.Keys(kindsOf(now))) {
		b.kinds[kind]++
		if b.kinds[kind] == 1 {
			came = true
			b.keep(kind)
		}
	}
	for kind := range kindsOf(old) {
		if b.kinds[kind]--; b.kinds[kind] == 0 {
			delete(b.kinds, kind)
		}
	}
	if came {
		b.kindsCame()
	}
}

// keep lets the scheduler be told of a kind that nodes have, unless it keeps as many as it can already.
func (b *Bridge) keep(kind string) {
	if !translate.Common(kind) && len(b.kept) < mostKinds {
		b.kept[kind] = true
	}
}

// keepAnew chooses the kinds of which a new session is told.
func (b *Bridge) keepAnew() {
	clear(b.kept)
	for _, kind := range slices.Sorted(maps.Keys(b.kinds)) {
		b.keep(kind)
	}
}

func kindsOf(node *v1.Node) translate.Amounts {
	if node == nil || translate.WrongNode(node) != nil {
		return nil
	}
	return translate.OfNode(node)
}

// known leaves the kinds that the scheduler may hear of, of what pods take.
func (b *Bridge) known(amounts translate.Amounts) translate.Amounts {
	unknown := func(kind string) bool { return b.unheardOf(kind) || !translate.Common(kind) && b.filters.ByClass(kind) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(amounts)), unknown) {
		return amounts
	}
	some := maps.Clone(amounts)
	maps.DeleteFunc(some, func(kind string, _ int64) bool { return unknown(kind) })
	return some
}

// hasUncommon is true of amounts with kinds that not every cluster has.
func hasUncommon(amounts translate.Amounts) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(amounts)), func(kind string) bool { return !translate.Common(kind) })
}

// lacks is true of amounts with a kind that neither a node has nor a queue names, and that no class of devices provides.
func (b *Bridge) lacks(amounts translate.Amounts) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(amounts)), func(kind string) bool { return b.unheardOf(kind) && !b.filters.ByClass(kind) })
}

func (b *Bridge) unheardOf(kind string) bool {
	return !translate.Common(kind) && !b.queues.named[kind] && (b.kinds[kind] == 0 || !b.kept[kind])
}

// toldOtherwise returns true if the scheduler has another amount for a pod than the pod takes. A kind that no node has and no queue
// names any longer makes no difference: the scheduler keeps the amount that it was sent earlier.
func (b *Bridge) toldOtherwise(p *pod) bool {
	takes := b.takes(p)
	for kind, amount := range takes {
		if p.told[kind] != amount {
			return true
		}
	}
	for kind := range p.told {
		if _, has := takes[kind]; has {
			continue
		}
		if _, wants := p.amounts[kind]; !wants || b.filters.ByClass(kind) {
			return true
		}
	}
	return false
}

// nobodyHas names a kind that neither a node has nor a queue names; empty if there is none.
func (b *Bridge) nobodyHas(amounts translate.Amounts) string {
	for _, kind := range slices.Sorted(maps.Keys(amounts)) {
		if b.kinds[kind] == 0 && b.unheardOf(kind) && !b.filters.ByClass(kind) {
			return kind
		}
	}
	return ""
}

// tooMany names a kind that nodes have and the scheduler does not keep; empty if there is none.
func (b *Bridge) tooMany(amounts translate.Amounts) string {
	for _, kind := range slices.Sorted(maps.Keys(amounts)) {
		if b.kinds[kind] > 0 && b.unheardOf(kind) && !b.filters.ByClass(kind) {
			return fmt.Sprintf("nodes have more kinds of resources than the scheduler keeps, and it does not keep %.300s", kind)
		}
	}
	return ""
}
