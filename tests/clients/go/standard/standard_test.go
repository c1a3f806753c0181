// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package standard has what clients ask that are no resource managers: is it healthy, what can it do, and what an
// operator does.
package standard

//lint:file-ignore SA1019 older clients ask by the older protocol of reflection

import (
	"context"
	"os"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1"
	alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"tenon.invalid/clients/public"
	"tenon.invalid/clients/session"
	_ "tenon.invalid/proto/tenon/si/v1later" // for reflection to be compared with
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

var (
	daemon *session.Daemon
	book   = session.NewBook(session.Older)
)

func TestMain(m *testing.M) {
	os.Exit(session.Main(m, "", book, func(d *session.Daemon) { daemon = d }, func() []string {
		return book.Absent(tenonv1.File_tenon_v1_admin_proto.Services().ByName("Admin"), "tenon.v1.StepResponse.decisions", "tenon.v1.StepResponse")
	}))
}

var services = []string{
	"si.v1.Scheduler", "tenon.si.v1later.Scheduler", "tenon.v1.Admin", "tenon.v1.Checks", "tenon.v1.Configuration", "tenon.v1.Recovery",
	"tenon.v1.Reports",
	"tenon.v1.WhatIf",
	"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
}

func TestHealthIsAskedAndWatched(t *testing.T) {
	client := health.NewHealthClient(daemon.Connect(t, book))
	for _, service := range append([]string{""}, services[:6]...) {
		answer, err := client.Check(session.Context(t), &health.HealthCheckRequest{Service: service})
		if err != nil || answer.Status != health.HealthCheckResponse_SERVING {
			t.Errorf("%q is %v, %v", service, answer, err)
		}
		watched, err := client.Watch(session.Context(t), &health.HealthCheckRequest{Service: service})
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := watched.Recv(); err != nil || answer.Status != health.HealthCheckResponse_SERVING {
			t.Errorf("%q is %v, %v", service, answer, err)
		}
	}
	_, err := client.Check(session.Context(t), &health.HealthCheckRequest{Service: "nothing"})
	session.Refused(t, err, codes.NotFound)
}

// described gives what reflection says of a service and all that it needs, as one set of files.
func described(t *testing.T, ask func(*reflection.ServerReflectionRequest) *reflection.ServerReflectionResponse, service string) protoreflect.ServiceDescriptor {
	t.Helper()
	answer := ask(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: service},
	})
	set := &descriptorpb.FileDescriptorSet{}
	for _, bytes := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
		file := &descriptorpb.FileDescriptorProto{}
		if err := proto.Unmarshal(bytes, file); err != nil {
			t.Fatal(err)
		}
		set.File = append(set.File, file)
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatalf("the files of %s do not fit together: %v", service, err)
	}
	found, err := files.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		t.Fatal(err)
	}
	return found.(protoreflect.ServiceDescriptor)
}

func TestReflectionDescribesEachService(t *testing.T) {
	stream, err := reflection.NewServerReflectionClient(daemon.Connect(t, book)).ServerReflectionInfo(session.Context(t))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(question *reflection.ServerReflectionRequest) *reflection.ServerReflectionResponse {
		if err := stream.Send(question); err != nil {
			t.Fatal(err)
		}
		answer, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	listed := map[string]bool{}
	for _, each := range ask(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_ListServices{},
	}).GetListServicesResponse().GetService() {
		listed[each.Name] = true
	}
	for _, service := range services {
		if !listed[service] {
			t.Errorf("%s is not listed", service)
		}
		found := described(t, ask, service)
		// What this program was made of says the same, but for the interface, which is here in its present version.
		known, err := protoregistry.GlobalFiles.FindDescriptorByName(found.FullName())
		if err != nil || strings.HasPrefix(service, "si.v1.") {
			continue
		}
		methods := known.(protoreflect.ServiceDescriptor).Methods()
		if strings.HasPrefix(service, "tenon.") && methods.Len() != found.Methods().Len() {
			t.Errorf("%s has %d methods, not %d", service, found.Methods().Len(), methods.Len())
		}
		for i := range found.Methods().Len() {
			have := found.Methods().Get(i)
			same(t, have.Input(), methods.ByName(have.Name()).Input())
			same(t, have.Output(), methods.ByName(have.Name()).Output())
		}
	}
	question := &reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "nothing"},
	}
	if refusal := ask(question).GetErrorResponse(); codes.Code(refusal.GetErrorCode()) != codes.NotFound {
		t.Errorf("of nothing it says %v", refusal)
	}
}

// same wants two descriptions of a message to have the same fields.
func same(t *testing.T, have, want protoreflect.MessageDescriptor) {
	t.Helper()
	if have.FullName() != want.FullName() || have.Fields().Len() != want.Fields().Len() {
		t.Errorf("%s has %d fields, %s has %d", have.FullName(), have.Fields().Len(), want.FullName(), want.Fields().Len())
		return
	}
	for i := range want.Fields().Len() {
		one, other := want.Fields().Get(i), have.Fields().ByNumber(want.Fields().Get(i).Number())
		if other == nil || other.Name() != one.Name() || other.Kind() != one.Kind() || other.Cardinality() != one.Cardinality() {
			t.Errorf("want %v, have %v", one, other)
		} else if one.Message() != nil && !one.IsMap() && one.Message() != want {
			same(t, other.Message(), one.Message())
		}
	}
}

func TestReflectionOfTheOlderProtocolListsTheSame(t *testing.T) {
	stream, err := alpha.NewServerReflectionClient(daemon.Connect(t, book)).ServerReflectionInfo(session.Context(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&alpha.ServerReflectionRequest{MessageRequest: &alpha.ServerReflectionRequest_ListServices{}}); err != nil {
		t.Fatal(err)
	}
	answer, err := stream.Recv()
	if err != nil || len(answer.GetListServicesResponse().GetService()) != len(services) {
		t.Errorf("have %v, %v", answer, err)
	}
}

// operator is a context with the token.
func operator(t *testing.T, token string) context.Context {
	return metadata.AppendToOutgoingContext(session.Context(t), "authorization", "Bearer "+token)
}

func TestAnOperatorNeedsTheToken(t *testing.T) {
	admin := tenonv1.NewAdminClient(daemon.Connect(t, book))
	_, err := admin.Step(session.Context(t), &tenonv1.StepRequest{})
	session.Refused(t, err, codes.Unauthenticated)
	_, err = admin.Step(operator(t, "another one of the same length"), &tenonv1.StepRequest{})
	session.Refused(t, err, codes.PermissionDenied)
}

func register(t *testing.T, connection *grpc.ClientConn, more map[string]string) {
	t.Helper()
	_, err := public.NewSchedulerClient(connection).RegisterResourceManager(session.Context(t),
		&public.RegisterResourceManagerRequest{RmID: t.Name(), ExtraConfig: more})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAConfigurationIsTriedAndUsed(t *testing.T) {
	connection := daemon.Connect(t, book)
	register(t, connection, nil)
	admin := tenonv1.NewAdminClient(connection)
	other := strings.Replace(session.Queues, "vcore: 2", "vcore: 3", 1)
	tried, err := admin.ValidateConfig(operator(t, session.Token), &tenonv1.ValidateConfigRequest{
		RmID: t.Name(), PolicyGroup: "default", Config: other,
	})
	if err != nil || !tried.Success || tried.Checksum == "" || tried.OldConfig != session.Queues {
		t.Fatalf("have %v, %v", tried, err)
	}
	tried, err = admin.ValidateConfig(operator(t, session.Token), &tenonv1.ValidateConfigRequest{
		RmID: t.Name(), Config: "partitions: 7",
	})
	if err != nil || tried.Success || tried.Reason == "" {
		t.Fatalf("have %v, %v", tried, err)
	}
	used, err := admin.UpdateConfig(operator(t, session.Token), &tenonv1.UpdateConfigRequest{RmID: t.Name(), Config: other})
	if err != nil || !used.Success || used.Checksum == "" || used.OldConfig != session.Queues {
		t.Fatalf("have %v, %v", used, err)
	}
	used, err = admin.UpdateConfig(operator(t, session.Token), &tenonv1.UpdateConfigRequest{PolicyGroup: "default", Config: "partitions: 7"})
	if err != nil || used.Success || used.Reason == "" {
		t.Fatalf("have %v, %v", used, err)
	}
	more := map[string]string{"log.level": "DEBUG"}
	tried, err = admin.ValidateConfig(operator(t, session.Token), &tenonv1.ValidateConfigRequest{RmID: t.Name(), Config: other, ExtraConfig: more})
	if err != nil || !tried.Success {
		t.Fatalf("have %v, %v", tried, err)
	}
	used, err = admin.UpdateConfig(operator(t, session.Token), &tenonv1.UpdateConfigRequest{RmID: t.Name(), Config: other, ExtraConfig: more})
	if err != nil || !used.Success || len(used.Warnings) == 0 {
		t.Fatalf("have %v, %v", used, err)
	}
	_, err = admin.UpdateConfig(operator(t, session.Token), &tenonv1.UpdateConfigRequest{RmID: "nobody"})
	session.Refused(t, err, codes.NotFound)
}

// What was sent stays until the file changes, or until somebody wants the file all the same.
func TestTheFileIsReadAgainInPlaceOfWhatWasSent(t *testing.T) {
	connection := daemon.Connect(t, book)
	register(t, connection, nil)
	admin := tenonv1.NewAdminClient(connection)
	other := strings.Replace(session.Queues, "vcore: 2", "vcore: 4", 1)
	_, err := admin.UpdateConfig(operator(t, session.Token), &tenonv1.UpdateConfigRequest{PolicyGroup: "default", Config: other})
	if err != nil {
		t.Fatal(err)
	}
	_, err = admin.UpdateConfig(operator(t, session.Token), &tenonv1.UpdateConfigRequest{PolicyGroup: "default"})
	session.Refused(t, err, codes.FailedPrecondition)
	forced, err := admin.UpdateConfig(operator(t, session.Token), &tenonv1.UpdateConfigRequest{PolicyGroup: "default", Force: true})
	if err != nil || !forced.Success || forced.OldConfig != other {
		t.Fatalf("have %v, %v", forced, err)
	}
}

func TestTheRecoveryOfAnRmIsOver(t *testing.T) {
	connection := daemon.Connect(t, book)
	register(t, connection, map[string]string{"recovery.hold": "true"})
	scheduler := public.NewSchedulerClient(connection)
	nodes := session.Open(t, scheduler.UpdateNode, &public.NodeRequest{RmID: t.Name(), Nodes: []*public.NodeInfo{{
		NodeID: "node", Action: public.NodeInfo_CREATE,
		SchedulableResource: &public.Resource{Resources: map[string]*public.Quantity{"vcore": {Value: 1000}}},
	}}})
	session.Take(nodes, "a node", func(a *public.NodeResponse) *[]*public.AcceptedNode { return &a.Accepted },
		func(*public.AcceptedNode) bool { return true })
	applications := session.Open(t, scheduler.UpdateApplication, &public.ApplicationRequest{RmID: t.Name(),
		New: []*public.AddApplicationRequest{{
			ApplicationID: "app", QueueName: "root.work", PartitionName: "default",
			Ugi: &public.UserGroupInformation{User: "somebody"},
		}}})
	session.Take(applications, "an application", func(a *public.ApplicationResponse) *[]*public.AcceptedApplication { return &a.Accepted },
		func(*public.AcceptedApplication) bool { return true })
	allocations := session.Open(t, scheduler.UpdateAllocation, &public.AllocationRequest{RmID: t.Name(),
		Allocations: []*public.Allocation{{
			AllocationKey: "ask", ApplicationID: "app", PartitionName: "default",
			ResourcePerAlloc: &public.Resource{Resources: map[string]*public.Quantity{"vcore": {Value: 1000}}},
		}}})
	admin := tenonv1.NewAdminClient(connection)
	_, err := admin.RecoveryDone(operator(t, session.Token), &tenonv1.RecoveryDoneRequest{RmID: "nobody"})
	session.Refused(t, err, codes.NotFound)
	if _, err := admin.RecoveryDone(operator(t, session.Token), &tenonv1.RecoveryDoneRequest{RmID: t.Name()}); err != nil {
		t.Fatal(err)
	}
	session.Take(allocations, "an allocation", func(a *public.AllocationResponse) *[]*public.Allocation { return &a.New },
		func(a *public.Allocation) bool { return a.AllocationKey == "ask" })
}

func TestWhoStepsByItselfIsNotStepped(t *testing.T) {
	connection := daemon.Connect(t, book)
	register(t, connection, nil)
	admin := tenonv1.NewAdminClient(connection)
	_, err := admin.Step(operator(t, session.Token), &tenonv1.StepRequest{Partition: "[" + t.Name() + "]default", Most: 3})
	session.Refused(t, err, codes.FailedPrecondition) // it makes them by itself
}
