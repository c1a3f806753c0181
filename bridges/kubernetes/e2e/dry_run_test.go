// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"tenon.invalid/kubernetes/internal/bridge"
)

func dry(options *bridge.Options) { options.DryRun = true }

func TestDryRun_DecidesAndWritesNothing(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 2)
	r := bridged(t, s, d, dry)
	for i := range 3 {
		s.pod(fmt.Sprintf("p%d", i))
	}
	s.until("two would be bound", func() bool { return r.log.count("would bind") == 2 })
	s.until("one would wait", func() bool { return r.log.count("0/1 nodes are available: 1 Insufficient cpu.") == 1 })
	r.stop()
	for _, action := range s.Actions() {
		if verb := action.GetVerb(); verb != "list" && verb != "watch" {
			t.Errorf("%s of %s", verb, action.GetResource().Resource)
		}
	}
}

func TestDryRun_FollowsWhatTheOtherSchedulerDecides(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 2)
	s.node("two", 2, func(node *v1.Node) { node.Spec.Unschedulable = true })
	r := bridged(t, s, d, dry)
	s.pod("p", cores("2"))
	s.until("it decides", func() bool { return r.log.count("would bind\" pod=team/p node=one") == 1 })
	s.change("p", func(pod *v1.Pod) { pod.Spec.NodeName = "two" })
	s.pod("q", cores("2"))
	s.until("node one is free again", func() bool { return r.log.count("would bind\" pod=team/q node=one") == 1 })
}
