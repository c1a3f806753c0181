// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package older has resource managers of version 1.3 of the interface, which keep asks and allocations apart, made from
// the schema that is installed. It stands beside the interface's own package in one process.
package older

import (
	"os"
	"testing"

	_ "tenon.invalid/clients/public"
	"tenon.invalid/clients/session"
	si "tenon.invalid/proto/tenon/si/v1later"
)

var (
	daemon *session.Daemon
	book   = session.NewBook(nil)
)

func TestMain(m *testing.M) {
	os.Exit(session.Main(m, "", book, func(d *session.Daemon) { daemon = d }, func() []string {
		return book.Absent(si.File_tenon_si_v1later_si_proto.Services().ByName("Scheduler"),
			"tenon.si.v1later.AllocationResponse.rejectedAllocations", "tenon.si.v1later.RejectedAllocation",
			"tenon.si.v1later.RejectedAllocation.allocationKey", "tenon.si.v1later.RejectedAllocation.applicationID",
			"tenon.si.v1later.RejectedAllocation.reason")
	}))
}

type rm struct {
	t            *testing.T
	applications *session.Stream[si.ApplicationRequest, si.ApplicationResponse]
	nodes        *session.Stream[si.NodeRequest, si.NodeResponse]
	allocations  *session.Stream[si.AllocationRequest, si.AllocationResponse]
}

func start(t *testing.T) *rm {
	t.Helper()
	scheduler, name := si.NewSchedulerClient(daemon.Connect(t, book)), t.Name()
	_, err := scheduler.RegisterResourceManager(session.Context(t), &si.RegisterResourceManagerRequest{
		RmID: name, Version: "1.3", PolicyGroup: "default", BuildInfo: map[string]string{"language": "go"},
		Config: session.Queues, ExtraConfig: map[string]string{"service.schedulingInterval": "1s"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &rm{
		t:            t,
		applications: session.Open(t, scheduler.UpdateApplication, &si.ApplicationRequest{RmID: name}),
		nodes:        session.Open(t, scheduler.UpdateNode, &si.NodeRequest{RmID: name}),
		allocations:  session.Open(t, scheduler.UpdateAllocation, &si.AllocationRequest{RmID: name}),
	}
}

func resource(vcore int64) *si.Resource {
	return &si.Resource{Resources: map[string]*si.Quantity{"vcore": {Value: vcore}}}
}

func placed(a *si.AllocationResponse) *[]*si.Allocation              { return &a.New }
func released(a *si.AllocationResponse) *[]*si.AllocationRelease     { return &a.Released }
func withdrawn(a *si.AllocationResponse) *[]*si.AllocationAskRelease { return &a.ReleasedAsks }
func refused(a *si.AllocationResponse) *[]*si.RejectedAllocationAsk  { return &a.Rejected }

func (r *rm) application(name string, more func(*si.AddApplicationRequest)) {
	r.t.Helper()
	request := &si.AddApplicationRequest{
		ApplicationID: name, QueueName: "root.work", PartitionName: "default",
		Ugi: &si.UserGroupInformation{User: "somebody", Groups: []string{"people"}}, Tags: map[string]string{"team": "red"},
	}
	if more != nil {
		more(request)
	}
	r.applications.Say(&si.ApplicationRequest{New: []*si.AddApplicationRequest{request}})
	session.Take(r.applications, "acceptance of "+name,
		func(a *si.ApplicationResponse) *[]*si.AcceptedApplication { return &a.Accepted },
		func(a *si.AcceptedApplication) bool { return a.ApplicationID == name })
}

func (r *rm) node(node *si.NodeInfo) {
	r.t.Helper()
	node.Action, node.Attributes = si.NodeInfo_CREATE, map[string]string{"si/zone": "north"}
	r.nodes.Say(&si.NodeRequest{Nodes: []*si.NodeInfo{node}})
	session.Take(r.nodes, "acceptance of "+node.NodeID,
		func(a *si.NodeResponse) *[]*si.AcceptedNode { return &a.Accepted },
		func(a *si.AcceptedNode) bool { return a.NodeID == node.NodeID })
}

func (r *rm) ask(asks ...*si.AllocationAsk) {
	r.t.Helper()
	for _, each := range asks {
		each.PartitionName, each.ResourceAsk = "default", resource(1000)
	}
	r.allocations.Say(&si.AllocationRequest{Asks: asks})
}

func (r *rm) runs(key string) *si.Allocation {
	r.t.Helper()
	return session.Take(r.allocations, "allocation of "+key, placed, func(a *si.Allocation) bool { return a.AllocationKey == key })
}

func (r *rm) release(of *si.AllocationRelease) {
	r.t.Helper()
	of.PartitionName, of.Message = "default", "a test"
	r.allocations.Say(&si.AllocationRequest{Releases: &si.AllocationReleasesRequest{
		AllocationsToRelease: []*si.AllocationRelease{of},
	}})
}

func TestAnAskIsForSeveralAllocations(t *testing.T) {
	r := start(t)
	r.node(&si.NodeInfo{NodeID: "node", SchedulableResource: resource(3000), OccupiedResource: resource(1000)})
	r.application("app", nil)
	r.ask(&si.AllocationAsk{
		AllocationKey: "many", ApplicationID: "app", MaxAllocations: 3, Priority: 7, ExecutionTimeoutMilliSeconds: 3_600_000,
		Tags: map[string]string{"team": "red"}, TaskGroupName: "group", Originator: true,
		PreemptionPolicy: &si.PreemptionPolicy{AllowPreemptSelf: true, AllowPreemptOther: true},
	})
	one, other := r.runs("many"), r.runs("many") // and the third waits: a core is occupied
	if one.UUID == other.UUID || one.UUID == "" || one.QueueName != "root.work" || one.AllocationID != one.UUID {
		t.Errorf("which one is which? %v, %v", one, other)
	}
	if one.Priority != 7 || !one.Originator || one.TaskGroupName != "group" || one.AllocationTags["team"] != "red" {
		t.Errorf("the ask said more than %v", one)
	}
	r.allocations.Say(&si.AllocationRequest{Releases: &si.AllocationReleasesRequest{
		AllocationAsksToRelease: []*si.AllocationAskRelease{{
			PartitionName: "default", ApplicationID: "app", AllocationKey: "many", TerminationType: si.TerminationType_STOPPED_BY_RM,
			Message: "a test",
		}},
	}})
	r.release(&si.AllocationRelease{ApplicationID: "app", UUID: one.UUID, TerminationType: si.TerminationType_STOPPED_BY_RM})
	end := session.Take(r.allocations, "release of one", released, func(a *si.AllocationRelease) bool { return a.UUID == one.UUID })
	if end.AllocationKey != "many" || end.AllocationID != one.UUID {
		t.Errorf("which one ended? %v", end)
	}
	r.ask(&si.AllocationAsk{AllocationKey: "next", ApplicationID: "app", MaxAllocations: 1})
	r.runs("next") // what was withdrawn does not take its place
	r.release(&si.AllocationRelease{
		ApplicationID: "app", AllocationID: other.AllocationID, AllocationKey: "many", TerminationType: si.TerminationType_STOPPED_BY_RM,
	})
	session.Take(r.allocations, "release of the other", released, func(a *si.AllocationRelease) bool { return a.UUID == other.UUID })
}

func TestAnAskOfNobodyIsRejected(t *testing.T) {
	r := start(t)
	r.ask(&si.AllocationAsk{AllocationKey: "ask", ApplicationID: "nobody", MaxAllocations: 1})
	no := session.Take(r.allocations, "rejection", refused, func(a *si.RejectedAllocationAsk) bool { return a.AllocationKey == "ask" })
	if no.ApplicationID != "nobody" || no.Reason == "" {
		t.Errorf("whose, and why? %v", no)
	}
}

func TestPlaceholdersWhoseTimeIsOverGo(t *testing.T) {
	r := start(t)
	r.node(&si.NodeInfo{NodeID: "node", SchedulableResource: resource(1000)})
	r.application("gang", func(a *si.AddApplicationRequest) {
		a.PlaceholderAsk, a.GangSchedulingStyle, a.ExecutionTimeoutMilliSeconds = resource(2000), "Hard", 1
		a.Tags = map[string]string{"tenon/gang-start": "piecewise"}
	})
	r.ask(
		&si.AllocationAsk{AllocationKey: "held", ApplicationID: "gang", MaxAllocations: 1, TaskGroupName: "group", Placeholder: true},
		&si.AllocationAsk{AllocationKey: "waits", ApplicationID: "gang", MaxAllocations: 1, TaskGroupName: "group", Placeholder: true})
	held := r.runs("held")
	if !held.Placeholder {
		t.Errorf("no placeholder: %v", held)
	}
	gone := session.Take(r.allocations, "release of what was held", released, func(a *si.AllocationRelease) bool {
		return a.AllocationKey == "held" && a.TerminationType == si.TerminationType_TIMEOUT
	})
	pending := session.Take(r.allocations, "release of what waited", withdrawn, func(a *si.AllocationAskRelease) bool {
		return a.AllocationKey == "waits" && a.TerminationType == si.TerminationType_TIMEOUT
	})
	if gone.Message == "" || pending.Message == "" || pending.ApplicationID != "gang" || pending.PartitionName != "default" {
		t.Errorf("why? %v, %v", gone, pending)
	}
	r.release(&si.AllocationRelease{ApplicationID: "gang", UUID: held.UUID, TerminationType: si.TerminationType_TIMEOUT})
	session.Take(r.applications, "the end of the gang",
		func(a *si.ApplicationResponse) *[]*si.UpdatedApplication { return &a.Updated },
		func(u *si.UpdatedApplication) bool { return u.ApplicationID == "gang" && u.State == "Failed" })
}

func TestWhatRunsComesWithItsNode(t *testing.T) {
	r := start(t)
	r.application("app", nil)
	r.node(&si.NodeInfo{NodeID: "node", SchedulableResource: resource(2000), ExistingAllocations: []*si.Allocation{{
		AllocationKey: "ran", ApplicationID: "app", PartitionName: "default", NodeID: "node", QueueName: "root.work",
		UUID: "of-this-rm", ResourcePerAlloc: resource(1500), Priority: 3, TaskGroupName: "group",
		AllocationTags: map[string]string{"team": "red"},
	}}})
	if echo := r.runs("ran"); echo.UUID != "of-this-rm" || echo.NodeID != "node" {
		t.Errorf("restored is %v", echo)
	}
	r.ask(&si.AllocationAsk{AllocationKey: "ask", ApplicationID: "app", MaxAllocations: 1})
	r.release(&si.AllocationRelease{ApplicationID: "app", UUID: "of-this-rm", TerminationType: si.TerminationType_STOPPED_BY_RM})
	r.runs("ask")
}

func TestTheSchemaHasThePresentVersionToo(t *testing.T) {
	r := start(t)
	r.application("app", nil)
	node := &si.NodeInfo{NodeID: "node", SchedulableResource: resource(2000)}
	r.node(node)
	r.nodes.Say(&si.NodeRequest{Nodes: []*si.NodeInfo{node}})
	twice := session.Take(r.nodes, "rejection", func(a *si.NodeResponse) *[]*si.RejectedNode { return &a.Rejected },
		func(a *si.RejectedNode) bool { return a.NodeID == "node" })
	r.applications.Say(&si.ApplicationRequest{New: []*si.AddApplicationRequest{{
		ApplicationID: "lost", QueueName: "root.nowhere", PartitionName: "default", Ugi: &si.UserGroupInformation{User: "somebody"},
	}}})
	lost := session.Take(r.applications, "rejection", func(a *si.ApplicationResponse) *[]*si.RejectedApplication { return &a.Rejected },
		func(a *si.RejectedApplication) bool { return a.ApplicationID == "lost" })
	if twice.Reason == "" || lost.Reason == "" {
		t.Errorf("no reason: %v, %v", twice, lost)
	}
	r.allocations.Say(&si.AllocationRequest{Allocations: []*si.Allocation{
		{
			AllocationKey: "ran", AllocationID: "of-this-rm", ApplicationID: "app", PartitionName: "default", NodeID: "node",
			ResourcePerAlloc: resource(1000),
		},
		{
			AllocationKey: "holder", ApplicationID: "app", PartitionName: "default", TaskGroupName: "group", Placeholder: true,
			ResourcePerAlloc: resource(1000), Originator: true,
			PreemptionPolicy: &si.PreemptionPolicy{AllowPreemptSelf: true, AllowPreemptOther: true},
		},
	}})
	if ran := r.runs("ran"); ran.AllocationID != "of-this-rm" || ran.NodeID != "node" {
		t.Errorf("restored is %v", ran)
	}
	if holder := r.runs("holder"); !holder.Placeholder || !holder.Originator || !holder.PreemptionPolicy.GetAllowPreemptOther() {
		t.Errorf("the ask said more than %v", holder)
	}
	r.applications.Say(&si.ApplicationRequest{
		Remove: []*si.RemoveApplicationRequest{{ApplicationID: "app", PartitionName: "default"}},
	})
	session.Take(r.allocations, "release", released, func(a *si.AllocationRelease) bool { return a.AllocationKey == "ran" })
}
