// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package later

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tenon.invalid/clients/public"
	"tenon.invalid/clients/session"
)

// What a resource manager for Kubernetes met that was written for another scheduler, as far as no other test here has it.

func TestAVictimMakesRoomWhereTheRmRefusedTheOtherNode(t *testing.T) {
	r, checks := checkingIn(t, daemon, "8", rivals)
	r.node("full", 2000)
	r.rivals()
	for _, key := range []string{"rich-1", "rich-2"} {
		r.rich(key)
		answer(checks, check(checks, key, "full"), true, "")
		r.runs(key)
	}
	r.node("free", 2000)
	r.poor("poor-1")
	answer(checks, check(checks, "poor-1", "free"), false, "no volume there")
	r.ended()
	answer(checks, check(checks, "poor-1", "full"), true, "")
	if on := r.runs("poor-1").NodeID; on != "full" {
		t.Errorf("runs on %s", on)
	}
}

// The attempt of the third ask comes while both nodes are kept for the others: that is no reason to wait for the next one.
func TestThreeThatHaveARightHaveTheirVictimsWithoutAPause(t *testing.T) {
	r := start(t, rivals)
	r.rivals()
	for node := range 2 {
		r.node(fmt.Sprintf("node-%d", node), 2000)
	}
	for i := range 4 {
		key := fmt.Sprintf("rich-%d", i)
		r.rich(key)
		r.runs(key)
	}
	begun := time.Now()
	for i := range 3 {
		r.poor(fmt.Sprintf("poor-%d", i))
	}
	for range 3 {
		r.ended()
	}
	for i := range 3 {
		r.runs(fmt.Sprintf("poor-%d", i))
	}
	if took := time.Since(begun); took > 12*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestANodeThatIsOpenIsOpenedAgainWithoutAWord(t *testing.T) {
	d, err := session.Serve("")
	if err != nil {
		t.Fatal(err)
	}
	r := connect(t, d)
	if err := r.register(&public.RegisterResourceManagerRequest{Version: "1"}); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.node("node", 1000)
	for range 2 {
		r.sayNode("node", public.NodeInfo_DRAIN_TO_SCHEDULABLE, nil)
	}
	r.application("app", nil)
	r.ask("app", "ask", nil)
	r.runs("ask")
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
	if said := d.Said(); strings.Contains(said, "draining") {
		t.Errorf("it says\n%s", said)
	}
}
