// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package later

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"tenon.invalid/clients/public"
	"tenon.invalid/clients/session"
)

func TestARegistrationSaysWhoAndHow(t *testing.T) {
	r := connect(t, daemon)
	about := session.Refused(t, r.register(&public.RegisterResourceManagerRequest{PolicyGroup: "nothing"}), codes.InvalidArgument)
	if !strings.Contains(about.Message(), "nothing") {
		t.Errorf("the refusal does not name the group: %v", about)
	}
	bad := &public.RegisterResourceManagerRequest{Config: "partitions:\n  - name: default\n    quues: []\n"}
	about = session.Refused(t, r.register(bad), codes.InvalidArgument)
	if !strings.Contains(about.Message(), "quues") {
		t.Errorf("the refusal does not name the key: %v", about)
	}
	good := &public.RegisterResourceManagerRequest{
		Version: "1", PolicyGroup: "default", BuildInfo: map[string]string{"language": "go"}, Config: session.Queues,
		ExtraConfig: map[string]string{"service.schedulingInterval": "1s"},
	}
	if err := r.register(good); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.node("node", 1000)
}

func TestAnAskRunsWithAllThatItSaid(t *testing.T) {
	r := start(t, "")
	r.node("node", 4000)
	r.application("app", func(a *public.AddApplicationRequest) { a.Tags = map[string]string{"team": "red"} })
	wanted := &public.Allocation{
		AllocationKey: "ask", ApplicationID: "app", PartitionName: "default", ResourcePerAlloc: resource(1500), Priority: 7,
		AllocationTags: map[string]string{"kubernetes.io/meta/podName": "pod"}, TaskGroupName: "group", Originator: true,
		PreemptionPolicy: &public.PreemptionPolicy{AllowPreemptSelf: true, AllowPreemptOther: true},
	}
	r.ask("app", "ask", func(a *public.Allocation) { proto.Merge(a, wanted) })
	got := r.runs("ask")
	wanted.NodeID = "node"
	got.ProtoReflect().SetUnknown(nil) // fields of older versions
	if !proto.Equal(got, wanted) {
		t.Errorf("want %v, have %v", wanted, got)
	}
	if since := r.state("app", "Starting").StateTransitionTimestamp; since <= 0 {
		t.Errorf("since %d", since)
	}
}

func TestWhatCannotBeIsRejectedWithReason(t *testing.T) {
	r := start(t, "")
	r.applications.Say(&public.ApplicationRequest{New: []*public.AddApplicationRequest{{
		ApplicationID: "lost", QueueName: "root.nowhere", PartitionName: "default",
		Ugi: &public.UserGroupInformation{User: "somebody"},
	}}})
	no := session.Take(r.applications, "rejection", rejected, func(a *public.RejectedApplication) bool {
		return a.ApplicationID == "lost"
	})
	if no.Reason == "" {
		t.Error("no reason")
	}
	r.node("node", 1000)
	r.sayNode("node", public.NodeInfo_CREATE, resource(1000))
	twice := session.Take(r.nodes, "rejection", rejectedNode, func(n *public.RejectedNode) bool { return n.NodeID == "node" })
	if twice.Reason == "" {
		t.Error("no reason")
	}
	r.ask("lost", "ran", func(a *public.Allocation) { a.NodeID = "node" })
	ran := session.Take(r.allocations, "rejection", refused, func(a *public.RejectedAllocation) bool {
		return a.AllocationKey == "ran" && a.ApplicationID == "lost"
	})
	if ran.Reason == "" {
		t.Error("no reason")
	}
	r.ask("nobody", "ask", nil)
	stray := session.Take(r.allocations, "rejection", refused, func(a *public.RejectedAllocation) bool {
		return a.AllocationKey == "ask" && a.ApplicationID == "nobody"
	})
	if stray.Reason == "" {
		t.Error("no reason")
	}
}

func TestWhatIsReleasedEnds(t *testing.T) {
	r := start(t, "")
	r.node("node", 1000)
	r.application("app", nil)
	r.ask("app", "runs", nil)
	r.runs("runs")
	r.ask("app", "waits", nil)
	r.ask("app", "next", nil)
	r.release("app", "waits", public.TerminationType_STOPPED_BY_RM)
	r.release("app", "runs", public.TerminationType_STOPPED_BY_RM)
	end := r.ends("runs", public.TerminationType_STOPPED_BY_RM)
	if end.ApplicationID != "app" || end.PartitionName != "default" {
		t.Errorf("whose is it? %v", end)
	}
	r.runs("next") // what was withdrawn does not stand before it
	r.applications.Say(&public.ApplicationRequest{
		Remove: []*public.RemoveApplicationRequest{{ApplicationID: "app", PartitionName: "default"}},
	})
	if r.ends("next", public.TerminationType_STOPPED_BY_RM).Message == "" {
		t.Error("a removal says nothing")
	}
}

func TestAnAllocationThatTheRmCouldNotStartIsPlacedAgain(t *testing.T) {
	r := start(t, "")
	r.node("node", 1000)
	r.application("app", nil)
	r.ask("app", "ask", nil)
	r.runs("ask")
	r.release("app", "ask", public.TerminationType_SCHEDULING_FAILED_ON_RM)
	r.runs("ask")
}

func TestNodesComeAndGo(t *testing.T) {
	r := start(t, "")
	r.application("app", nil)
	r.sayNode("node", public.NodeInfo_CREATE_DRAIN, resource(1000))
	r.nodeAccepted("node")
	r.ask("app", "first", nil)
	r.sayNode("node", public.NodeInfo_DRAIN_TO_SCHEDULABLE, nil)
	r.runs("first")
	r.ask("app", "second", nil)
	r.sayNode("node", public.NodeInfo_UPDATE, resource(2000))
	r.runs("second")
	r.sayNode("node", public.NodeInfo_DRAIN_NODE, nil)
	r.node("other", 1000) // by now the first one is drained
	r.release("app", "first", public.TerminationType_STOPPED_BY_RM)
	r.ends("first", public.TerminationType_STOPPED_BY_RM)
	r.ask("app", "third", nil)
	if on := r.runs("third").NodeID; on != "other" {
		t.Errorf("runs on %s, which is drained", on)
	}
	r.sayNode("node", public.NodeInfo_DECOMISSION, nil)
	if end := session.Take(r.allocations, "release", released, func(a *public.AllocationRelease) bool {
		return a.AllocationKey == "second"
	}); end.Message == "" {
		t.Error("nothing says why")
	}
}

func TestWhatOthersRunTakesRoom(t *testing.T) {
	r := start(t, "")
	r.node("node", 1000)
	r.application("app", nil)
	r.ask("", "foreign", func(a *public.Allocation) {
		a.NodeID, a.AllocationTags = "node", map[string]string{"foreign": "default"}
	})
	r.ask("app", "ask", nil)
	r.allocations.Say(&public.AllocationRequest{Releases: &public.AllocationReleasesRequest{
		AllocationsToRelease: []*public.AllocationRelease{{PartitionName: "default", AllocationKey: "foreign"}},
	}})
	r.runs("ask")
	session.Unlike(r.allocations, "told of a foreign allocation", placed, func(a *public.Allocation) bool {
		return a.AllocationKey == "foreign"
	})
}
