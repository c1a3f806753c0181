// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"fmt"
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
				p.do(kind, "team", func() { <-hold })
			}
		}
		for range writes / 4 {
			p.do(binds, "team", func() { bound.Add(1); <-hold })
		}
		synctest.Wait()
		if under := bound.Load(); under != writes/4 {
			t.Errorf("%d of %d bindings are under way", under, writes/4)
		}
		close(hold)
		synctest.Wait()
		if p.all != 0 || slices.ContainsFunc(p.waiting[:], func(left turns[func()]) bool { return left.count > 0 }) {
			t.Errorf("left are %d under way", p.all)
		}
	})
}

func TestWrites_TheMostUrgentKindIsNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pool
		hold := make(chan struct{})
		for i := range writes {
			p.do(binds, fmt.Sprint(i), func() { <-hold })
		}
		var order []urgency
		for kind := urgencies - 1; kind >= 0; kind-- {
			p.do(kind, "team", func() { order = append(order, kind) })
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
					p.do(slow, "team", func() { <-hold })
				}
			}
			for kind := range urgencies {
				if kind != slow {
					p.do(kind, "team", func() { done[kind].Store(true) })
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

func TestWrites_NoNamespaceWaitsForAnother(t *testing.T) {
	for kind := range urgencies {
		synctest.Test(t, func(t *testing.T) {
			var p pool
			hold := make(chan struct{})
			var done atomic.Int32
			for range 10 * writes {
				p.do(kind, "slow", func() { <-hold })
			}
			for range 10 {
				p.do(kind, "ordinary", func() { done.Add(1) })
			}
			synctest.Wait()
			if have := done.Load(); have != 10 {
				t.Errorf("%d of 10 writes of kind %d ran beside those of another namespace, which take for ever", have, kind)
			}
			close(hold)
			synctest.Wait()
			if p.all != 0 || len(p.of[kind]) != 0 {
				t.Errorf("%d writes run, of %v", p.all, p.of[kind])
			}
		})
	}
}

func TestWrites_OfNamespacesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pool
		hold := make(chan struct{})
		var order []string
		for _, namespace := range []string{"many", "one"} {
			for range map[string]int{"many": 300, "one": 1}[namespace] {
				p.do(conditions, namespace, func() { <-hold; order = append(order, namespace) })
			}
		}
		for range 301 {
			hold <- struct{}{}
			synctest.Wait()
		}
		if before := slices.Index(order, "one"); before < 0 || before > ofOneKind {
			t.Errorf("%d writes of one namespace were before the one of another", before)
		}
	})
}
