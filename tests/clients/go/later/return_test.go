// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package later

import (
	"testing"

	"google.golang.org/grpc/codes"
	"tenon.invalid/clients/public"
	"tenon.invalid/clients/session"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

func TestAfterACutItGoesOn(t *testing.T) {
	r := start(t, "")
	r.node("node", 3000)
	r.application("app", nil)
	r.ask("app", "before", nil)
	r.runs("before")
	r.applications.Cut()
	r.nodes.Cut()
	r.allocations.Cut()
	r.open()
	r.ask("app", "after", nil)
	r.runs("after")
}

func TestAfterAGoodbyeItHasToRegister(t *testing.T) {
	r := start(t, "")
	r.node("node", 1000)
	r.applications.Leave()
	r.nodes.Leave()
	r.allocations.Leave()
	stranger := session.Open(t, r.scheduler.UpdateNode, &public.NodeRequest{RmID: r.name})
	stranger.Ends(codes.FailedPrecondition)
}

func TestWhoRegistersAgainTakesOver(t *testing.T) {
	r := start(t, "")
	r.node("node", 1000)
	second := connect(t, daemon)
	if err := second.register(&public.RegisterResourceManagerRequest{}); err != nil {
		t.Fatal(err)
	}
	r.allocations.Ends(codes.Aborted)
	second.open()
	second.node("node", 1000) // nothing is left of the first one's
}

// restore tells what runs as the interface wants it told: nodes that take nothing yet, applications, allocations with
// their node; then the nodes may be used.
func (r *rm) restore(keys ...string) {
	r.t.Helper()
	r.sayNode("node", public.NodeInfo_CREATE_DRAIN, resource(2000))
	r.nodeAccepted("node")
	r.application("app", func(a *public.AddApplicationRequest) {
		a.Tags = map[string]string{"application.create.force": "true"}
	})
	for _, key := range keys {
		r.ask("app", key, func(a *public.Allocation) { a.NodeID = "node" })
		r.recovered(r.runs(key))
	}
	r.sayNode("node", public.NodeInfo_DRAIN_TO_SCHEDULABLE, nil)
}

func (r *rm) recovered(echo *public.Allocation) {
	r.t.Helper()
	if echo.NodeID != "node" {
		r.t.Errorf("restored elsewhere: %v", echo)
	}
	if echo.AllocationTags["tenon/recovered"] != "true" {
		r.t.Errorf("it looks like a new one: %v", echo)
	}
}

func reported(a *tenonv1.RecoveryResponse) *[]*tenonv1.RecoveryState { return &a.States }

func TestNothingIsPlacedBeforeItSaysThatAllIsReported(t *testing.T) {
	r := connect(t, daemon)
	hold := map[string]string{"recovery.hold": "true"}
	if err := r.register(&public.RegisterResourceManagerRequest{ExtraConfig: hold}); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.restore("ran")
	r.ask("app", "new", nil)
	r.state("app", "Starting") // what ran was applied
	recovery := session.Open(t, tenonv1.NewRecoveryClient(r.connection).UpdateRecovery, &tenonv1.RecoveryRequest{RmID: r.name})
	report := func(done bool) bool {
		recovery.Say(&tenonv1.RecoveryRequest{Reports: []*tenonv1.RecoveryReport{{Done: done}}})
		return session.Take(recovery, "state of the recovery", reported, func(*tenonv1.RecoveryState) bool { return true }).Held
	}
	if !report(false) || report(true) {
		t.Error("held until it is done")
	}
	if r.runs("new").AllocationTags["tenon/recovered"] != "" {
		t.Error("a new one looks like one that ran")
	}
	recovery.Leave()
}

func TestWhatRanRunsOnAfterTheSchedulerWasKilled(t *testing.T) {
	d, err := session.Serve("")
	if err != nil {
		t.Fatal(err)
	}
	r := connect(t, d)
	if err := r.register(&public.RegisterResourceManagerRequest{}); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.node("node", 2000)
	r.application("app", nil)
	r.ask("app", "one", nil)
	r.ask("app", "two", nil)
	r.runs("one")
	r.runs("two")
	d.Kill()
	r.allocations.Ends(codes.Unavailable)
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	session.Open(t, r.scheduler.UpdateNode, &public.NodeRequest{RmID: r.name}).Ends(codes.FailedPrecondition)
	if err := r.register(&public.RegisterResourceManagerRequest{}); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.restore("one", "two")
	r.ask("app", "three", nil)
	r.release("app", "one", public.TerminationType_STOPPED_BY_RM)
	r.ends("one", public.TerminationType_STOPPED_BY_RM)
	r.runs("three")
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
}
