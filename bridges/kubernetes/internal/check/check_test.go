// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	authorizationv1 "k8s.io/api/authorization/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/fakeapi"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

// admin takes all queues that are good, of those who know the token.
type admin struct {
	tenonv1.UnimplementedAdminServer
}

func (admin) ValidateConfig(ctx context.Context, asked *tenonv1.ValidateConfigRequest) (*tenonv1.ValidateConfigResponse, error) {
	if said, _ := metadata.FromIncomingContext(ctx); !slices.Equal(said.Get("authorization"), []string{"Bearer the token"}) {
		return nil, status.Error(codes.PermissionDenied, "a wrong token")
	}
	if asked.PolicyGroup != "group" {
		return nil, status.Error(codes.NotFound, "no such group")
	}
	return &tenonv1.ValidateConfigResponse{Success: asked.Config == "good", Reason: "line 1: want good, have " + asked.Config}, nil
}

// healthy gives the address of a scheduler that says how it is, and what it thinks of queues.
func healthy(t *testing.T, how grpc_health_v1.HealthCheckResponse_ServingStatus) string {
	t.Helper()
	address := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	server, answers := grpc.NewServer(), health.NewServer()
	answers.SetServingStatus("", how)
	grpc_health_v1.RegisterHealthServer(server, answers)
	tenonv1.RegisterAdminServer(server, admin{})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return "unix:" + address
}

// checked runs a check of an account that has all rights but one.
func checked(t *testing.T, address, without string, objects ...runtime.Object) (string, bool) {
	t.Helper()
	return checkedWith(t, Options{Address: address}, without, objects...)
}

func checkedWith(t *testing.T, o Options, without string, objects ...runtime.Object) (string, bool) {
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
	o.Client, o.Server, o.Credentials, o.SchedulerName = client, "https://here", insecure.NewCredentials(), "tenon"
	o.Lease, o.LeaseNamespace, o.PolicyGroup = "tenon-kubernetes", "tenon", "group"
	all := Run(t.Context(), &out, o)
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

func TestPodsThatCannotBePlaced_AreNamed(t *testing.T) {
	var objects []runtime.Object
	for i := range 5 {
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: fmt.Sprintf("p%d", i)}, Spec: v1.PodSpec{SchedulerName: "tenon"}}
		if i > 0 {
			pod.Annotations = map[string]string{"yunikorn.apache.org/queue": strings.Repeat("q", 2000)}
		}
		objects = append(objects, pod)
	}
	said, all := checked(t, healthy(t, grpc_health_v1.HealthCheckResponse_SERVING), "", objects...)
	want := "missing  what there is: 4 of them cannot be placed, the first of them team/p1: the queue has a name of 2000 bytes, want at most 1024; "
	if all || !strings.Contains(said, want) || strings.Contains(said, "team/p4") {
		t.Errorf("want %q in\n%s", want, said)
	}
}

func TestVersions_AreThoseOfTheModulesAndTheTwoBefore(t *testing.T) {
	for version, old := range map[string]bool{
		"v1.34.9": true, "v1.9.0": true, "v1.35.0": false, "v1.37.2": false, "v1.38.0-alpha.1": false, "v1.36.1+vendor.3": false, "unknown": false,
	} {
		if err := tooOld(version); old != (err != nil) {
			t.Errorf("%s: %v", version, err)
		}
	}
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(fmt.Sprintf(`k8s\.io/client-go v0\.%d\.`, newest)).Match(text) {
		t.Errorf("go.mod has another client-go than that of 1.%d", newest)
	}
}

func TestQueuesOfAConfigMap_AreGivenToTheScheduler_ToLookAt(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("the token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := healthy(t, grpc_health_v1.HealthCheckResponse_SERVING)
	for name, c := range map[string]struct {
		queues, token, without, text, want string
	}{
		"good":           {"tenon/tenon", token, "", "good", "ok       queues of ConfigMap tenon/tenon\n"},
		"refused":        {"tenon/tenon", token, "", "bad", "missing  queues of ConfigMap tenon/tenon: line 1: want good, have bad\n"},
		"without text":   {"tenon/tenon", token, "", "", "missing  queues of ConfigMap tenon/tenon: it is not there, or has no text under the key queues.yaml\n"},
		"another":        {"tenon/other", token, "", "good", "missing  queues of ConfigMap tenon/other: it is not there, or has no text under the key queues.yaml\n"},
		"no name":        {"tenon", token, "", "good", "missing  queues of ConfigMap tenon: want NAMESPACE/NAME\n"},
		"no token":       {"tenon/tenon", "", "", "good", "a wrong token"},
		"no such token":  {"tenon/tenon", token + "s", "", "good", "missing  queues of ConfigMap tenon/tenon: the admin token: open "},
		"without rights": {"tenon/tenon", token, "watch configmaps", "good", "missing  right: watch configmaps: not allowed"},
	} {
		said, all := checkedWith(t, Options{Address: address, Queues: c.queues, TokenFile: c.token}, c.without, &v1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "tenon", Name: "tenon"}, Data: map[string]string{"queues.yaml": c.text},
		})
		if all != (name == "good") || !strings.Contains(said, c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, said)
		}
	}
}
