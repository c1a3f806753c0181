// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package later has resource managers of the interface's present version, on the numbers that it publishes.
package later

import (
	"testing"

	"google.golang.org/grpc"
	"tenon.invalid/clients/public"
	"tenon.invalid/clients/session"
)

var (
	daemon *session.Daemon
	book   = session.NewBook(session.Older)
)

type (
	applicationStream = session.Stream[public.ApplicationRequest, public.ApplicationResponse]
	nodeStream        = session.Stream[public.NodeRequest, public.NodeResponse]
	allocationStream  = session.Stream[public.AllocationRequest, public.AllocationResponse]
)

// rm is a resource manager with the streams of this version.
type rm struct {
	t            *testing.T
	name         string
	connection   *grpc.ClientConn
	scheduler    public.SchedulerClient
	applications *applicationStream
	nodes        *nodeStream
	allocations  *allocationStream
}

// connect gives one that has not registered yet. It has the test's name.
func connect(t *testing.T, to *session.Daemon) *rm {
	t.Helper()
	connection := to.Connect(t, book)
	return &rm{t: t, name: t.Name(), connection: connection, scheduler: public.NewSchedulerClient(connection)}
}

func (r *rm) register(request *public.RegisterResourceManagerRequest) error {
	request.RmID = r.name
	_, err := r.scheduler.RegisterResourceManager(session.Context(r.t), request)
	return err
}

func (r *rm) open() {
	r.t.Helper()
	r.applications = session.Open(r.t, r.scheduler.UpdateApplication, &public.ApplicationRequest{RmID: r.name})
	r.nodes = session.Open(r.t, r.scheduler.UpdateNode, &public.NodeRequest{RmID: r.name})
	r.allocations = session.Open(r.t, r.scheduler.UpdateAllocation, &public.AllocationRequest{RmID: r.name})
}

// start gives one that is registered and has its streams. Without queues it has those of the policy group.
func start(t *testing.T, queues string) *rm {
	t.Helper()
	r := connect(t, daemon)
	if err := r.register(&public.RegisterResourceManagerRequest{Version: "1", Config: queues}); err != nil {
		t.Fatal(err)
	}
	r.open()
	return r
}

func resource(vcore int64) *public.Resource {
	return &public.Resource{Resources: map[string]*public.Quantity{"vcore": {Value: vcore}}}
}

func accepted(a *public.ApplicationResponse) *[]*public.AcceptedApplication { return &a.Accepted }
func rejected(a *public.ApplicationResponse) *[]*public.RejectedApplication { return &a.Rejected }
func updated(a *public.ApplicationResponse) *[]*public.UpdatedApplication   { return &a.Updated }
func acceptedNode(a *public.NodeResponse) *[]*public.AcceptedNode           { return &a.Accepted }
func rejectedNode(a *public.NodeResponse) *[]*public.RejectedNode           { return &a.Rejected }
func placed(a *public.AllocationResponse) *[]*public.Allocation             { return &a.New }
func released(a *public.AllocationResponse) *[]*public.AllocationRelease    { return &a.Released }
func refused(a *public.AllocationResponse) *[]*public.RejectedAllocation {
	return &a.RejectedAllocations
}

// application submits one and waits until it is accepted.
func (r *rm) application(name string, more func(*public.AddApplicationRequest)) {
	r.t.Helper()
	request := &public.AddApplicationRequest{
		ApplicationID: name, QueueName: "root.work", PartitionName: "default",
		Ugi: &public.UserGroupInformation{User: "somebody", Groups: []string{"people"}},
	}
	if more != nil {
		more(request)
	}
	r.applications.Say(&public.ApplicationRequest{New: []*public.AddApplicationRequest{request}})
	session.Take(r.applications, "acceptance of "+name, accepted, func(a *public.AcceptedApplication) bool {
		return a.ApplicationID == name
	})
}

// state waits until the application is in it.
func (r *rm) state(application, wanted string) *public.UpdatedApplication {
	r.t.Helper()
	return session.Take(r.applications, application+" "+wanted, updated, func(u *public.UpdatedApplication) bool {
		return u.ApplicationID == application && u.State == wanted
	})
}

func (r *rm) sayNode(name string, action public.NodeInfo_ActionFromRM, of *public.Resource) {
	r.t.Helper()
	r.nodes.Say(&public.NodeRequest{Nodes: []*public.NodeInfo{{
		NodeID: name, Action: action, SchedulableResource: of,
		Attributes: map[string]string{"si/zone": "north", "si/node-partition": "default"},
	}}})
}

// node adds one with cores and waits until it is accepted.
func (r *rm) node(name string, vcore int64) {
	r.t.Helper()
	r.sayNode(name, public.NodeInfo_CREATE, resource(vcore))
	r.nodeAccepted(name)
}

func (r *rm) nodeAccepted(name string) {
	r.t.Helper()
	session.Take(r.nodes, "acceptance of "+name, acceptedNode, func(a *public.AcceptedNode) bool { return a.NodeID == name })
}

// ask asks for one core, or for what `more` says.
func (r *rm) ask(application, key string, more func(*public.Allocation)) {
	r.t.Helper()
	ask := &public.Allocation{
		AllocationKey: key, ApplicationID: application, PartitionName: "default", ResourcePerAlloc: resource(1000),
	}
	if more != nil {
		more(ask)
	}
	r.allocations.Say(&public.AllocationRequest{Allocations: []*public.Allocation{ask}})
}

// runs waits for the allocation of a key.
func (r *rm) runs(key string) *public.Allocation {
	r.t.Helper()
	return session.Take(r.allocations, "allocation of "+key, placed, func(a *public.Allocation) bool {
		return a.AllocationKey == key
	})
}

// ends waits for a release.
func (r *rm) ends(key string, why public.TerminationType) *public.AllocationRelease {
	r.t.Helper()
	return session.Take(r.allocations, "release of "+key+" by "+why.String(), released,
		func(a *public.AllocationRelease) bool { return a.AllocationKey == key && a.TerminationType == why })
}

// release wishes the end of what has the key, or confirms it.
func (r *rm) release(application, key string, why public.TerminationType) {
	r.t.Helper()
	r.allocations.Say(&public.AllocationRequest{Releases: &public.AllocationReleasesRequest{
		AllocationsToRelease: []*public.AllocationRelease{{
			PartitionName: "default", ApplicationID: application, AllocationKey: key, TerminationType: why, Message: "a test",
		}},
	}})
}
