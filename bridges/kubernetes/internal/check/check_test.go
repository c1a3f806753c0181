// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/fakeapi"
)

// healthy gives the address of a scheduler that says how it is, and nothing else.
func healthy(t *testing.T, status grpc_health_v1.HealthCheckResponse_ServingStatus) string {
	t.Helper()
	address := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	server, answers := grpc.NewServer(), health.NewServer()
	answers.SetServingStatus("", status)
	grpc_health_v1.RegisterHealthServer(server, answers)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return "unix:" + address
}

// checked runs a check of an account that has all rights but one.
func checked(t *testing.T, address, without string, objects ...runtime.Object) (string, bool) {
	t.Helper()
	client, err := fakeapi.New(objects...)
	if err != nil {
		t.Fatal(err)
	}
	client.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview).DeepCopy()
		asked := review.Spec.ResourceAttributes
		right := Right{Verb: asked.Verb, Group: asked.Group, Resource: asked.Resource}
		if asked.Subresource != "" {
			right.Resource += "/" + asked.Subresource
		}
		review.Status.Allowed = right.String() != without
		return true, review, nil
	})
	var out strings.Builder
	all := Run(t.Context(), &out, Options{
		Client: client, Server: "https://here", Address: address, Credentials: insecure.NewCredentials(), SchedulerName: "tenon",
		Lease: "tenon-kubernetes", LeaseNamespace: "tenon",
	})
	return out.String(), all
}

func TestAllIsThere_IsSaid(t *testing.T) {
	said, all := checked(t, healthy(t, grpc_health_v1.HealthCheckResponse_SERVING), "")
	if !all || strings.Contains(said, "missing") {
		t.Error(said)
	}
	for _, line := range []string{
		"ok       scheduler unix:", "ok       API server https://here: " + fakeapi.Version, fmt.Sprintf("ok       rights: all %d", len(Rights)+3),
		"0 nodes, 0 pods of schedulerName tenon, 0 of them without node",
	} {
		if !strings.Contains(said, line) {
			t.Errorf("want %q in\n%s", line, said)
		}
	}
}

func TestRightThatIsMissing_IsNamed(t *testing.T) {
	for _, right := range []string{"patch pods/status", "update leases.coordination.k8s.io", "patch events.events.k8s.io"} {
		said, all := checked(t, healthy(t, grpc_health_v1.HealthCheckResponse_SERVING), right)
		if all || strings.Count(said, "missing") != 1 || !strings.Contains(said, "missing  right: "+right) {
			t.Errorf("want that %s is missing in\n%s", right, said)
		}
	}
}

func TestSchedulerThatDoesNotServe_IsMissing(t *testing.T) {
	for _, address := range []string{healthy(t, grpc_health_v1.HealthCheckResponse_NOT_SERVING), "unix:" + filepath.Join(t.TempDir(), "none")} {
		if said, all := checked(t, address, ""); all || !strings.Contains(said, "missing  scheduler "+address) {
			t.Error(said)
		}
	}
}

func TestPodsOfTheScheduler_AreCounted(t *testing.T) {
	var objects []runtime.Object
	for name, scheduler := range map[string]string{"one": "tenon", "two": "tenon", "other": "another"} {
		objects = append(objects, &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}, Spec: v1.PodSpec{SchedulerName: scheduler},
		})
	}
	said, all := checked(t, healthy(t, grpc_health_v1.HealthCheckResponse_SERVING), "", objects...)
	if want := "2 pods of schedulerName tenon, 2 of them without node"; !all || !strings.Contains(said, want) {
		t.Errorf("want %q in\n%s", want, said)
	}
}
