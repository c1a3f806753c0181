// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"tenon.invalid/kubernetes/internal/bridge"
)

func explained(options *bridge.Options) {
	options.Explain, options.Repeat = 10*time.Millisecond, 200*time.Millisecond
}

// few are the words of a pod of one core in the queue root.small, which may have one and has it.
func few(before, change string) string {
	return "1/1 nodes have room. Tenon: The max of queue root.small leaves too little vcore: asked 1, free 0 of 1, short 1. " +
		before + " before it. It would run " + change + "."
}

// conditions counts how often the bridge wrote conditions.
func (s *apiServer) conditions() int {
	count := 0
	for _, action := range s.Actions() {
		if action.Matches("patch", "pods/status") {
			count++
		}
	}
	return count
}

func TestExplanation_HasTheNumberAndTheSmallestChange_ForEachInItsPlace(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8)
	bridged(t, s, d, explained)
	s.pod("first", queue("root.small", "few"))
	s.on([]string{"one"}, "first")
	for i := range 3 {
		s.pod(fmt.Sprintf("p%d", i), queue("root.small", "few"), func(pod *v1.Pod) {
			pod.CreationTimestamp.Time = pod.CreationTimestamp.Add(time.Duration(i-10) * time.Minute)
		})
	}
	s.says("p0", few("Nothing is tried", "next if you raise max vcore of queue root.small from 1 to 2"))
	s.says("p1", few("One pending allocation is tried", "after one decision for another if you raise max vcore of queue root.small from 1 to 3"))
	s.says("p2", few("2 pending allocations are tried", "after 2 decisions for others if you raise max vcore of queue root.small from 1 to 4"))
	written := s.conditions()
	time.Sleep(3 * time.Second) // time for three more questions
	if now := s.conditions(); now != written {
		t.Errorf("%d conditions were written again", now-written)
	}
	s.deletePod("first")
	s.on([]string{"one"}, "p0")
	s.says("p1", few("Nothing is tried", "next if you raise max vcore of queue root.small from 1 to 2"))
}

func TestExplanation_SaysHowMuchOfWhichNodeIsMissing_AndThatIsEnough(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	s.node("two", 2)
	bridged(t, s, d, explained)
	s.pod("large", cores("6"))
	s.says("large", "0/2 nodes are available: 2 Insufficient cpu. Tenon: None of 2 nodes can hold it: 2 too little vcore. Nothing is tried before it. "+
		"It would run next if you free or add 2 vcore on node one (capacity from 4 to 6).")
	s.changeNode("one", func(node *v1.Node) { node.Status.Allocatable[v1.ResourceCPU] = resource.MustParse("6") })
	s.on([]string{"one"}, "large")
}

func TestExplanation_OfWhatTheBridgeAloneKnows_IsItsOwn(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8, tainted("dedicated"))
	bridged(t, s, d, explained)
	s.pod("other", tolerates("another"))
	s.says("other", "0/1 nodes are available: 1 node(s) had untolerated taint(s).")
	time.Sleep(3 * time.Second) // the scheduler was asked by then
	s.says("other", "0/1 nodes are available: 1 node(s) had untolerated taint(s).")
	s.changeNode("one", func(node *v1.Node) { node.Spec.Taints = nil })
	s.on([]string{"one"}, "other")
}

func TestExplanation_OfABridgeThatComesBack_IsNotWrittenAgain(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8)
	r := bridged(t, s, d, explained)
	s.pod("first", queue("root.small", "few"))
	s.on([]string{"one"}, "first")
	s.pod("second", queue("root.small", "few"))
	want := few("Nothing is tried", "next if you raise max vcore of queue root.small from 1 to 2")
	s.says("second", want)
	r.stop()
	written := s.conditions()
	bridged(t, s, d, explained)
	time.Sleep(3 * time.Second)
	s.says("second", want)
	if now := s.conditions(); now != written {
		t.Errorf("%d conditions were written again", now-written)
	}
}

func TestABindingThatIsRefused_IsSaidInTheServersWords(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	refuse := func(next int) {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.refusals = next
	}
	bridged(t, s, d)
	refuse(1000)
	s.pod("first")
	var said v1.PodCondition
	s.until("the condition says it", func() bool {
		for _, condition := range s.get("first").Status.Conditions {
			if condition.Type == v1.PodScheduled && condition.Status == v1.ConditionFalse {
				said = condition
				return true
			}
		}
		return false
	})
	if want := "the pod could not be bound: Internal error occurred: as this test wants it"; said.Message != want || said.Reason != v1.PodReasonSchedulerError {
		t.Errorf("have %s: %s", said.Reason, said.Message)
	}
	s.until("an event says it", func() bool {
		events, err := s.Tracker.List(eventsv1.SchemeGroupVersion.WithResource("events"), eventsv1.SchemeGroupVersion.WithKind("Event"), namespace)
		must(t, err)
		return slices.ContainsFunc(events.(*eventsv1.EventList).Items, func(one eventsv1.Event) bool { return one.Note == said.Message && one.Reason == "FailedScheduling" })
	})
	refuse(0)
	s.on([]string{"one"}, "first")
}
