// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"tenon.invalid/kubernetes/internal/bridge"
)

// of puts a pod into another namespace.
func of(namespace string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Namespace = namespace }
}

// runningIn counts pods of a namespace that have a node.
func (s *apiServer) runningIn(namespace string) int {
	count := 0
	for _, pod := range s.list() {
		if pod.Namespace == namespace && pod.Spec.NodeName != "" {
			count++
		}
	}
	return count
}

func TestApplicationsOfOneName_HaveEachTheQueueOfTheirNamespace(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8)
	s.namespace("small", nil)
	bridged(t, s, d)
	s.pod("first", queue("root.work", "train"))
	s.on([]string{"one"}, "first")
	for i := range 3 { // root.small has one core, and team's application of that name is in root.work
		s.pod(fmt.Sprintf("s%d", i), queue("root.small", "train"), of("small"))
	}
	s.until("one of them runs", func() bool { return s.runningIn("small") == 1 })
	for i := range 3 {
		s.pod(fmt.Sprintf("p%d", i), queue("root.work", "train"))
	}
	s.until("all of the other namespace run", func() bool { return s.runningIn(namespace) == 4 })
	if have := s.runningIn("small"); have != 1 {
		t.Errorf("%d of a queue with one core run", have)
	}
}

func TestAHardGangThatFails_FailsNoPodOfAnotherNamespace(t *testing.T) {
	s, d := newAPIServer(t), serveQueues(t, strings.Replace(queues, "- name: work", "- { name: work, properties: { gang.start: piecewise } }", 1))
	s.makesPods("", new(atomic.Bool))
	s.node("one", 8)
	s.namespace("other", nil)
	bridged(t, s, d, func(options *bridge.Options) { options.PlaceholderImage = "pause" })
	s.pod("beside", queue("root.work", "gang"), of("other"), selector("disk", "ssd"))
	s.pod("p0", func(pod *v1.Pod) {
		member(9)(pod) // one more than have room
		pod.Annotations["yunikorn.apache.org/schedulingPolicyParameters"] = "gangSchedulingStyle=Hard placeholderTimeoutInSeconds=1"
	})
	s.until("the gang has failed", func() bool { pod := s.get("p0"); return pod != nil && pod.Status.Phase == v1.PodFailed })
	s.changeNode("one", labelled("disk", "ssd"))
	s.until("the pod of the other namespace runs", func() bool { return s.runningIn("other") == 1 })
}

func TestSharedApplications_AreOneInAllNamespaces(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8)
	s.namespace("other", nil)
	r := bridged(t, s, d, func(options *bridge.Options) { options.SharedApplications = true })
	s.pod("first", queue("root.small", "train"))
	s.on([]string{"one"}, "first")
	s.pod("second", queue("root.work", "train"), of("other"))
	time.Sleep(200 * time.Millisecond)
	if have := s.runningIn("other"); have != 0 {
		t.Errorf("%d run beside the one for which the queue has room", have)
	}
	if r.log.count("applications are shared by all namespaces") != 1 {
		t.Error("nothing warns of it")
	}
	s.deletePod("first")
	s.until("the other one has its room", func() bool { return s.runningIn("other") == 1 })
}
