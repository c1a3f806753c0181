// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"tenon.invalid/kubernetes/internal/translate"
)

// The scheduler keeps a small number of kinds of resources for as long as a session lasts, and anybody may write any into a
// pod. So it hears of those kinds alone that nodes have.

// countKinds follows what kinds of resources nodes have. Pods that waited for one that is new are looked at again.
func (b *Bridge) countKinds(old, now *v1.Node) {
	came := false
	for kind := range kindsOf(now) {
		b.kinds[kind]++
		came = came || b.kinds[kind] == 1
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

func kindsOf(node *v1.Node) translate.Amounts {
	if node == nil || translate.WrongNode(node) != nil {
		return nil
	}
	return translate.OfNode(node)
}

// known leaves the kinds that the scheduler may hear of.
func (b *Bridge) known(amounts translate.Amounts) translate.Amounts {
	if !b.lacks(amounts) {
		return amounts
	}
	some := maps.Clone(amounts)
	maps.DeleteFunc(some, func(kind string, _ int64) bool { return b.unheardOf(kind) })
	return some
}

// lacks is true of amounts of which no node has some kind.
func (b *Bridge) lacks(amounts translate.Amounts) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(amounts)), b.unheardOf)
}

func (b *Bridge) unheardOf(kind string) bool { return !translate.Common(kind) && b.kinds[kind] == 0 }
