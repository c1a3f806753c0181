// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"testing"
	"time"
)

func TestAlive_UntilNoBeatComesForLong(t *testing.T) {
	b := New(Options{})
	b.made = time.Now().Add(-time.Hour)
	if err := b.Alive(); err != nil {
		t.Errorf("before the first beat: %v", err)
	}
	b.lastBeat.Store(int64(time.Hour - stuck/2))
	if err := b.Alive(); err != nil {
		t.Errorf("after a beat: %v", err)
	}
	b.lastBeat.Store(int64(time.Hour - 2*stuck))
	if b.Alive() == nil {
		t.Error("without a beat for long it is alive")
	}
}
