// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package later

import (
	"os"
	"strings"
	"testing"

	"tenon.invalid/clients/public"
	"tenon.invalid/clients/session"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

type checkStream = session.Stream[tenonv1.CheckPlacementsRequest, tenonv1.CheckPlacementsResponse]

func asked(c *tenonv1.CheckPlacementsResponse) *[]*tenonv1.Check    { return &c.Checks }
func over(c *tenonv1.CheckPlacementsResponse) *[]*tenonv1.CheckOver { return &c.Over }

// checking gives one that checks placements, at most so many at once: Tenon's own messages beside those of the interface, in one process.
func checking(t *testing.T, at *session.Daemon, window string) (*rm, *checkStream) {
	t.Helper()
	return checkingIn(t, at, window, session.Queues)
}

func checkingIn(t *testing.T, at *session.Daemon, window, queues string) (*rm, *checkStream) {
	t.Helper()
	r := connect(t, at)
	checks := tenonv1.NewChecksClient(r.connection)
	request := &tenonv1.RegisterResourceManagerRequest{
		RmID: r.name, Version: "1", PolicyGroup: "default", Config: queues,
		BuildInfo: map[string]string{"language": "go"}, ExtraConfig: map[string]string{"checks.window": window},
	}
	if _, err := checks.RegisterResourceManager(session.Context(t), request); err != nil {
		t.Fatal(err)
	}
	r.open()
	return r, session.Open(t, checks.CheckPlacements, &tenonv1.CheckPlacementsRequest{RmID: r.name})
}

func check(s *checkStream, key, node string) *tenonv1.Check {
	return session.Take(s, "check of "+key+" on "+node, asked, func(c *tenonv1.Check) bool {
		return c.AllocationKey == key && c.NodeID == node
	})
}

func answer(s *checkStream, to *tenonv1.Check, accepted bool, reason string) {
	s.Say(&tenonv1.CheckPlacementsRequest{Answers: []*tenonv1.CheckAnswer{{
		PartitionName: to.PartitionName, Number: to.Number, Accepted: accepted, Reason: reason,
	}}})
}

func ended(s *checkStream, of *tenonv1.Check) *tenonv1.CheckOver {
	return session.Take(s, "end of a check", over, func(c *tenonv1.CheckOver) bool { return c.Number == of.Number })
}

func TestThePlacementIsCheckedFirst(t *testing.T) {
	r, checks := checking(t, daemon, "8")
	r.node("full", 1000)
	r.application("app", nil)
	r.ask("app", "ask", func(a *public.Allocation) { a.AllocationTags = map[string]string{"volume": "ssd"} })
	one := check(checks, "ask", "full")
	if !one.Allocate || one.PlaceholderKey != "" {
		t.Errorf("it takes room of its own: %v", one)
	}
	if one.ApplicationID != "app" || one.ResourcePerAlloc.Resources["vcore"].Value != 1000 || one.Tags["volume"] != "ssd" {
		t.Errorf("what would run there? %v", one)
	}
	answer(checks, one, false, "no volume there")
	if end := ended(checks, one); !strings.Contains(end.Reason, "no volume there") || end.AllocationKey != "ask" ||
		end.ApplicationID != "app" || end.NodeID != "full" || end.PartitionName != "default" {
		t.Errorf("whose end is it, and why? %v", end)
	}
	r.node("free", 1000)
	answer(checks, check(checks, "ask", "free"), false, "no volume there either")
	checks.Say(&tenonv1.CheckPlacementsRequest{Again: []*tenonv1.CheckAgain{{
		PartitionName: "default", ApplicationID: "app", AllocationKey: "ask", NodeID: "free",
	}}})
	answer(checks, check(checks, "ask", "free"), true, "")
	if on := r.runs("ask").NodeID; on != "free" {
		t.Errorf("runs on %s", on)
	}
}

func TestInPlaceOfAPlaceholderItsRoomIsThere(t *testing.T) {
	r, checks := checking(t, daemon, "8")
	r.node("node", 1000)
	r.application("gang", func(a *public.AddApplicationRequest) { a.PlaceholderAsk = resource(1000) })
	r.ask("gang", "holder", func(a *public.Allocation) { a.TaskGroupName, a.Placeholder = "group", true })
	answer(checks, check(checks, "holder", "node"), true, "")
	r.runs("holder")
	r.ask("gang", "real", func(a *public.Allocation) { a.TaskGroupName = "group" })
	if one := check(checks, "real", "node"); one.Allocate || one.PlaceholderKey != "holder" || one.PlaceholderUUID == "" {
		t.Errorf("in whose room would it run? %v", one)
	}
}

func TestNoMoreChecksAreOpenThanTheRmWants(t *testing.T) {
	r, checks := checking(t, daemon, "1")
	r.node("node", 2000)
	r.application("app", nil)
	r.ask("app", "one", nil)
	r.ask("app", "two", nil)
	first := session.Take(checks, "a check", asked, func(*tenonv1.Check) bool { return true })
	r.node("other", 1000) // time for many decisions
	session.Unlike(checks, "a second check", asked, func(*tenonv1.Check) bool { return true })
	answer(checks, first, true, "")
	r.runs(first.AllocationKey)
	second := session.Take(checks, "a second check", asked, func(*tenonv1.Check) bool { return true })
	answer(checks, second, true, "")
	r.runs(second.AllocationKey)
}

func TestACheckWithoutAnswerIsOver(t *testing.T) {
	d, err := session.Serve("rm: { check_deadline: 10ms }\n")
	if err != nil {
		t.Fatal(err)
	}
	r, checks := checking(t, d, "8")
	r.node("node", 1000)
	r.application("app", nil)
	r.ask("app", "ask", nil)
	if ended(checks, check(checks, "ask", "node")).Reason == "" {
		t.Error("nothing says why")
	}
	check(checks, "ask", "node") // nobody refused the node
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
}

func TestMain(m *testing.M) {
	os.Exit(session.Main(m, "rm: { check_deadline: 1h }\n", book, func(d *session.Daemon) { daemon = d }, func() []string {
		out := book.Absent(public.File_public_si_proto.Services().ByName("Scheduler"))
		out = append(out, book.Absent(tenonv1.File_tenon_v1_checks_proto.Services().ByName("Checks"))...)
		return append(out, book.Absent(tenonv1.File_tenon_v1_recovery_proto.Services().ByName("Recovery"))...)
	}))
}
