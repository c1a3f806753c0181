// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package check says whether a bridge could work: whether API server and scheduler answer, whether it has the rights that
// it needs, and what it would find. It changes nothing on either side.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"tenon.invalid/kubernetes/internal/queues"
	"tenon.invalid/kubernetes/internal/translate"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

const (
	within = 10 * time.Second // of each question
	page   = 500              // pods of one answer
	named  = 3                // pods of which is said that they cannot be placed, of all of them

	newest = 37 // minor version of Kubernetes whose modules this is built of
	oldest = newest - 2
)

// Options of a check: those of the bridge.
type Options struct {
	Client                kubernetes.Interface
	Server                string // for people
	Address               string // the scheduler's
	Credentials           credentials.TransportCredentials
	SchedulerName         string
	Lease, LeaseNamespace string // without a lease its rights are not needed
	Queues                string // NAMESPACE/NAME of the ConfigMap with queues; empty: none
	TokenFile             string // for those
	PolicyGroup           string
}

// Right is one that a bridge has to have.
type Right struct {
	Verb, Group, Resource, Namespace, Name string
}

// Rights are all those that a bridge has to have in the whole cluster.
var Rights = slices.Concat(
	rights("", "nodes", "list", "watch"),
	rights("", "namespaces", "list", "watch"),
	rights("scheduling.k8s.io", "priorityclasses", "list", "watch"),
	rights("scheduling.k8s.io", "podgroups", "list", "watch"),
	rights("scheduling.k8s.io", "podgroups/status", "patch"),
	rights("", "pods", "list", "watch", "get", "create", "delete"),
	rights("", "pods/binding", "create"),
	rights("", "pods/eviction", "create"),
	rights("", "pods/status", "patch"),
	rights("events.k8s.io", "events", "create", "patch"),
	rights("", "persistentvolumeclaims", "list", "watch", "update"),
	rights("", "persistentvolumes", "list", "watch", "update"),
	rights("storage.k8s.io", "storageclasses", "list", "watch"),
	rights("storage.k8s.io", "csinodes", "list", "watch"),
	rights("storage.k8s.io", "csidrivers", "list", "watch"),
	rights("storage.k8s.io", "csistoragecapacities", "list", "watch"),
	rights("storage.k8s.io", "volumeattachments", "list", "watch"),
	rights("resource.k8s.io", "resourceclaims", "list", "watch", "get", "create", "update", "delete"),
	rights("resource.k8s.io", "resourceclaims/status", "update", "patch"),
	rights("resource.k8s.io", "resourceclaims/binding", "update", "patch"),
	rights("resource.k8s.io", "resourceslices", "list", "watch"),
	rights("resource.k8s.io", "deviceclasses", "list", "watch"),
	rights("resource.k8s.io", "devicetaintrules", "list", "watch"),
)

func rights(group, resource string, verbs ...string) []Right {
	var all []Right
	for _, verb := range verbs {
		all = append(all, Right{Verb: verb, Group: group, Resource: resource})
	}
	return all
}

func (r Right) String() string {
	name := r.Resource
	if r.Group != "" {
		name += "." + r.Group
	}
	return r.Verb + " " + name
}

// Run writes a line for each thing, and is true where nothing is missing.
func Run(ctx context.Context, out io.Writer, o Options) bool {
	all := true
	say := func(err error, what string) bool {
		if err != nil {
			all = false
			fmt.Fprintf(out, "missing  %s: %v\n", what, err)
			return false
		}
		fmt.Fprintf(out, "ok       %s\n", what)
		return true
	}
	say(serving(ctx, o), "scheduler "+o.Address)
	asking, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	version, err := o.Client.Discovery().ServerVersionWithContext(asking)
	if err != nil {
		say(err, "API server "+o.Server)
		return false
	}
	say(tooOld(version.GitVersion), fmt.Sprintf("API server %s: %s", o.Server, version.GitVersion))
	rights := slices.Clone(Rights)
	if o.Lease != "" {
		lease := Right{Group: "coordination.k8s.io", Resource: "leases", Namespace: o.LeaseNamespace}
		for _, verb := range []string{"create", "get", "update"} {
			right := lease
			right.Verb = verb
			if verb != "create" {
				right.Name = o.Lease
			}
			rights = append(rights, right)
		}
	}
	namespace, name, found := strings.Cut(o.Queues, "/")
	if found {
		for _, verb := range []string{"list", "watch"} {
			rights = append(rights, Right{Verb: verb, Resource: "configmaps", Namespace: namespace, Name: name})
		}
	}
	missing := 0
	for _, right := range rights {
		if err := allowed(ctx, o.Client, right); err != nil {
			missing++
			say(err, "right: "+right.String())
		}
	}
	if missing > 0 {
		return false
	}
	say(nil, fmt.Sprintf("rights: all %d", len(rights)))
	if o.Queues != "" {
		say(queuesTaken(ctx, o, namespace, name), "queues of ConfigMap "+o.Queues)
	}
	say(find(ctx, out, o), "what there is")
	return all
}

// tooOld is an error of a version that lacks what the bridge uses. One that cannot be read is not looked at.
func tooOld(version string) error {
	var minor int
	if _, err := fmt.Sscanf(version, "v1.%d", &minor); err == nil && minor < oldest {
		return fmt.Errorf("want 1.%d or newer", oldest)
	}
	return nil
}

// queuesTaken asks the scheduler whether it would use the queues of a ConfigMap.
func queuesTaken(ctx context.Context, o Options, namespace, name string) error {
	if name == "" {
		return errors.New("want NAMESPACE/NAME")
	}
	ctx, cancel := context.WithTimeout(ctx, 2*within)
	defer cancel()
	one := fields.OneTermEqualSelector("metadata.name", name).String() // the bridge may list it, and not get it
	list, err := o.Client.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{FieldSelector: one})
	if err != nil {
		return err
	}
	text := ""
	for i := range list.Items {
		if list.Items[i].Name == name {
			text = list.Items[i].Data[queues.Key]
		}
	}
	if text == "" {
		return fmt.Errorf("it is not there, or has no text under the key %s", queues.Key)
	}
	connection, err := grpc.NewClient(o.Address, grpc.WithTransportCredentials(o.Credentials))
	if err != nil {
		return err
	}
	defer connection.Close()
	if ctx, err = queues.WithToken(ctx, o.TokenFile); err != nil {
		return err
	}
	answer, err := tenonv1.NewAdminClient(connection).ValidateConfig(ctx, &tenonv1.ValidateConfigRequest{PolicyGroup: o.PolicyGroup, Config: text})
	if err != nil {
		return err
	}
	if !answer.Success {
		return errors.New(answer.Reason)
	}
	return nil
}

// serving asks the scheduler's health service.
func serving(ctx context.Context, o Options) error {
	connection, err := grpc.NewClient(o.Address, grpc.WithTransportCredentials(o.Credentials))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	answer, err := grpc_health_v1.NewHealthClient(connection).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		return err
	}
	if answer.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		return fmt.Errorf("it says %s", answer.Status)
	}
	return nil
}

func allowed(ctx context.Context, client kubernetes.Interface, right Right) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	resource, part, _ := strings.Cut(right.Resource, "/")
	answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: right.Verb, Group: right.Group, Resource: resource, Subresource: part, Namespace: right.Namespace, Name: right.Name,
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if !answer.Status.Allowed {
		return fmt.Errorf("not allowed; deploy/rbac.yaml has it")
	}
	return nil
}

// find counts nodes and pods.
func find(ctx context.Context, out io.Writer, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, 6*within)
	defer cancel()
	nodes := 0
	for options := (metav1.ListOptions{Limit: page}); ; {
		list, err := o.Client.CoreV1().Nodes().List(ctx, options)
		if err != nil {
			return err
		}
		nodes += len(list.Items)
		if options.Continue = list.Continue; options.Continue == "" {
			break
		}
	}
	pods, without := 0, 0
	var wrong []string
	for options := (metav1.ListOptions{Limit: page}); ; {
		list, err := o.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, options)
		if err != nil {
			return err
		}
		for i := range list.Items {
			pod := &list.Items[i]
			if pod.Spec.SchedulerName != o.SchedulerName || translate.Finished(pod) {
				continue
			}
			pods++
			if pod.Spec.NodeName == "" {
				without++
			}
			if err := translate.Wrong(pod); err != nil {
				wrong = append(wrong, fmt.Sprintf("%s/%s: %v", pod.Namespace, pod.Name, err))
			}
		}
		if options.Continue = list.Continue; options.Continue == "" {
			break
		}
	}
	fmt.Fprintf(out, "         %d nodes, %d pods of schedulerName %s, %d of them without node\n", nodes, pods, o.SchedulerName, without)
	if len(wrong) > 0 {
		return fmt.Errorf("%d of them cannot be placed, the first of them %s", len(wrong), strings.Join(wrong[:min(named, len(wrong))], "; "))
	}
	return nil
}
