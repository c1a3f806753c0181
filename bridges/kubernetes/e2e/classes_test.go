// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
)

// unless keeps a pod from nodes that have one of these values of a label.
func unless(label string, values ...string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		cores("100m")(pod)
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{
				Key: label, Operator: v1.NodeSelectorOpNotIn, Values: values}}}}}}}
	}
}

// manyNodes makes a hundred, of which the last ten have another type.
func (s *apiServer) manyNodes() {
	for i := range 100 {
		kind := "old"
		if i >= 90 {
			kind = "new"
		}
		s.node(fmt.Sprintf("n%02d", i), 4, labelled("type", kind))
	}
}

func TestPodsThatMostNodesRefuse_AreNotProposedForThemOneByOne(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.manyNodes()
	r := bridged(t, s, d)
	for i := range 100 {
		s.pod(fmt.Sprintf("p%d", i), unless("type", "old"))
	}
	s.until("all run", func() bool { return s.running() == 100 })
	for _, pod := range s.list() {
		if pod.Spec.NodeName < "n90" {
			t.Errorf("%s is on %s", pod.Name, pod.Spec.NodeName)
		}
	}
	if refused := r.refusedChecks(); refused > 500 {
		t.Errorf("%d nodes were refused", refused)
	}
}

func TestPodsThatFitNowhere_HoldUpNoOthers_AndRunOnceANodeFits(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.manyNodes()
	r := bridged(t, s, d)
	for i := range 50 {
		s.pod(fmt.Sprintf("p%d", i), unless("type", "old", "new"))
	}
	for i := range 50 {
		s.pod(fmt.Sprintf("ordinary%d", i), cores("100m"))
	}
	s.until("the others run", func() bool { return s.running() == 50 })
	s.says("p7", "0/100 nodes are available: 100 node(s) didn't match Pod's node affinity/selector.")
	if refused := r.refusedChecks(); refused > 500 {
		t.Errorf("%d nodes were refused", refused)
	}
	s.changeNode("n42", func(node *v1.Node) { node.Labels["type"] = "other" })
	s.until("those run that a node has places for", func() bool { return s.running() > 70 })
	for _, pod := range s.list() {
		if pod.Spec.Affinity != nil && pod.Spec.NodeName != "" && pod.Spec.NodeName != "n42" {
			t.Errorf("%s is on %s", pod.Name, pod.Spec.NodeName)
		}
	}
}

func TestAPodThatToleratesMoreThanItsClass_RunsWhereThatLetsIt(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	for i := range 30 {
		s.node(fmt.Sprintf("n%02d", i), 4, tainted("a"))
	}
	bridged(t, s, d)
	s.pod("first", tolerates("b"))
	s.says("first", "0/30 nodes are available: 30 node(s) had untolerated taint(s).")
	s.change("first", func(pod *v1.Pod) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: "a", Operator: v1.TolerationOpExists})
	})
	s.until("it runs", func() bool { return s.running() == 1 })
}

func TestClasses_AreToldAgainToASchedulerThatWasRestarted(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.manyNodes()
	r := bridged(t, s, d)
	for i := range 20 {
		s.pod(fmt.Sprintf("p%d", i), unless("type", "old", "new"))
	}
	s.says("p7", "0/100 nodes are available: 100 node(s) didn't match Pod's node affinity/selector.")
	d.kill()
	s.until("the bridge has no scheduler", func() bool { return r.Ready() != nil })
	d.start()
	s.until("the scheduler knows everything", func() bool { return r.Ready() == nil })
	before := r.refusedChecks()
	s.pod("ordinary")
	s.until("it runs", func() bool { return s.running() == 1 })
	if refused := r.refusedChecks() - before; refused > 0 {
		t.Errorf("%d nodes were refused", refused)
	}
}
