// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"tenon.invalid/kubernetes/internal/bridge"
	"tenon.invalid/kubernetes/internal/metrics"
)

func TestPodMadeAgainDuringAnExpiredWatch_FreesTheCapacityOfTheOldPod(t *testing.T) {
	s := withNode(t, 1)
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

func TestNodeMadeAgainDuringAnExpiredWatch_IsUsed(t *testing.T) {
	s := withNode(t, 1)
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

func TestWaitingPodChangedDuringAnExpiredWatch_IsPlaced(t *testing.T) {
	s := withNode(t, 2, tainted("dedicated"))
	s.pod("picky", tolerates("other"))
	s.pod("large", tolerates("dedicated"), cores("9"), queue("root.work", "large"))
	s.says("picky", "0/1 nodes are available: 1 node(s) had untolerated taint(s).")
	s.says("large", "0/1 nodes are available: 1 Insufficient cpu.")
	s.missing(func() {
		s.change("picky", func(pod *v1.Pod) { // an API server lets tolerations be added, and no others be changed
			added := pod.DeepCopy()
			tolerates("dedicated")(added)
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, added.Spec.Tolerations...)
		})
		s.change("large", cores("1"))
	})
	s.on([]string{"one"}, "picky", "large")
}

func TestWaitingPodTooLargeToCount_IsAskedForOnceItIsSmaller(t *testing.T) {
	s := withNode(t, 2)
	s.pod("vast", cores("9e18"))
	s.says("vast", "not placed: the pod wants more vcore than can be counted")
	s.change("vast", cores("1"))
	s.on([]string{"one"}, "vast")
}

func TestLabelAddedToANamespace_WakesPodsWhoseAffinitySelectsIt(t *testing.T) {
	s := withNode(t, 4)
	s.namespace("other", nil)
	s.pod("leader", func(pod *v1.Pod) { pod.Namespace, pod.Labels["app"] = "other", "leader" })
	s.pod("follower", func(pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "leader"}},
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "gold"}}}}}}
	})
	s.says("follower", "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.")
	namespaces := v1.SchemeGroupVersion.WithResource("namespaces")
	object, err := s.Tracker.Get(namespaces, "", "other")
	must(t, err)
	labelled := object.(*v1.Namespace).DeepCopy()
	labelled.Labels = map[string]string{"tier": "gold"}
	must(t, s.Tracker.Update(namespaces, labelled, ""))
	s.on([]string{"one"}, "follower")
}

// hasEvent returns whether the pod has an event with this reason.
func (s *apiServer) hasEvent(pod, reason string) bool {
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
	bridged(t, s, d, func(options *bridge.Options) { options.BudgetPatience = 8 * time.Second })
	s.spared = true
	s.victim()
	s.until("an eviction is refused", func() bool { return s.evictions() > 0 })
	s.deletePod("agent")
	s.until("the victim runs on, or is gone", func() bool { return s.hasEvent("victim", "PreemptionCancelled") || s.get("victim") == nil })
	s.pod("next", cores("1"), queue("root.work", "next"), selector(v1.LabelHostname, "two"))
	s.says("next", "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector.")
	if s.get("victim") == nil {
		t.Error("the victim was deleted for a pod that is gone")
	}
	s.deletePod("victim")
	s.on([]string{"two"}, "next")
	s.noneOver()
}

// counter returns the sum of a counter over its labels.
func counter(t *testing.T, m *metrics.Metrics, name string) float64 {
	t.Helper()
	families, err := m.Registry.Gather()
	must(t, err)
	sum := 0.0
	for _, family := range families {
		if family.GetName() == name {
			for _, one := range family.GetMetric() {
				sum += one.GetCounter().GetValue()
			}
		}
	}
	return sum
}

func TestComparison_ComparesWithTheSchedulerAfterAnExpiredWatch_AndRepairsNothingThatIsRight(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	s.pod("theirs", foreign("one"), cores("500m"))
	var measured *metrics.Metrics
	r := bridged(t, s, d, func(options *bridge.Options) {
		measured = options.Metrics
		options.Control = d.control()
	})
	s.pod("runs")
	s.on([]string{"one"}, "runs")
	s.pod("waits", cores("9"))
	s.says("waits", "0/1 nodes are available: 1 Insufficient cpu.")
	comparisons := counter(t, measured, "tenon_kubernetes_comparisons_total")
	s.missing(func() {
		s.deletePod("runs")
		s.pod("runs")
	})
	s.on([]string{"one"}, "runs")
	s.until("two more comparisons", func() bool { return counter(t, measured, "tenon_kubernetes_comparisons_total") >= comparisons+2 })
	if repairs := counter(t, measured, "tenon_kubernetes_repairs_total"); repairs > 0 {
		t.Errorf("%v repairs", repairs)
	}
	if r.log.count("leaves the scheduler out") > 0 {
		t.Error("the scheduler did not answer")
	}
}
