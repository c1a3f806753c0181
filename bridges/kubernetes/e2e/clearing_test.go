// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"tenon.invalid/kubernetes/internal/bridge"
)

// queuesOfPriorities have a queue in which a plain priority ends others, one in which it does not, and one that is guaranteed a core.
const queuesOfPriorities = `
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - { name: work, properties: { preemption.policy: intra, preemption.delay: 1s } }
          - { name: plain, properties: { preemption.delay: 1s } }
          - { name: guaranteed, resources: { guaranteed: { vcore: 4 } }, properties: { preemption.delay: 1s } }
`

func onPort(pod *v1.Pod) { pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80}} }

// apartOnNode forbids a pod of the app on the same node.
func apartOnNode(app string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{TopologyKey: v1.LabelHostname, LabelSelector: matching(app)}}}}
	}
}

// first makes the oldest pod of the application, which is the last one to end.
func (s *apiServer) first(node string) {
	s.t.Helper()
	s.pod("first", cores("10m"), selector(v1.LabelHostname, node))
	s.on([]string{node}, "first")
}

// nothingIsInTheWay waits until the scheduler knows of no conflicts any longer.
func (s *apiServer) nothingIsInTheWay(d *daemon) {
	s.t.Helper()
	s.until("no node has room for conflicts", func() bool {
		held, err := d.control().Held(s.t.Context(), nil)
		must(s.t, err)
		for _, node := range held.Nodes {
			if node.Capacity["conflicting-pods"] > 0 {
				return false
			}
		}
		return true
	})
	s.until("no pod is in the way", func() bool { return d.allocated()["conflicting-pods"] == 0 })
}

func TestAPod_EndsOthersOfLowerPriority_ThatAreInItsWayByMoreThanAmounts(t *testing.T) {
	once := func(s *apiServer) {
		s.boundClaim("data")
		object, err := s.Tracker.Get(v1.SchemeGroupVersion.WithResource("persistentvolumeclaims"), namespace, "data")
		must(s.t, err)
		claim := object.(*v1.PersistentVolumeClaim).DeepCopy()
		claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
		must(s.t, s.Tracker.Update(v1.SchemeGroupVersion.WithResource("persistentvolumeclaims"), claim, namespace))
	}
	full := func(s *apiServer) {
		s.node("two", 1, labelled("rack", "b"))
		s.pod("higher", priority(2000), selector(v1.LabelHostname, "two"))
		s.on([]string{"two"}, "higher")
	}
	for name, one := range map[string]struct {
		before    func(*apiServer)
		low, high []func(*v1.Pod)
	}{
		"a host port":                      {low: []func(*v1.Pod){onPort}, high: []func(*v1.Pod){onPort}},
		"anti-affinity of its own":         {low: []func(*v1.Pod){app("low")}, high: []func(*v1.Pod){apartOnNode("low")}},
		"anti-affinity of what runs":       {low: []func(*v1.Pod){apartOnNode("high")}, high: []func(*v1.Pod){app("high")}},
		"spreading":                        {before: full, low: []func(*v1.Pod){app("x"), selector(v1.LabelHostname, "one")}, high: []func(*v1.Pod){app("x"), spread("x")}},
		"a claim for one pod":              {before: once, low: []func(*v1.Pod){mounting("data")}, high: []func(*v1.Pod){mounting("data")}},
		"a host port of its required node": {low: []func(*v1.Pod){onPort}, high: []func(*v1.Pod){onPort, requiring("one")}},
		"a host port and too little room":  {low: []func(*v1.Pod){onPort, cores("3")}, high: []func(*v1.Pod){onPort, cores("3")}},
	} {
		t.Run(name, func(t *testing.T) {
			s, d := newAPIServer(t), serveQueues(t, queuesOfPriorities)
			s.node("one", 4, labelled("rack", "a"))
			bridged(t, s, d)
			if one.before != nil {
				one.before(s)
			}
			s.first("one")
			s.pod("bystander", cores("100m"), selector(v1.LabelHostname, "one"))
			s.pod("low", one.low...)
			s.on([]string{"one"}, "low", "bystander")
			s.pod("high", append(one.high, priority(1000))...)
			s.on([]string{"one"}, "high")
			if s.get("low") != nil || s.get("first") == nil || s.get("bystander") == nil {
				t.Errorf("low runs: %v; first: %v; bystander: %v", s.get("low") != nil, s.get("first") != nil, s.get("bystander") != nil)
			}
			s.nothingIsInTheWay(d)
		})
	}
}

func TestAPod_EndsOthersThatAreInItsWay_WhereTheOnlyOtherNodeIsFull(t *testing.T) {
	s, d := newAPIServer(t), serveQueues(t, queuesOfPriorities)
	s.node("one", 4)
	s.node("two", 1)
	bridged(t, s, d)
	s.first("one")
	s.pod("higher", priority(2000), selector(v1.LabelHostname, "two"))
	s.pod("low", onPort, selector(v1.LabelHostname, "one"))
	s.on([]string{"two"}, "higher")
	s.on([]string{"one"}, "low")
	s.pod("high", onPort, priority(1000))
	s.on([]string{"one"}, "high")
	if s.get("low") != nil || s.get("higher") == nil {
		t.Error("the wrong pod ended")
	}
	s.nothingIsInTheWay(d)
}

func TestPodsThatAreAlike_EndOneOnEachNode(t *testing.T) {
	s, d := newAPIServer(t), serveQueues(t, queuesOfPriorities)
	for i := range 3 {
		s.node(fmt.Sprintf("n%02d", i), 4)
	}
	bridged(t, s, d)
	s.first("n00")
	for i := range 3 {
		s.pod(fmt.Sprintf("low%d", i), onPort)
	}
	s.on(s.nodeNames(3), "low0", "low1", "low2")
	for i := range 4 {
		s.pod(fmt.Sprintf("high%d", i), onPort, priority(1000))
	}
	s.until("three of them run", func() bool {
		runs := 0
		for i := range 4 {
			if s.get(fmt.Sprintf("high%d", i)).Spec.NodeName != "" {
				runs++
			}
		}
		return runs == 3
	})
	for i := range 3 {
		if s.get(fmt.Sprintf("low%d", i)) != nil {
			t.Errorf("low%d runs", i)
		}
	}
	s.nothingIsInTheWay(d)
}

func TestPodsOfSeveralKinds_TakeTurns(t *testing.T) {
	s, d := newAPIServer(t), serveQueues(t, queuesOfPriorities)
	s.node("one", 4)
	s.node("two", 4)
	bridged(t, s, d)
	s.first("one")
	s.pod("low", onPort, selector(v1.LabelHostname, "one"))
	s.pod("apart", app("apart"), selector(v1.LabelHostname, "two"))
	s.pod("kept", func(pod *v1.Pod) { pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 81}} },
		queue("root.plain", "plain"), selector(v1.LabelHostname, "two"))
	s.on([]string{"one"}, "low")
	s.on([]string{"two"}, "apart", "kept")
	s.pod("waits", func(pod *v1.Pod) { pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 81}} }, priority(1000), queue("root.plain", "plain"),
		selector(v1.LabelHostname, "two")) // its queue ends nobody for a priority
	s.says("waits", "0/2 nodes are available: 1 node(s) didn't have free ports for the requested pod ports, 1 node(s) didn't match Pod's node affinity/selector.")
	s.pod("high", onPort, priority(1000), selector(v1.LabelHostname, "one"))
	s.pod("higher", apartOnNode("apart"), priority(1000), selector(v1.LabelHostname, "two"))
	s.on([]string{"one"}, "high")
	s.on([]string{"two"}, "higher")
	s.stillWait("waits")
	if s.get("kept") == nil {
		t.Error("a pod of a queue without intra ended")
	}
}

func TestAPodOfAGuaranteedQueue_EndsOthersThatAreInItsWay(t *testing.T) {
	s, d := newAPIServer(t), serveQueues(t, queuesOfPriorities)
	s.node("one", 4)
	bridged(t, s, d)
	s.pod("first", queue("root.plain", "plain"), cores("10m"))
	s.on([]string{"one"}, "first")
	s.pod("other", onPort, queue("root.plain", "plain"))
	s.on([]string{"one"}, "other")
	s.pod("claims", onPort, queue("root.guaranteed", "guaranteed"))
	s.on([]string{"one"}, "claims")
	if s.get("other") != nil {
		t.Error("the other one runs on")
	}
}

func TestNobodyEnds_ForAPodThatMayEndNobody(t *testing.T) {
	never := v1.PreemptNever
	for name, one := range map[string][2]func(*v1.Pod){
		"it never preempts":        {func(*v1.Pod) {}, func(pod *v1.Pod) { pod.Spec.PreemptionPolicy = &never }},
		"the priority is the same": {priority(1000), func(*v1.Pod) {}},
		"of another scheduler":     {foreign("one"), func(*v1.Pod) {}},
		"of a queue without intra": {queue("root.plain", "plain"), queue("root.plain", "plain")},
	} {
		t.Run(name, func(t *testing.T) {
			s, d := newAPIServer(t), serveQueues(t, queuesOfPriorities)
			s.node("one", 4)
			bridged(t, s, d)
			s.pod("low", one[0], onPort)
			s.on([]string{"one"}, "low")
			s.pod("high", onPort, priority(1000), one[1])
			s.says("high", "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.")
			s.pod("later", cores("2500m"), priority(1), queue("root.guaranteed", "later")) // it takes its turn after that
			s.on([]string{"one"}, "later")
			s.stillWait("high")
			if s.get("low") == nil || s.evictions() > 0 {
				t.Error("somebody ended")
			}
		})
	}
}

func TestAPod_EndsOneThatIsInItsWay_AndOneThatHasItsRoom(t *testing.T) {
	s, d := newAPIServer(t), serveQueues(t, queuesOfPriorities)
	s.node("one", 4)
	bridged(t, s, d)
	s.pod("first", cores("0"))
	s.on([]string{"one"}, "first")
	s.pod("port", onPort)
	s.pod("large", cores("3"))
	s.on([]string{"one"}, "port", "large")
	s.pod("high", onPort, cores("3"), priority(1000))
	s.on([]string{"one"}, "high")
	if s.get("port") != nil || s.get("large") != nil || s.get("first") == nil {
		t.Error("the wrong pods ended")
	}
	s.nothingIsInTheWay(d)
}

func TestAPodThatEndsNobody_HasANodeThatComesLater(t *testing.T) {
	s, d := newAPIServer(t), serveQueues(t, queuesOfPriorities)
	s.node("one", 4)
	bridged(t, s, d)
	s.pod("kept", onPort, queue("root.plain", "plain"))
	s.on([]string{"one"}, "kept")
	s.pod("waits", onPort, priority(1000), queue("root.plain", "plain"))
	s.until("the scheduler is told who is in its way", func() bool { return d.allocated()["conflicting-pods"] == 1 })
	s.node("two", 4)
	s.on([]string{"two"}, "waits")
	s.nothingIsInTheWay(d)
	if s.get("kept") == nil {
		t.Error("the other one has ended")
	}
}

func TestASchedulerAndABridgeThatComeBack_EndWhoIsInTheWay(t *testing.T) {
	patient := func(options *bridge.Options) { options.BudgetPatience = time.Hour }
	for name, again := range map[string]func(*apiServer, *daemon, *running){
		"the scheduler": func(_ *apiServer, d *daemon, _ *running) {
			d.kill()
			d.start()
		},
		"the bridge": func(s *apiServer, d *daemon, r *running) {
			r.stop()
			bridged(t, s, d, patient)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, d := newAPIServer(t), serveQueues(t, queuesOfPriorities)
			s.node("one", 4)
			r := bridged(t, s, d, patient)
			s.first("one")
			s.pod("low", onPort)
			s.on([]string{"one"}, "low")
			s.lock.Lock()
			s.spared = true // a budget holds up its end
			s.lock.Unlock()
			s.pod("high", onPort, priority(1000))
			s.until("its end is wished", func() bool { return s.evictions() > 0 })
			again(s, d, r)
			s.lock.Lock()
			s.spared = false
			s.lock.Unlock()
			s.on([]string{"one"}, "high")
			s.nothingIsInTheWay(d)
		})
	}
}

func TestPodsThatRequireANodeEach_EndOthersAtTheSameTime(t *testing.T) {
	const nodes = 4
	s, d := newAPIServer(t), serveQueues(t, queuesOfPriorities)
	for _, name := range s.nodeNames(nodes) {
		s.node(name, 4)
	}
	bridged(t, s, d, func(options *bridge.Options) { options.BudgetPatience = time.Hour })
	s.first("n00")
	for i, name := range s.nodeNames(nodes) {
		s.pod(fmt.Sprintf("low%d", i), onPort, selector(v1.LabelHostname, name))
		s.on([]string{name}, fmt.Sprintf("low%d", i))
	}
	s.lock.Lock()
	s.spared = true // a budget holds up the end of all of them
	s.lock.Unlock()
	for i, name := range s.nodeNames(nodes) {
		s.pod(fmt.Sprintf("agent%d", i), onPort, priority(1000), requiring(name), queue("root.work", "agents"))
	}
	s.pod("second", onPort, priority(500), requiring("n00"), queue("root.work", "agents"))
	s.until("the end of each is wished", func() bool {
		nominated := 0
		for i, name := range s.nodeNames(nodes) {
			if s.get(fmt.Sprintf("agent%d", i)).Status.NominatedNodeName == name {
				nominated++
			}
		}
		return nominated == nodes
	})
	s.lock.Lock()
	s.spared = false
	s.lock.Unlock()
	for i, name := range s.nodeNames(nodes) {
		s.on([]string{name}, fmt.Sprintf("agent%d", i))
	}
	s.stillWait("second")
	s.deletePod("agent0")
	s.on([]string{"n00"}, "second")
	s.nothingIsInTheWay(d)
}
