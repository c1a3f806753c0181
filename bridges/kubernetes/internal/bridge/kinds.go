// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"tenon.invalid/kubernetes/internal/translate"
)

// The scheduler keeps a small number of kinds of resources for as long as a session lasts, and anybody may write any into a
// pod. So the scheduler is told of those kinds alone that nodes have, and of so many as it keeps.

// mostKinds is how many kinds the scheduler is told of beside the four that any cluster has. The scheduler keeps 64 in all; 12
// are left for kinds that only its queues name.
const mostKinds = 48

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
	if !came {
		return
	}
	waited := sorted(b.unheard)
	clear(b.unheard)
	for _, p := range waited {
		b.reconcile(p)
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

// lacks is true of amounts of which no node has some kind, and no class of devices provides it.
func (b *Bridge) lacks(amounts translate.Amounts) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(amounts)), func(kind string) bool { return b.unheardOf(kind) && !b.filters.ByClass(kind) })
}

func (b *Bridge) unheardOf(kind string) bool {
	return !translate.Common(kind) && (b.kinds[kind] == 0 || !b.kept[kind])
}

// nobodyHas names a kind of which no node has any; empty if there is none.
func (b *Bridge) nobodyHas(amounts translate.Amounts) string {
	for _, kind := range slices.Sorted(maps.Keys(amounts)) {
		if !translate.Common(kind) && b.kinds[kind] == 0 && !b.filters.ByClass(kind) {
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
