// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	typedresourcev1 "k8s.io/client-go/kubernetes/typed/resource/v1"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/bridge"
)

var claimsResource = resourcev1.SchemeGroupVersion.WithResource("resourceclaims")

// hasDevices gives the API server a class of devices, and versions for claims as a real one has them: a claim that is written
// as it was before the last write is refused.
func (s *apiServer) hasDevices(extended string) {
	s.t.Helper()
	s.class("gpu", extended)
	var versions atomic.Int64
	s.PrependReactor("create", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		claim := action.(clienttesting.CreateAction).GetObject().(*resourcev1.ResourceClaim).DeepCopy()
		claim.UID, claim.ResourceVersion = s.uid(), strconv.FormatInt(versions.Add(1), 10)
		if claim.Name == "" {
			claim.Name = claim.GenerateName + string(claim.UID)
		}
		return true, claim, s.Tracker.Create(claimsResource, claim, claim.Namespace)
	})
	s.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		s.lock.Lock()
		defer s.lock.Unlock()
		claim := action.(clienttesting.UpdateAction).GetObject().(*resourcev1.ResourceClaim).DeepCopy()
		now, err := s.Tracker.Get(claimsResource, claim.Namespace, claim.Name)
		if err != nil {
			return true, nil, err
		}
		if now.(*resourcev1.ResourceClaim).ResourceVersion != claim.ResourceVersion {
			return true, nil, apierrors.NewConflict(claimsResource.GroupResource(), claim.Name, errors.New("it is another by now"))
		}
		claim.ResourceVersion = strconv.FormatInt(versions.Add(1), 10)
		return true, claim, s.Tracker.Update(claimsResource, claim, claim.Namespace)
	})
}

func (s *apiServer) class(name, extended string) {
	s.t.Helper()
	class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name, UID: s.uid()}, Spec: resourcev1.DeviceClassSpec{
		Selectors: []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "example.com"`}}}}}
	if extended != "" {
		class.Spec.ExtendedResourceName = &extended
	}
	must(s.t, s.Tracker.Add(class))
}

// devices gives a node some.
func (s *apiServer) devices(node string, names ...string) {
	s.t.Helper()
	slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "of-" + node, UID: s.uid(), ResourceVersion: "1"}, Spec: resourcev1.ResourceSliceSpec{
		Driver: "example.com", NodeName: &node, Pool: resourcev1.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}}}
	for _, name := range names {
		slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: name})
	}
	must(s.t, s.Tracker.Add(slice))
}

// claim makes one of a device.
func (s *apiServer) claim(name string, change ...func(*resourcev1.ResourceClaim)) *resourcev1.ResourceClaim {
	s.t.Helper()
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: s.uid(), ResourceVersion: "0"}, Spec: resourcev1.ResourceClaimSpec{
		Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: "one", Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}}}}}}
	for _, change := range change {
		change(claim)
	}
	must(s.t, s.Tracker.Add(claim))
	return claim
}

func (s *apiServer) claimNow(name string) *resourcev1.ResourceClaim {
	s.t.Helper()
	object, err := s.Tracker.Get(claimsResource, namespace, name)
	must(s.t, err)
	return object.(*resourcev1.ResourceClaim)
}

func claiming(name string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		cores("100m")(pod)
		pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &name}}
	}
}

// extended wants some of a kind of resources.
func extended(kind, amount string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Containers[0].Resources.Requests[v1.ResourceName(kind)] = resource.MustParse(amount)
	}
}

func TestPodsThatShareAClaim_AllRun(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.hasDevices("")
	s.node("device", 4)
	s.devices("device", "gpu-0")
	bridged(t, s, d)
	s.claim("shared")
	for i := range 10 {
		s.pod(fmt.Sprintf("p%d", i), claiming("shared"))
	}
	s.until("all run", func() bool { return s.running() == 10 })
	if reserved := s.claimNow("shared").Status.ReservedFor; len(reserved) != 10 {
		t.Errorf("the claim is reserved for %v", reserved)
	}
}

func TestAClaimOfATemplate_IsWaitedForWithoutAQuestionAboutNodes(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.hasDevices("")
	for i := range 20 {
		s.node(fmt.Sprintf("n%02d", i), 4)
	}
	s.devices("n07", "gpu-0")
	r := bridged(t, s, d)
	template := "one-gpu"
	pod := s.pod("first", func(pod *v1.Pod) {
		pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: &template}}
	})
	s.until("it says why it waits", func() bool { return len(s.get("first").Status.Conditions) > 0 })
	made, yes := "first-gpu", true
	s.change("first", func(pod *v1.Pod) { // the claim comes after the pod that names it
		pod.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: &made}}
	})
	time.Sleep(50 * time.Millisecond)
	s.claim(made, func(claim *resourcev1.ResourceClaim) {
		claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "first", UID: pod.UID, Controller: &yes}}
	})
	s.on([]string{"n07"}, "first")
	if refused := r.refusedChecks(); refused > 19 {
		t.Errorf("%d nodes were refused", refused)
	}
}

func TestAnExtendedResource_ThatAClassProvides_IsAllocatedByAClaim(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.hasDevices("example.com/gpu")
	s.node("plain", 4)
	s.node("device", 4)
	s.devices("device", "gpu-0", "gpu-1")
	bridged(t, s, d)
	s.pod("two", extended("example.com/gpu", "2"))
	s.on([]string{"device"}, "two")
	claims := s.extendedClaims()
	if len(claims) != 1 || len(claims[0].Status.Allocation.Devices.Results) != 2 {
		t.Errorf("have %v", claims)
	}
	if status := s.get("two").Status.ExtendedResourceClaimStatus; status == nil || status.ResourceClaimName != claims[0].Name {
		t.Errorf("the pod says %v", status)
	}
	s.pod("third", extended("example.com/gpu", "1"))
	s.says("third", "0/2 nodes are available: 2 cannot allocate all claims.")
	s.node("other", 4)
	s.devices("other", "gpu-0")
	s.on([]string{"other"}, "third")
}

func TestAnExtendedResource_OfAClassThatComesLater_IsWaitedFor(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.hasDevices("")
	s.node("device", 4)
	s.devices("device", "gpu-0")
	bridged(t, s, d)
	s.pod("first", extended("example.com/gpu", "1"))
	s.says("first", "0/1 nodes are available: 1 Insufficient example.com/gpu. Tenon: No node has example.com/gpu; the pod is asked for when one has.")
	s.class("new", "example.com/gpu")
	s.on([]string{"device"}, "first")
}

func TestAnExtendedResourceOfWhatRuns_Counts_OnceNoClassProvidesItAnyLonger(t *testing.T) {
	const kind = "example.com/gpu"
	s, d := newAPIServer(t), serveQueues(t, strings.Replace(queues, "- name: work", "- { name: work, resources: { max: { "+kind+": 1 } } }", 1))
	s.hasDevices(kind)
	for _, name := range []string{"one", "two"} {
		s.node(name, 4, func(node *v1.Node) { node.Status.Allocatable[kind] = resource.MustParse("1") })
	}
	bridged(t, s, d, controlled(d))
	s.pod("runs", wants(kind))
	s.on([]string{"one", "two"}, "runs")
	if have := d.allocated(); have[kind] != 0 {
		t.Errorf("the queue counts what a class provides: %v", have)
	}
	must(t, s.Tracker.Delete(resourcev1.SchemeGroupVersion.WithResource("deviceclasses"), "", "gpu"))
	s.pod("waits", wants(kind))
	s.until("the scheduler has an ask of it", func() bool { return d.waits(s.get("waits").UID) })
	s.says("waits", "1/2 nodes have room; the pod waits for its turn, or for a limit of its queue root.work or user")
	s.class("again", kind)
	s.on([]string{"one", "two"}, "waits")
	s.until("the queue counts nothing of it", func() bool { return d.allocated()[kind] == 0 })
}

func TestAClaimThatIsAllocatedWhereItsPodMayNotRun_IsAllocatedAnew(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.hasDevices("")
	s.node("one", 1)
	s.node("two", 1)
	s.devices("one", "gpu-0")
	s.devices("two", "gpu-0")
	s.pod("beside", selector(v1.LabelHostname, "one"))
	s.claim("mine", func(claim *resourcev1.ResourceClaim) {
		claim.Status.Allocation = &resourcev1.AllocationResult{
			Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{{
				Request: "one", Driver: "example.com", Pool: "one", Device: "gpu-0"}}},
			NodeSelector: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{
				Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{"one"}}}}}},
		}
	})
	bridged(t, s, d)
	s.on([]string{"one"}, "beside")
	s.pod("first", claiming("mine"))
	s.on([]string{"two"}, "first")
}

func TestAClaimThatIsLeftOfAnAttemptThatFailed_IsMadeAnew(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.hasDevices("example.com/gpu")
	s.node("device", 4)
	s.devices("device", "gpu-0")
	pod := s.pod("first", extended("example.com/gpu", "1"))
	yes := true
	s.claim("first-extended-resources-old", func(claim *resourcev1.ResourceClaim) {
		claim.Annotations = map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"}
		claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "first", UID: pod.UID, Controller: &yes}}
	})
	bridged(t, s, d)
	s.on([]string{"device"}, "first")
}

// heldUp is an API server that does not answer patches of claims while it is held.
type heldUp struct {
	*apiServer
	held chan struct{} // closed: it answers
}

func (s heldUp) ResourceV1() typedresourcev1.ResourceV1Interface {
	return heldUpResources{s.apiServer.ResourceV1(), s.held}
}

type heldUpResources struct {
	typedresourcev1.ResourceV1Interface
	held chan struct{}
}

func (r heldUpResources) ResourceClaims(namespace string) typedresourcev1.ResourceClaimInterface {
	return heldUpClaims{r.ResourceV1Interface.ResourceClaims(namespace), r.held}
}

type heldUpClaims struct {
	typedresourcev1.ResourceClaimInterface
	held chan struct{}
}

func (c heldUpClaims) Patch(ctx context.Context, name string, kind types.PatchType, change []byte, options metav1.PatchOptions, parts ...string) (*resourcev1.ResourceClaim, error) {
	<-c.held
	return c.ResourceClaimInterface.Patch(ctx, name, kind, change, options, parts...)
}

func TestAClaimThatIsGivenBack_HoldsUpNobody(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.hasDevices("")
	s.node("device", 4)
	s.devices("device", "gpu-0")
	held := make(chan struct{})
	bridged(t, s, d, func(options *bridge.Options) { options.Client = heldUp{s, held} })
	answer := sync.OnceFunc(func() { close(held) })
	t.Cleanup(answer)
	s.lock.Lock()
	s.refusals = 1
	s.lock.Unlock()
	s.claim("mine")
	s.pod("first", claiming("mine")) // its binding fails, and the claim is given back
	s.until("the binding was refused", func() bool {
		s.lock.Lock()
		defer s.lock.Unlock()
		return s.refusals == 0
	})
	s.pod("beside")
	s.on([]string{"device"}, "beside")
	s.stillWait("first")
	answer()
	s.on([]string{"device"}, "first")
}

// extendedClaims are those that stand for extended resources of pods.
func (s *apiServer) extendedClaims() []resourcev1.ResourceClaim {
	s.t.Helper()
	object, err := s.Tracker.List(claimsResource, resourcev1.SchemeGroupVersion.WithKind("ResourceClaim"), namespace)
	must(s.t, err)
	var all []resourcev1.ResourceClaim
	for _, claim := range object.(*resourcev1.ResourceClaimList).Items {
		if claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true" {
			all = append(all, claim)
		}
	}
	return all
}

// refusedChecks counts the nodes that the bridge refused.
func (r *running) refusedChecks() int {
	families, err := r.Metrics.Registry.Gather()
	if err != nil {
		return -1
	}
	for _, family := range families {
		for _, one := range family.GetMetric() {
			for _, label := range one.GetLabel() {
				if family.GetName() == "tenon_kubernetes_checks_total" && label.GetValue() == "refused" {
					return int(one.GetCounter().GetValue())
				}
			}
		}
	}
	return 0
}
