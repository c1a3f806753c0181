// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"path/filepath"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"tenon.invalid/kubernetes/internal/bridge"
	"tenon.invalid/kubernetes/internal/tenon"
)

func TestPodMadeAgainWhileAWatchWasExpired_GivesBackItsRoom(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 1)
	bridged(t, s, d)
	s.pod("again")
	s.on([]string{"one"}, "again")
	s.missing(func() {
		s.deletePod("again")
		s.pod("again", cores("500m"))
	})
	s.on([]string{"one"}, "again")
	s.pod("other", cores("500m"), queue("root.work", "other"))
	s.on([]string{"one"}, "other")
	s.noneOver()
}

func TestNodeMadeAgainWhileAWatchWasExpired_IsUsed(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 1)
	bridged(t, s, d)
	s.pod("first")
	s.on([]string{"one"}, "first")
	s.missing(func() {
		s.deleteNode("one")
		s.node("one", 3)
	})
	s.pod("second", cores("2"), queue("root.work", "other"))
	s.on([]string{"one"}, "second")
	s.pod("third", queue("root.work", "other"))
	s.says("third", "0/1 nodes are available: 1 Insufficient cpu.")
	s.missing(func() {
		s.deletePod("second")
		s.deleteNode("one")
		s.node("one", 2)
	})
	s.on([]string{"one"}, "third")
	s.noneOver()
}

func TestWaitingPodChangedWhileAWatchWasExpired_IsLookedAt(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 2, tainted("dedicated"))
	bridged(t, s, d)
	s.pod("picky", tolerates("other"))
	s.pod("large", tolerates("dedicated"), cores("9"), queue("root.work", "large"))
	s.says("picky", "0/1 nodes are available: 1 node(s) had untolerated taint(s).")
	s.says("large", "0/1 nodes are available: 1 Insufficient cpu.")
	s.missing(func() {
		s.change("picky", tolerates("dedicated"))
		s.change("large", cores("1"))
	})
	s.on([]string{"one"}, "picky", "large")
}

func TestPodThatCouldNotBeCounted_IsAskedForOnceItCan(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 2)
	bridged(t, s, d)
	s.pod("vast", cores("9e18"))
	s.says("vast", "not placed: the pod wants more vcore than can be counted")
	s.change("vast", cores("1"))
	s.on([]string{"one"}, "vast")
}

func TestLabelOfANamespace_WakesPodsWhoseAffinityChoosesByIt(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	bridged(t, s, d)
	other := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other", UID: s.uid()}}
	s.versioned(other)
	must(t, s.Tracker.Add(other))
	s.pod("leader", func(pod *v1.Pod) { pod.Namespace, pod.Labels["app"] = "other", "leader" })
	s.pod("follower", func(pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "leader"}},
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "gold"}}}}}}
	})
	s.says("follower", "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.")
	other = other.DeepCopy()
	other.Labels = map[string]string{"tier": "gold"}
	s.versioned(other)
	must(t, s.Tracker.Update(v1.SchemeGroupVersion.WithResource("namespaces"), other, ""))
	s.on([]string{"one"}, "follower")
}

// told is true once the pod has an event of this reason.
func (s *apiServer) told(pod, reason string) bool {
	s.t.Helper()
	events, err := s.Tracker.List(eventsv1.SchemeGroupVersion.WithResource("events"), eventsv1.SchemeGroupVersion.WithKind("Event"), namespace)
	must(s.t, err)
	for _, event := range events.(*eventsv1.EventList).Items {
		if event.Regarding.Name == pod && event.Reason == reason {
			return true
		}
	}
	return false
}

func TestVictimWhosePreemptorIsDeleted_RunsOn(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	bridged(t, s, d, func(options *bridge.Options) { options.BudgetPatience = 3 * time.Second })
	s.lock.Lock()
	s.spared = true
	s.lock.Unlock()
	s.victim()
	s.until("an eviction is refused", func() bool { return s.evictions() > 0 })
	s.deletePod("agent")
	s.until("the victim runs on", func() bool { return s.told("victim", "PreemptionCancelled") || s.get("victim") == nil })
	s.pod("next", cores("1"), queue("root.work", "next"), selector(v1.LabelHostname, "two"))
	s.says("next", "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector.")
	if s.get("victim") == nil {
		t.Error("the victim ended for nobody")
	}
	s.deletePod("victim")
	s.on([]string{"two"}, "next")
	s.noneOver()
}

func TestClassThatGetsAWordAgainstVictims_IsAskedForAgain(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 1)
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "dear", UID: s.uid()}}
	s.versioned(class)
	must(t, s.Tracker.Add(class))
	r := bridged(t, s, d)
	s.pod("waits", cores("2"), func(pod *v1.Pod) { pod.Spec.PriorityClassName = "dear" })
	s.says("waits", "0/1 nodes are available: 1 Insufficient cpu.")
	class = class.DeepCopy()
	class.Annotations = map[string]string{"yunikorn.apache.org/allow-preemption": "false"}
	s.versioned(class)
	must(t, s.Tracker.Update(schedulingv1.SchemeGroupVersion.WithResource("priorityclasses"), class, ""))
	s.node("two", 2)
	s.on([]string{"two"}, "waits")
	r.registeredOnce(t)
}

func TestAudit_FindsNothingWhereNothingIsWrong(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	s.pod("theirs", foreign("one"), cores("500m"))
	r := bridged(t, s, d, func(options *bridge.Options) {
		options.Control = tenon.Control{Socket: filepath.Join(d.folder, "control.sock"), Partition: "[cluster]default"}
	})
	s.pod("runs")
	s.on([]string{"one"}, "runs")
	s.pod("waits", cores("9"))
	s.says("waits", "0/1 nodes are available: 1 Insufficient cpu.")
	s.missing(func() {})
	s.until("it was compared", func() bool { return r.log.count("the scheduler and the cluster were compared") > 1 })
	if r.log.count("an audit found") > 0 {
		t.Error("something differed")
	}
}
