// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestWrites_BindingsAreNeverBehindOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pool
		hold := make(chan struct{})
		var bound atomic.Int32 // the bindings run on goroutines of their own
		for range 10 * writes {
			for kind := binds + 1; kind < urgencies; kind++ {
				p.do(kind, func() { <-hold })
			}
		}
		for range writes / 4 {
			p.do(binds, func() { bound.Add(1); <-hold })
		}
		synctest.Wait()
		if under := bound.Load(); under != writes/4 {
			t.Errorf("%d of %d bindings are under way", under, writes/4)
		}
		close(hold)
		synctest.Wait()
		if p.all != 0 || slices.ContainsFunc(p.waiting[:], func(left []func()) bool { return len(left) > 0 }) {
			t.Errorf("left are %d under way", p.all)
		}
	})
}

func TestWrites_TheMostUrgentKindIsNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pool
		hold := make(chan struct{})
		for range writes {
			p.do(binds, func() { <-hold })
		}
		var order []urgency
		for kind := urgencies - 1; kind >= 0; kind-- {
			p.do(kind, func() { order = append(order, kind) })
		}
		for range writes {
			hold <- struct{}{}
			synctest.Wait()
		}
		if want := []urgency{binds, ends, evicts, makes, conditions}; !slices.Equal(order, want) {
			t.Errorf("have %v, want %v", order, want)
		}
	})
}

func TestWrites_NoKindWaitsForAnother(t *testing.T) {
	for slow := range urgencies {
		synctest.Test(t, func(t *testing.T) {
			var p pool
			hold := make(chan struct{})
			var done [urgencies]atomic.Bool
			for range 10 * writes {
				if slow != binds { // nothing holds up bindings but the API server itself
					p.do(slow, func() { <-hold })
				}
			}
			for kind := range urgencies {
				if kind != slow {
					p.do(kind, func() { done[kind].Store(true) })
				}
			}
			synctest.Wait()
			for kind := range urgencies {
				if kind != slow && !done[kind].Load() {
					t.Errorf("writes of kind %d wait for those of kind %d", kind, slow)
				}
			}
			close(hold)
			synctest.Wait()
		})
	}
}
