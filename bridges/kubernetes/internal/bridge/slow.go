// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"tenon.invalid/kubernetes/internal/filters"
)

// Whoever makes a claim of devices chooses how long it takes to find devices for it, and all other pods wait meanwhile. After claims
// that took long, the bridge therefore looks at no claims of the same namespace for a while: for so long that all namespaces together
// take a twentieth of its time.

const (
	longClaims = 100 * time.Millisecond // of one node
	slowShare  = 20                     // of the time one part is spent on claims that take long
)

// slow are namespaces with claims that took long, and until when no others of theirs are looked at.
type slow map[string]time.Time

// rests is true of a pod whose claims are not looked at for a while.
func (b *Bridge) rests(p *pod) bool {
	until, known := b.slow[p.object.Namespace]
	return known && time.Now().Before(until) && b.filters.Claims(p.object)
}

// tookLong notes how long the claims of a pod took.
func (b *Bridge) tookLong(p *pod, attempt *filters.Attempt) {
	took, namespace := attempt.Longest(), p.object.Namespace
	if took < longClaims {
		return
	}
	others := len(b.slow)
	if _, known := b.slow[namespace]; known {
		others--
	}
	pause := min(slowShare*took*time.Duration(1+others), time.Hour)
	until := time.Now().Add(pause)
	b.slow[namespace] = until
	b.Log.Warn("claims of devices take long", "pod", p.name(), "took", took, "again_in", pause)
	b.after(pause, func() {
		if b.slow[namespace] != until {
			return // others took long since
		}
		delete(b.slow, namespace)
		for _, p := range b.refusals.of(func(p *pod) bool {
			return p.object.Namespace == namespace && slices.Contains(p.refusedBy, names.DynamicResources)
		}) {
			b.wake(p)
		}
	})
}

// resting says why a pod is not looked at.
func (b *Bridge) resting(p *pod) string {
	return fmt.Sprintf("the claims of pods of the namespace %s take long to allocate, so they are looked at less often", p.object.Namespace)
}
