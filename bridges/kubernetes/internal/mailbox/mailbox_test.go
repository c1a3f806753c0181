// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package mailbox

import (
	"sync"
	"testing"
)

func TestWhatIsPut_IsTakenOnce_InTheOrderOfEachSender(t *testing.T) {
	const senders, each = 4, 1000
	box := New[[2]int]()
	var sending sync.WaitGroup
	for sender := range senders {
		sending.Go(func() {
			for i := range each {
				box.Put([2]int{sender, i})
			}
		})
	}
	next, taken := [senders]int{}, 0
	for taken < senders*each {
		<-box.Ready()
		for _, one := range box.Take() {
			if next[one[0]] != one[1] {
				t.Fatalf("sender %d: want %d, have %d", one[0], next[one[0]], one[1])
			}
			next[one[0]]++
			taken++
		}
	}
	sending.Wait()
	if rest := box.Take(); len(rest) > 0 {
		t.Errorf("taken twice: %v", rest)
	}
}
