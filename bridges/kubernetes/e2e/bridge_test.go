// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package e2e plays clusters whose API server is client-go's fake against a real `tenon serve`, which TENON names.
package e2e

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/credentials/insecure"
	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"tenon.invalid/kubernetes/internal/bridge"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/metrics"
	"tenon.invalid/kubernetes/internal/tenon"
)

// running is a bridge at work.
type running struct {
	*bridge.Bridge
	log    *record
	cancel context.CancelFunc
	ended  chan error
}

// record is a log that a test may read.
type record struct {
	out  io.Writer
	lock sync.Mutex
	text strings.Builder
}

func (r *record) Write(line []byte) (int, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.text.Write(line)
	return r.out.Write(line)
}

// count says how often the log has the words.
func (r *record) count(words string) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return strings.Count(r.text.String(), words)
}

// bridged starts a bridge and waits until the scheduler knows everything.
func bridged(t *testing.T, s *apiServer, d *daemon, change ...func(*bridge.Options)) *running {
	t.Helper()
	said := &record{out: t.Output()}
	log := slog.New(slog.NewTextHandler(said, nil))
	options := bridge.Options{
		Client: s, SchedulerName: "tenon", Patience: 100 * time.Millisecond, Repeat: time.Hour, Metrics: metrics.New("tenon"), Log: log,
		Session: tenon.Options{Address: d.address(), Name: "cluster", PolicyGroup: "default", Credentials: insecure.NewCredentials(), Log: log},
	}
	for _, change := range change {
		change(&options)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{cancel: cancel, ended: make(chan error, 1), Bridge: bridge.New(options), log: said}
	watches := s.watches.Load()
	go func() { r.ended <- r.Run(ctx) }()
	t.Cleanup(r.stop)
	s.until("the bridge watches", func() bool { return s.watches.Load() >= watches+16 })
	s.until("the scheduler knows everything", func() bool { return r.Ready() == nil })
	return r
}

// withNode starts an API server with a node "one" of so many cores, a scheduler and a bridge.
func withNode(t *testing.T, cores int64, change ...func(*v1.Node)) *apiServer {
	t.Helper()
	s := newAPIServer(t)
	s.node("one", cores, change...)
	bridged(t, s, serve(t))
	return s
}

// stop ends the bridge; the cluster stays.
func (r *running) stop() {
	r.cancel()
	if r.ended != nil {
		<-r.ended
		r.ended = nil
	}
}

func TestPodsAreBound_NoNodeOver_AndTold(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	s.node("two", 4)
	s.pod("early")
	bridged(t, s, d)
	var names []string
	for i := range 9 {
		names = append(names, fmt.Sprintf("p%d", i))
		s.pod(names[i])
	}
	s.until("eight pods run", func() bool { return s.running() == 8 })
	s.noneOver()
	s.until("an event tells of each", func() bool {
		events, err := s.Tracker.List(eventsv1.SchemeGroupVersion.WithResource("events"), eventsv1.SchemeGroupVersion.WithKind("Event"), namespace)
		must(t, err)
		told := 0
		for _, event := range events.(*eventsv1.EventList).Items {
			if event.Reason == "Scheduled" {
				told++
			}
		}
		return told == 8
	})
	s.on([]string{"one", "two"}, "early")
}

func TestTaintsSelectorsAffinityAndCordon_AreRespected(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("plain", 8, labelled("disk", "hdd"))
	s.node("reserved", 8, tainted("dedicated"), labelled("disk", "ssd"))
	s.node("closed", 8, func(node *v1.Node) { node.Spec.Unschedulable = true }, labelled("disk", "nvme"))
	bridged(t, s, d)
	for i := range 4 {
		s.pod(fmt.Sprintf("ordinary%d", i))
	}
	s.on([]string{"plain"}, "ordinary0", "ordinary1", "ordinary2", "ordinary3")
	s.pod("tolerant", tolerates("dedicated"), selector("disk", "ssd"))
	s.on([]string{"reserved"}, "tolerant")
	s.pod("picky", tolerates("dedicated"), func(pod *v1.Pod) { // what no tag can say: only the check knows
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: "disk", Operator: v1.NodeSelectorOpNotIn, Values: []string{"hdd"}}}}},
		}}}
	})
	s.on([]string{"reserved"}, "picky")
	s.pod("intolerant", selector("disk", "ssd"))
	s.pod("fast", selector("disk", "nvme"))
	s.says("intolerant", "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.")
	s.stillWait("fast")
	s.changeNode("closed", func(node *v1.Node) { node.Spec.Unschedulable = false })
	s.on([]string{"closed"}, "fast")
	s.changeNode("reserved", func(node *v1.Node) { node.Spec.Taints = nil })
	s.on([]string{"reserved"}, "intolerant")
}

func TestTaintThatIsExchanged_IsLookedAtAgain(t *testing.T) {
	s := withNode(t, 8, tainted("blue"))
	s.pod("green", tolerates("green"))
	s.says("green", "0/1 nodes are available: 1 node(s) had untolerated taint(s).")
	s.changeNode("one", func(node *v1.Node) { node.Spec.Taints = nil; tainted("green")(node) })
	s.on([]string{"one"}, "green")
}

func TestPodThatFitsNowhere_SaysWhy_UntilANodeComes(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 2)
	s.node("two", 2)
	bridged(t, s, d)
	s.pod("large", cores("8"))
	s.says("large", "0/2 nodes are available: 2 Insufficient cpu.")
	s.node("three", 8)
	s.on([]string{"three"}, "large")
}

func TestDeletionAndEnd_FreeTheRoom(t *testing.T) {
	s := withNode(t, 1)
	s.pod("first")
	s.on([]string{"one"}, "first")
	s.pod("second")
	s.says("second", "0/1 nodes are available: 1 Insufficient cpu.")
	s.deletePod("first")
	s.on([]string{"one"}, "second")
	s.pod("third", queue("root.work", "another"))
	s.change("second", func(pod *v1.Pod) { pod.Status.Phase = v1.PodSucceeded })
	s.on([]string{"one"}, "third")
}

func TestGatedPod_WaitsForItsGates(t *testing.T) {
	s := withNode(t, 4)
	s.pod("gated", func(pod *v1.Pod) { pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/wait"}} })
	s.pod("free")
	s.on([]string{"one"}, "free")
	s.stillWait("gated")
	s.change("gated", func(pod *v1.Pod) { pod.Spec.SchedulingGates = nil })
	s.on([]string{"one"}, "gated")
}

func foreign(node string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Spec.SchedulerName, pod.Spec.NodeName = "default-scheduler", node }
}

func TestPodsOfOtherSchedulers_TakeRoomAndGiveItBack(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 2)
	s.pod("theirs", foreign("one"), cores("1500m"))
	bridged(t, s, d)
	s.pod("ours")
	s.says("ours", "0/1 nodes are available: 1 Insufficient cpu.")
	s.deletePod("theirs")
	s.on([]string{"one"}, "ours")
}

func TestLimitOfAQueue_HoldsPodsBack_AndIsNamed(t *testing.T) {
	s := withNode(t, 8)
	s.pod("first", queue("root.small", "few"))
	s.on([]string{"one"}, "first")
	s.pod("second", queue("root.small", "few"))
	s.says("second", "1/1 nodes have room; the pod waits for its turn, or for a limit of its queue root.small or user")
}

func TestUnknownQueue_IsSaidAsTheSchedulerSaysIt(t *testing.T) {
	s := withNode(t, 8)
	s.pod("lost", queue("root.nowhere.at.all", "lost"))
	s.until("the condition names the refusal", func() bool {
		for _, condition := range s.get("lost").Status.Conditions {
			if strings.HasPrefix(condition.Message, "the scheduler refused the application team/lost: ") {
				return true
			}
		}
		return false
	})
	s.stillWait("lost")
}

func TestBridgeThatComesBack_TakesUpWhatRuns(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	s.node("two", 4)
	first := bridged(t, s, d)
	for i := range 8 {
		s.pod(fmt.Sprintf("p%d", i))
	}
	s.until("eight pods run", func() bool { return s.running() == 8 })
	first.stop()
	s.deletePod("p0")
	s.pod("new0")
	s.pod("new1")
	bridged(t, s, d)
	s.until("one of the new ones runs", func() bool { return s.running() == 8 })
	s.noneOver()
	s.deletePod("p1")
	s.on([]string{"one", "two"}, "new0", "new1")
	s.noneOver()
}

func TestSchedulerThatIsKilled_IsToldEverythingAgain(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	s.node("two", 4)
	r := bridged(t, s, d)
	for i := range 6 {
		s.pod(fmt.Sprintf("p%d", i))
	}
	s.until("six pods run", func() bool { return s.running() == 6 })
	d.kill()
	s.until("the bridge knows", func() bool { return r.Ready() != nil })
	s.deletePod("p0")
	for i := range 4 {
		s.pod(fmt.Sprintf("new%d", i))
	}
	d.start()
	s.until("eight pods run", func() bool { return s.running() == 8 })
	s.noneOver()
	s.deletePod("p1")
	s.on([]string{"one", "two"}, "new0", "new1", "new2", "new3")
}

func TestBindingThatFails_IsTriedAgain(t *testing.T) {
	s := withNode(t, 1)
	s.lock.Lock()
	s.refusals = 2
	s.lock.Unlock()
	s.pod("unlucky")
	s.on([]string{"one"}, "unlucky")
	s.pod("next")
	s.says("next", "0/1 nodes are available: 1 Insufficient cpu.")
	s.deletePod("unlucky")
	s.on([]string{"one"}, "next")
}

func TestNodeThatGoes_AndComesBackUnderItsName(t *testing.T) {
	s := withNode(t, 1)
	s.pod("first")
	s.on([]string{"one"}, "first")
	s.deleteNode("one")
	s.pod("second", queue("root.work", "other"))
	s.says("second", "no nodes available to schedule pods")
	s.node("one", 2)
	s.on([]string{"one"}, "second")
	s.pod("third", queue("root.work", "other"))
	s.says("third", "0/1 nodes are available: 1 Insufficient cpu.")
	s.noneOver()
}

func TestHostPorts_AreGivenOnceANode(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8)
	s.node("two", 8)
	bridged(t, s, d)
	port := func(pod *v1.Pod) { pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 8080}} }
	for i := range 3 {
		s.pod(fmt.Sprintf("p%d", i), port)
	}
	s.until("two of them run", func() bool { return s.running() == 2 })
	var last string
	used := map[string]string{}
	for i := range 3 {
		pod := s.get(fmt.Sprintf("p%d", i))
		if pod.Spec.NodeName == "" {
			last = pod.Name
		} else if other := used[pod.Spec.NodeName]; other != "" {
			t.Errorf("%s and %s have the same port of node %s", other, pod.Name, pod.Spec.NodeName)
		}
		used[pod.Spec.NodeName] = pod.Name
	}
	s.says(last, "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports.")
	s.deletePod(used["one"])
	s.on([]string{"one"}, last)
}

func TestPodMadeAgainUnderItsName_IsAnotherOne(t *testing.T) {
	s := withNode(t, 1)
	for range 5 {
		uid := s.pod("again").UID
		s.on([]string{"one"}, "again")
		s.lock.Lock()
		if s.bound[uid] != "one" {
			t.Errorf("pod %s was bound to %q", uid, s.bound[uid])
		}
		s.lock.Unlock()
		s.deletePod("again")
	}
}

func TestPodWhoseClaimIsNotThere_IsNotPlaced_UntilItIsIgnored(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8)
	r := bridged(t, s, d)
	s.pod("stateful", mounting("c"))
	s.says("stateful", `0/1 nodes are available: persistentvolumeclaim "c" not found.`)
	s.pod("other")
	s.on([]string{"one"}, "other")
	s.stillWait("stateful")
	r.stop()
	bridged(t, s, d, func(options *bridge.Options) { options.Ignore = []string{filters.Volumes} })
	s.on([]string{"one"}, "stateful")
}

func TestPodsThatKeepApart_AreOneANode_AndWakeWhenOneEnds(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8)
	s.node("two", 8)
	bridged(t, s, d)
	apart := func(pod *v1.Pod) {
		pod.Labels["app"] = "apart"
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "apart"}}}}}}
	}
	for _, name := range []string{"a", "b", "c"} {
		s.pod(name, apart)
	}
	s.until("two of them run", func() bool { return s.running() == 2 })
	var waits, runs string
	for _, name := range []string{"a", "b", "c"} {
		if s.get(name).Spec.NodeName == "" {
			waits = name
		} else {
			runs = name
		}
	}
	s.says(waits, "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.")
	free := s.get(runs).Spec.NodeName
	s.deletePod(runs)
	s.on([]string{free}, waits)
}

func TestPodThatFollowsAnother_WakesWhenThatOneComes(t *testing.T) {
	s := withNode(t, 8)
	s.pod("follower", func(pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "leader"}}}}}}
	})
	s.says("follower", "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.")
	s.pod("leader", func(pod *v1.Pod) { pod.Labels["app"] = "leader" })
	s.on([]string{"one"}, "leader", "follower")
}

func TestQuotaOfANamespaceThatIsHeardOfLaterThanItsPod_Counts(t *testing.T) {
	s, d := newAPIServer(t), serveQueues(t, `
partitions:
  - name: default
    placementrules: [{ name: tag, value: namespace, create: true }]
    queues: [{ name: root, submitacl: "*" }]
`)
	s.node("one", 8)
	bridged(t, s, d)
	for _, name := range []string{"a", "b"} {
		s.pod(name, func(pod *v1.Pod) { pod.Namespace, pod.Labels = "late", nil })
	}
	time.Sleep(300 * time.Millisecond) // by then it was looked for
	s.namespace("late", map[string]string{"yunikorn.apache.org/namespace.max.cpu": "1"})
	s.until("one of them runs", func() bool { return s.running() > 0 })
	time.Sleep(300 * time.Millisecond) // by then the second one would
	if running := s.running(); running != 1 {
		t.Errorf("%d run", running)
	}
}

func TestPodsOfAGroup_RunTogether(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 2)
	bridged(t, s, d, func(options *bridge.Options) { options.Repeat = 100 * time.Millisecond })
	of := func(pod *v1.Pod) {
		name := "gang"
		pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &name}
	}
	for _, name := range []string{"a", "b", "c"} {
		s.pod(name, of)
	}
	s.says("a", "not placed: there is no pod group team/gang")
	must(t, s.Tracker.Add(&schedulingv1beta1.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "gang", UID: s.uid()},
		Spec: schedulingv1beta1.PodGroupSpec{SchedulingPolicy: schedulingv1beta1.PodGroupSchedulingPolicy{
			Gang: &schedulingv1beta1.GangSchedulingPolicy{MinCount: 3}}},
	}))
	s.until("two are held", func() bool {
		for _, pod := range s.list() {
			for _, condition := range pod.Status.Conditions {
				if condition.Message == "not placed: 2 of the 3 pods that have to run together have room" {
					return true
				}
			}
		}
		return false
	})
	s.stillWait("a", "b", "c")
	s.node("two", 1)
	s.on([]string{"one", "two"}, "a", "b", "c")
	s.noneOver()
}
