// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/fakeapi"
)

const namespace = "team"

// apiServer is client-go's fake of one, with bindings and evictions, which it does not have, and with a count of watches:
// what is made between its list and its watch would be lost. Tests change the cluster by the tracker: what the clientset
// was asked for is the bridge's alone.
type apiServer struct {
	*fakeapi.Clientset
	t       *testing.T
	watches atomic.Int32

	lock     sync.Mutex
	made     int
	bound    map[types.UID]string // by whom a pod was bound first
	refusals int                  // of the next bindings
	spared   bool                 // no pod may be evicted
	wrong    []error              // bindings that must not be
	open     []*lossyWatch        // watches that may still miss what happens
}

// lossyWatch is a watch that can stop delivering events without ending.
type lossyWatch struct {
	watch.Interface
	events chan watch.Event
	misses atomic.Bool
}

func (w *lossyWatch) ResultChan() <-chan watch.Event { return w.events }

// lossy registers a watch for missing.
func (s *apiServer) lossy(inner watch.Interface) watch.Interface {
	w := &lossyWatch{Interface: inner, events: make(chan watch.Event, 1000)}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.open = append(s.open, w)
	go func() {
		for event := range inner.ResultChan() {
			if !w.misses.Load() {
				w.events <- event
			}
		}
	}()
	return w
}

// missing lets all open watches miss what happens, and then expire. It returns once each kind is watched again; by then it was
// listed, too.
func (s *apiServer) missing(happens func()) {
	s.t.Helper()
	s.lock.Lock()
	open := s.open
	s.open = nil
	s.lock.Unlock()
	for _, w := range open {
		w.misses.Store(true)
	}
	happens()
	watches := s.watches.Load()
	for _, w := range open {
		w.events <- watch.Event{Type: watch.Error, Object: &apierrors.NewResourceExpired("too old").ErrStatus}
	}
	s.until("the bridge watches again", func() bool { return s.watches.Load() >= watches+int32(len(open)) })
}

var (
	podsResource  = v1.SchemeGroupVersion.WithResource("pods")
	nodesResource = v1.SchemeGroupVersion.WithResource("nodes")
)

func newAPIServer(t *testing.T) *apiServer {
	client, err := fakeapi.New()
	must(t, err)
	s := &apiServer{Clientset: client, t: t, bound: map[types.UID]string{}}
	s.PrependWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
		watching, err := s.Tracker.Watch(action.GetResource(), action.GetNamespace())
		if err == nil {
			watching = s.lossy(watching)
		}
		s.watches.Add(1)
		return true, watching, err
	})
	s.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		switch object := action.(clienttesting.CreateAction).GetObject().(type) {
		case *v1.Binding:
			return true, nil, s.bind(object)
		case *policyv1.Eviction:
			return true, nil, s.evict(object)
		}
		return false, nil, nil
	})
	s.namespace(namespace, nil)
	t.Cleanup(func() {
		allowed(t, s.Actions())
		s.lock.Lock()
		defer s.lock.Unlock()
		for _, err := range s.wrong {
			t.Error(err)
		}
	})
	return s
}

func (s *apiServer) bind(binding *v1.Binding) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.refusals > 0 {
		s.refusals--
		return apierrors.NewInternalError(errors.New("as this test wants it"))
	}
	object, err := s.Tracker.Get(podsResource, binding.Namespace, binding.Name)
	if err != nil {
		return err
	}
	pod := object.(*v1.Pod).DeepCopy()
	if pod.UID != binding.UID || pod.Spec.NodeName != "" {
		err := apierrors.NewConflict(podsResource.GroupResource(), pod.Name, fmt.Errorf("it is %s on %q", pod.UID, pod.Spec.NodeName))
		s.wrong = append(s.wrong, err)
		return err
	}
	pod.Spec.NodeName, pod.Status.Phase, pod.Status.NominatedNodeName = binding.Target.Name, v1.PodRunning, ""
	s.bound[pod.UID] = binding.Target.Name
	return s.Tracker.Update(podsResource, pod, pod.Namespace)
}

// evict keeps to the budget that a test gave.
func (s *apiServer) evict(eviction *policyv1.Eviction) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.spared {
		err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: policyv1.DisruptionBudgetCause, Message: "the budget needs 1"}}
		return err
	}
	return s.Tracker.Delete(podsResource, eviction.Namespace, eviction.Name)
}

func (s *apiServer) namespace(name string, annotations map[string]string) {
	s.t.Helper()
	must(s.t, s.Tracker.Add(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, UID: s.uid(), Annotations: annotations}}))
}

func (s *apiServer) node(name string, cores int64, change ...func(*v1.Node)) *v1.Node {
	s.t.Helper()
	node := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: s.uid(), Labels: map[string]string{v1.LabelHostname: name}},
		Status: v1.NodeStatus{Allocatable: v1.ResourceList{
			v1.ResourceCPU:    *resource.NewQuantity(cores, resource.DecimalSI),
			v1.ResourceMemory: resource.MustParse("64Gi"), v1.ResourcePods: resource.MustParse("110"),
		}},
	}
	for _, change := range change {
		change(node)
	}
	must(s.t, s.Tracker.Add(node))
	return node
}

func (s *apiServer) changeNode(name string, change func(*v1.Node)) {
	s.t.Helper()
	object, err := s.Tracker.Get(nodesResource, "", name)
	must(s.t, err)
	node := object.(*v1.Node).DeepCopy()
	change(node)
	must(s.t, s.Tracker.Update(nodesResource, node, ""))
}

func (s *apiServer) deleteNode(name string) {
	s.t.Helper()
	must(s.t, s.Tracker.Delete(nodesResource, "", name))
}

func (s *apiServer) uid() types.UID {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.made++
	return types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", s.made))
}

// pod makes a pod of one core for the scheduler.
func (s *apiServer) pod(name string, change ...func(*v1.Pod)) *v1.Pod {
	s.t.Helper()
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: s.uid(), CreationTimestamp: metav1.Now(),
			Labels: map[string]string{"applicationId": "app", "queue": "root.work"},
		},
		Spec:   v1.PodSpec{SchedulerName: "tenon", Containers: []v1.Container{{Name: "main", Image: "none"}}},
		Status: v1.PodStatus{Phase: v1.PodPending},
	}
	cores("1")(pod)
	for _, change := range change {
		change(pod)
	}
	must(s.t, s.Tracker.Add(pod))
	return pod
}

func cores(amount string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse(amount)}
	}
}

func queue(name, application string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Labels = map[string]string{"applicationId": application, "queue": name} }
}

func selector(label, value string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Spec.NodeSelector = map[string]string{label: value} }
}

func tolerates(key string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Tolerations = []v1.Toleration{{Key: key, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule}}
	}
}

func priority(value int32) func(*v1.Pod) { return func(pod *v1.Pod) { pod.Spec.Priority = &value } }

func requiring(node string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{node}}}}},
		}}}
	}
}

func tainted(key string) func(*v1.Node) {
	return func(node *v1.Node) {
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: key, Value: "yes", Effect: v1.TaintEffectNoSchedule})
	}
}

func labelled(label, value string) func(*v1.Node) {
	return func(node *v1.Node) { node.Labels[label] = value }
}

// get gives a pod as it is now, or nil.
func (s *apiServer) get(name string) *v1.Pod {
	object, err := s.Tracker.Get(podsResource, namespace, name)
	if err != nil {
		return nil
	}
	return object.(*v1.Pod).DeepCopy()
}

// list gives all pods as they are now.
func (s *apiServer) list() []v1.Pod {
	s.t.Helper()
	object, err := s.Tracker.List(podsResource, v1.SchemeGroupVersion.WithKind("Pod"), "")
	must(s.t, err)
	return object.(*v1.PodList).Items
}

// running counts pods with a node.
func (s *apiServer) running() int {
	count := 0
	for _, pod := range s.list() {
		if pod.Spec.NodeName != "" {
			count++
		}
	}
	return count
}

func (s *apiServer) change(name string, change func(*v1.Pod)) {
	s.t.Helper()
	pod := s.get(name)
	change(pod)
	must(s.t, s.Tracker.Update(podsResource, pod, namespace))
}

func (s *apiServer) deletePod(name string) {
	s.t.Helper()
	must(s.t, s.Tracker.Delete(podsResource, namespace, name))
}

// on waits until each of the pods is on one of the nodes.
func (s *apiServer) on(nodes []string, pods ...string) {
	s.t.Helper()
	for _, name := range pods {
		s.until(fmt.Sprintf("%s is on one of %v", name, nodes), func() bool {
			pod := s.get(name)
			for _, node := range nodes {
				if pod != nil && pod.Spec.NodeName == node {
					return true
				}
			}
			return false
		})
	}
}

// waits is true of pods without node.
func (s *apiServer) stillWait(pods ...string) {
	s.t.Helper()
	for _, name := range pods {
		if pod := s.get(name); pod == nil || pod.Spec.NodeName != "" {
			s.t.Errorf("%s should wait, and is %v", name, pod)
		}
	}
}

// says waits until the condition PodScheduled of the pod has this message.
func (s *apiServer) says(name, message string) {
	s.t.Helper()
	last := ""
	defer func() {
		if s.t.Failed() {
			s.t.Logf("%s says %q", name, last)
		}
	}()
	s.until(fmt.Sprintf("%s says %q", name, message), func() bool {
		for _, condition := range s.get(name).Status.Conditions {
			if condition.Type == v1.PodScheduled && condition.Status == v1.ConditionFalse && condition.Reason == v1.PodReasonUnschedulable {
				last = condition.Message
				return last == message
			}
		}
		return false
	})
}

func (s *apiServer) until(what string, holds func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("never: %s", what)
		}
	}
}

// noneOver fails where the pods of a node want more cores than it has.
func (s *apiServer) noneOver() {
	s.t.Helper()
	used := map[string]int64{}
	for _, pod := range s.list() {
		used[pod.Spec.NodeName] += pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()
	}
	nodes, err := s.Tracker.List(nodesResource, v1.SchemeGroupVersion.WithKind("Node"), "")
	must(s.t, err)
	for _, node := range nodes.(*v1.NodeList).Items {
		if have := node.Status.Allocatable.Cpu().MilliValue(); used[node.Name] > have {
			s.t.Errorf("node %s has %dm, and its pods want %dm", node.Name, have, used[node.Name])
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
