// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package first has resource managers of the interface's first dialect: one stream for everything. It cannot be in one
// process with the present version, whose messages have the same names.
package first

import (
	"os"
	"testing"

	"google.golang.org/grpc/codes"
	"tenon.invalid/clients/session"
	si "tenon.invalid/proto/si/v1"
)

var (
	daemon *session.Daemon
	book   = session.NewBook(nil)
)

func TestMain(m *testing.M) {
	os.Exit(session.Main(m, "", book, func(d *session.Daemon) { daemon = d }, func() []string {
		return book.Absent(si.File_si_v1_si_proto.Services().ByName("Scheduler"))
	}))
}

type rm struct {
	t         *testing.T
	name      string
	scheduler si.SchedulerClient
	updates   *session.Stream[si.UpdateRequest, si.UpdateResponse]
}

func connect(t *testing.T) *rm {
	return &rm{t: t, name: t.Name(), scheduler: si.NewSchedulerClient(daemon.Connect(t, book))}
}

func (r *rm) open() {
	r.t.Helper()
	r.updates = session.Open(r.t, r.scheduler.Update, &si.UpdateRequest{RmID: r.name})
}

func start(t *testing.T) *rm {
	t.Helper()
	r := connect(t)
	_, err := r.scheduler.RegisterResourceManager(session.Context(t), &si.RegisterResourceManagerRequest{
		RmID: r.name, Version: "0.11", PolicyGroup: "default",
	})
	if err != nil {
		t.Fatal(err)
	}
	r.open()
	return r
}

func resource(vcore int64) *si.Resource {
	return &si.Resource{Resources: map[string]*si.Quantity{"vcore": {Value: vcore}}}
}

func acceptedNode(a *si.UpdateResponse) *[]*si.AcceptedNode      { return &a.AcceptedNodes }
func rejectedNode(a *si.UpdateResponse) *[]*si.RejectedNode      { return &a.RejectedNodes }
func accepted(a *si.UpdateResponse) *[]*si.AcceptedApplication   { return &a.AcceptedApplications }
func rejected(a *si.UpdateResponse) *[]*si.RejectedApplication   { return &a.RejectedApplications }
func updated(a *si.UpdateResponse) *[]*si.UpdatedApplication     { return &a.UpdatedApplications }
func placed(a *si.UpdateResponse) *[]*si.Allocation              { return &a.NewAllocations }
func released(a *si.UpdateResponse) *[]*si.AllocationRelease     { return &a.ReleasedAllocations }
func withdrawn(a *si.UpdateResponse) *[]*si.AllocationAskRelease { return &a.ReleasedAllocationAsks }
func refused(a *si.UpdateResponse) *[]*si.RejectedAllocationAsk  { return &a.RejectedAllocations }

func (r *rm) node(node *si.NewNodeInfo) {
	r.t.Helper()
	node.Attributes = map[string]string{"si/zone": "north"}
	r.updates.Say(&si.UpdateRequest{NewSchedulableNodes: []*si.NewNodeInfo{node}})
	session.Take(r.updates, "acceptance of "+node.NodeID, acceptedNode, func(a *si.AcceptedNode) bool { return a.NodeID == node.NodeID })
}

func (r *rm) change(name string, action si.UpdateNodeInfo_ActionFromRM, schedulable, occupied *si.Resource) {
	r.t.Helper()
	r.updates.Say(&si.UpdateRequest{UpdatedNodes: []*si.UpdateNodeInfo{{
		NodeID: name, Action: action, SchedulableResource: schedulable, OccupiedResource: occupied,
		Attributes: map[string]string{"si/zone": "south"},
	}}})
}

func application(name string) *si.AddApplicationRequest {
	return &si.AddApplicationRequest{
		ApplicationID: name, QueueName: "root.work", PartitionName: "default",
		Ugi: &si.UserGroupInformation{User: "somebody", Groups: []string{"people"}}, Tags: map[string]string{"team": "red"},
	}
}

func ask(application, key string) *si.AllocationAsk {
	return &si.AllocationAsk{
		AllocationKey: key, ApplicationID: application, PartitionName: "default", ResourceAsk: resource(1000), MaxAllocations: 1,
	}
}

func (r *rm) runs(key string) *si.Allocation {
	r.t.Helper()
	return session.Take(r.updates, "allocation of "+key, placed, func(a *si.Allocation) bool { return a.AllocationKey == key })
}

func (r *rm) release(application, uuid string, why si.TerminationType) {
	r.t.Helper()
	r.updates.Say(&si.UpdateRequest{Releases: &si.AllocationReleasesRequest{AllocationsToRelease: []*si.AllocationRelease{{
		PartitionName: "default", ApplicationID: application, UUID: uuid, TerminationType: why, Message: "a test",
	}}}})
}

func (r *rm) ends(uuid string, why si.TerminationType) *si.AllocationRelease {
	r.t.Helper()
	return session.Take(r.updates, "release by "+why.String(), released, func(a *si.AllocationRelease) bool {
		return a.UUID == uuid && a.TerminationType == why
	})
}

func TestOneRequestHasAll(t *testing.T) {
	r := start(t)
	ran := &si.Allocation{
		AllocationKey: "ran", ApplicationID: "app", PartitionName: "default", NodeID: "node", QueueName: "root.work", UUID: "of-this-rm",
		ResourcePerAlloc: resource(1000), TaskGroupName: "group", AllocationTags: map[string]string{"team": "red"},
		Priority: &si.Priority{Priority: &si.Priority_PriorityValue{PriorityValue: 3}},
	}
	holder := &si.Allocation{
		AllocationKey: "holder", ApplicationID: "app", UUID: "of-this-rm-too", ResourcePerAlloc: resource(500),
		TaskGroupName: "another", Placeholder: true,
	}
	asked := ask("app", "asked")
	asked.Priority = &si.Priority{Priority: &si.Priority_PriorityClassName{PriorityClassName: "urgent"}}
	asked.Tags, asked.TaskGroupName, asked.ExecutionTimeoutMilliSeconds = map[string]string{"team": "red"}, "group", 3_600_000
	r.updates.Say(&si.UpdateRequest{
		NewApplications: []*si.AddApplicationRequest{application("app")},
		NewSchedulableNodes: []*si.NewNodeInfo{{
			NodeID: "node", SchedulableResource: resource(3500), OccupiedResource: resource(1000),
			Attributes: map[string]string{"si/zone": "north"}, ExistingAllocations: []*si.Allocation{ran, holder},
		}},
		Asks: []*si.AllocationAsk{asked, ask("app", "waits")},
	})
	got := r.runs("asked")
	if got.NodeID != "node" || got.QueueName != "root.work" || got.PartitionName != "default" || got.AllocationTags["team"] != "red" ||
		got.Priority.GetPriorityClassName() != "urgent" || got.TaskGroupName != "group" || got.ResourcePerAlloc.Resources["vcore"].Value != 1000 {
		t.Errorf("the ask said another thing than %v", got)
	}
	session.Take(r.updates, "state", updated, func(u *si.UpdatedApplication) bool {
		return u.ApplicationID == "app" && u.State == "Running" && u.StateTransitionTimestamp > 0
	})
	r.updates.Say(&si.UpdateRequest{Releases: &si.AllocationReleasesRequest{
		AllocationAsksToRelease: []*si.AllocationAskRelease{{
			PartitionName: "default", ApplicationID: "app", Allocationkey: "waits", TerminationType: si.TerminationType_TIMEOUT, Message: "a test",
		}},
	}})
	r.updates.Say(&si.UpdateRequest{Asks: []*si.AllocationAsk{ask("app", "next")}})
	r.release("app", "of-this-rm", si.TerminationType_STOPPED_BY_RM)
	if end := r.ends("of-this-rm", si.TerminationType_STOPPED_BY_RM); end.ApplicationID != "app" || end.PartitionName != "default" {
		t.Errorf("whose is it? %v", end)
	}
	r.runs("next") // what was withdrawn does not stand before it
	r.updates.Say(&si.UpdateRequest{
		RemoveApplications: []*si.RemoveApplicationRequest{{ApplicationID: "app", PartitionName: "default"}},
	})
	if r.ends(got.UUID, si.TerminationType_STOPPED_BY_RM).Message == "" {
		t.Error("a removal says nothing")
	}
}

func state(r *rm, application, wanted string) {
	r.t.Helper()
	session.Take(r.updates, application+" "+wanted, updated, func(u *si.UpdatedApplication) bool {
		return u.ApplicationID == application && u.State == wanted
	})
}

// Asks and allocations are two things, and what ran already is confirmed by its node.
func TestTheEndOfAllocationsLeavesWhatIsAskedFor(t *testing.T) {
	r := start(t)
	ran := &si.Allocation{AllocationKey: "ran", ApplicationID: "app", UUID: "of-this-rm", ResourcePerAlloc: resource(1000)}
	r.updates.Say(&si.UpdateRequest{
		NewApplications: []*si.AddApplicationRequest{application("app"), application("other")},
		NewSchedulableNodes: []*si.NewNodeInfo{{
			NodeID: "node", SchedulableResource: resource(1000), ExistingAllocations: []*si.Allocation{ran},
		}},
		Asks: []*si.AllocationAsk{ask("app", "next"), ask("app", "everywhere"), ask("other", "everywhere")},
	})
	state(r, "other", "Accepted")
	r.updates.Say(&si.UpdateRequest{Releases: &si.AllocationReleasesRequest{
		AllocationAsksToRelease: []*si.AllocationAskRelease{{Allocationkey: "everywhere"}},
	}})
	state(r, "other", "Completing")
	r.release("app", "", si.TerminationType_STOPPED_BY_RM)
	r.ends("of-this-rm", si.TerminationType_STOPPED_BY_RM)
	first := session.Take(r.updates, "an allocation", placed, func(*si.Allocation) bool { return true })
	if first.AllocationKey != "next" {
		t.Errorf("the first that is told is %v", first)
	}
}

func TestWhatCannotBeIsRejectedWithReason(t *testing.T) {
	r := start(t)
	lost := application("lost")
	lost.QueueName = "root.nowhere"
	r.node(&si.NewNodeInfo{NodeID: "node", SchedulableResource: resource(1000)})
	r.updates.Say(&si.UpdateRequest{
		NewApplications:     []*si.AddApplicationRequest{lost},
		NewSchedulableNodes: []*si.NewNodeInfo{{NodeID: "node", SchedulableResource: resource(1000)}},
		Asks:                []*si.AllocationAsk{ask("lost", "ask")},
	})
	if session.Take(r.updates, "rejection", rejected, func(a *si.RejectedApplication) bool { return a.ApplicationID == "lost" }).Reason == "" ||
		session.Take(r.updates, "rejection", rejectedNode, func(n *si.RejectedNode) bool { return n.NodeID == "node" }).Reason == "" ||
		session.Take(r.updates, "rejection", refused, func(a *si.RejectedAllocationAsk) bool {
			return a.AllocationKey == "ask" && a.ApplicationID == "lost"
		}).Reason == "" {
		t.Error("no reason")
	}
}

func TestNodesComeAndGo(t *testing.T) {
	r := start(t)
	r.updates.Say(&si.UpdateRequest{NewApplications: []*si.AddApplicationRequest{application("app")}})
	session.Take(r.updates, "acceptance", accepted, func(a *si.AcceptedApplication) bool { return a.ApplicationID == "app" })
	r.node(&si.NewNodeInfo{NodeID: "node", SchedulableResource: resource(2000)})
	r.change("node", si.UpdateNodeInfo_UPDATE, resource(3000), resource(3000))
	r.updates.Say(&si.UpdateRequest{Asks: []*si.AllocationAsk{ask("app", "first")}})
	r.change("node", si.UpdateNodeInfo_UPDATE, nil, resource(1000))
	r.runs("first")
	r.change("node", si.UpdateNodeInfo_DRAIN_NODE, nil, nil)
	r.updates.Say(&si.UpdateRequest{Asks: []*si.AllocationAsk{ask("app", "second")}})
	r.node(&si.NewNodeInfo{NodeID: "other", SchedulableResource: resource(1000)})
	if on := r.runs("second").NodeID; on != "other" {
		t.Errorf("runs on %s, which is drained", on)
	}
	r.change("node", si.UpdateNodeInfo_DRAIN_TO_SCHEDULABLE, nil, nil)
	r.updates.Say(&si.UpdateRequest{Asks: []*si.AllocationAsk{ask("app", "third")}})
	third := r.runs("third")
	r.change("node", si.UpdateNodeInfo_DECOMISSION, nil, nil)
	if end := session.Take(r.updates, "release", released, func(a *si.AllocationRelease) bool { return a.UUID == third.UUID }); end.Message == "" {
		t.Error("nothing says why")
	}
}

func TestPlaceholdersWhoseTimeIsOverGo(t *testing.T) {
	r := start(t)
	r.node(&si.NewNodeInfo{NodeID: "node", SchedulableResource: resource(1000)})
	gang := application("gang")
	gang.PlaceholderAsk, gang.GangSchedulingStyle, gang.ExecutionTimeoutMilliSeconds = resource(2000), "Hard", 1
	gang.Tags = map[string]string{"tenon/gang-start": "piecewise"}
	held, waits := ask("gang", "held"), ask("gang", "waits")
	for _, each := range []*si.AllocationAsk{held, waits} {
		each.TaskGroupName, each.Placeholder = "group", true
	}
	r.updates.Say(&si.UpdateRequest{NewApplications: []*si.AddApplicationRequest{gang}, Asks: []*si.AllocationAsk{held, waits}})
	holder := r.runs("held")
	if !holder.Placeholder {
		t.Errorf("no placeholder: %v", holder)
	}
	r.ends(holder.UUID, si.TerminationType_TIMEOUT)
	gone := session.Take(r.updates, "release of what waited", withdrawn, func(a *si.AllocationAskRelease) bool {
		return a.Allocationkey == "waits" && a.TerminationType == si.TerminationType_TIMEOUT
	})
	if gone.Message == "" || gone.ApplicationID != "gang" || gone.PartitionName != "default" {
		t.Errorf("whose, and why? %v", gone)
	}
	r.release("gang", holder.UUID, si.TerminationType_TIMEOUT)
	session.Take(r.updates, "the end of the gang", updated, func(u *si.UpdatedApplication) bool {
		return u.ApplicationID == "gang" && u.State == "Failed"
	})
}

func TestAStrangerIsToldToRegister(t *testing.T) {
	r := connect(t)
	r.updates = session.Open(t, r.scheduler.Update, &si.UpdateRequest{RmID: r.name})
	r.updates.Hears("word that it has to register", func(a *si.UpdateResponse) bool {
		return a.Action == si.UpdateResponse_RESYNC
	})
	r.updates.Ends(codes.FailedPrecondition)
}

func TestAfterACutItGoesOnAndAfterAGoodbyeItIsGone(t *testing.T) {
	r := start(t)
	r.node(&si.NewNodeInfo{NodeID: "node", SchedulableResource: resource(1000)})
	r.updates.Cut()
	r.open()
	r.updates.Say(&si.UpdateRequest{
		NewApplications: []*si.AddApplicationRequest{application("app")}, Asks: []*si.AllocationAsk{ask("app", "ask")},
	})
	r.runs("ask")
	r.updates.Leave()
	r.open()
	r.updates.Ends(codes.FailedPrecondition)
}
