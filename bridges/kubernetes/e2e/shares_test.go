// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"tenon.invalid/kubernetes/internal/translate"
)

// What the pods of one namespace may take of the bridge. In each case those of the namespace "team" take as much as they can.

// except may run on no node that has one of these values of the label.
func except(key string, values ...string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: v1.NodeSelectorOpNotIn, Values: values}}}}}}}
	}
}

// The bridge tells the scheduler of so many classes of demands. One namespace has pods of more, which fit nowhere.
func TestShares_ClassesOfOneNamespace_LeaveRoomForThoseOfOthers(t *testing.T) {
	s, r := attacked(t, queues)
	for i := range 60 {
		s.node(fmt.Sprintf("n%02d", i), 8, labelled("kind", "off"))
	}
	s.node("on", 8, labelled("kind", "on"), tainted("on"))
	paced(150, func(i int) { s.pod(fmt.Sprintf("p%d", i), except("kind", "off", fmt.Sprint(i)), cores("1m")) })
	s.until("the last one says why it waits", func() bool { return translate.WaitsFor(s.get("p149")) != "" })
	paced(60, func(i int) {
		s.pod(fmt.Sprintf("q%d", i), of(bystander), except("kind", "off"), cores("1m"), tolerates("on"))
	})
	s.until("those of another namespace run", func() bool { return s.runningIn(bystander) == 60 })
	r.registeredOnce(t)
}

// picky may not run beside pods that have none of so many labels.
func picky(number, labels int) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		selector := &metav1.LabelSelector{MatchLabels: map[string]string{"own": fmt.Sprint(number)}, MatchExpressions: absent(number, labels)}
		pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{TopologyKey: v1.LabelHostname, LabelSelector: selector, NamespaceSelector: &metav1.LabelSelector{}}}}}
	}
}

// After each change the plugins are asked about pods that were refused, and parse their selectors each time.
func TestShares_SelectorsOfThousandsOfLabels_DelayNoOthers(t *testing.T) {
	s, r := attacked(t, queues)
	for i := range 20 {
		s.node(fmt.Sprintf("n%02d", i), 8)
	}
	for i := range 10 {
		s.pod(fmt.Sprintf("p%d", i), picky(i, 5000), cores("1m"))
		s.until("it says why it waits", func() bool { return translate.WaitsFor(s.get(fmt.Sprintf("p%d", i))) != "" })
	}
	for i := range 10 {
		s.passesBy(fmt.Sprintf("q%d", i))
	}
	r.registeredOnce(t)
}

// absent are expressions that hold for pods without so many labels.
func absent(number, labels int) []metav1.LabelSelectorRequirement {
	all := make([]metav1.LabelSelectorRequirement, labels)
	for label := range labels {
		all[label] = metav1.LabelSelectorRequirement{Key: fmt.Sprintf("example.com/l%d-%d", number, label), Operator: metav1.LabelSelectorOpDoesNotExist}
	}
	return all
}

// A look at all nodes for a pod that may run nowhere for now waits for its turn. Those of one namespace are many.
func TestShares_ManyPodsThatFitNowhereForNow_DelayNoLookForOthers(t *testing.T) {
	s, _ := attacked(t, queuesOfPriorities)
	paced(400, func(i int) { s.node(fmt.Sprintf("n%03d", i), 8) })
	s.node("ports", 8, tainted("ports"))
	s.pod("low", of(bystander), queue("root.work", "low"), tolerates("ports"), onPort, selector(v1.LabelHostname, "ports"))
	s.until("low runs", func() bool { return s.runningIn(bystander) == 1 })
	paced(2000, func(i int) {
		s.pod(fmt.Sprintf("p%d", i), queue("root.work", fmt.Sprint(i)), cores("1m"), beside(fmt.Sprintf("absent%d", i)), func(pod *v1.Pod) { pod.Labels["own"] = fmt.Sprint(i) })
	})
	s.pod("high", of(bystander), queue("root.work", "high"), tolerates("ports"), onPort, selector(v1.LabelHostname, "ports"), priority(10))
	s.until("high runs", func() bool {
		object, err := s.Tracker.Get(podsResource, bystander, "high")
		must(t, err)
		return object.(*v1.Pod).Spec.NodeName == "ports"
	})
}
