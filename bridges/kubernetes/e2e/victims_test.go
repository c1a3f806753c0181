// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"tenon.invalid/kubernetes/internal/bridge"
)

// victim gives a pod, and one that makes it end.
func (s *apiServer) victim() {
	s.t.Helper()
	s.node("one", 4)
	s.node("two", 1)
	s.pod("victim", selector(v1.LabelHostname, "two"))
	s.on([]string{"two"}, "victim")
	s.pod("agent", queue("root.work", "agents"), priority(1000), requiring("two"))
}

func TestVictimOfADisruptionBudget_RunsOnForAWhile(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	r := bridged(t, s, d, func(options *bridge.Options) { options.BudgetPatience = 2 * time.Second })
	s.spared = true
	s.victim()
	s.until("an eviction is refused", func() bool { return s.evictions() > 0 })
	if s.get("victim") == nil {
		t.Error("the budget did not count")
	}
	s.on([]string{"two"}, "agent")
	if r.log.count("could not be ended") > 0 {
		t.Error("a budget is no failure")
	}
	s.noneOver()
}

func TestNodeOnWhichOthersEndForAPod_IsNominated_WhileTheyDo(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	bridged(t, s, d, func(options *bridge.Options) { options.BudgetPatience = time.Hour })
	s.spared = true
	s.victim()
	nominated := func(node string) func() bool {
		return func() bool { return s.get("agent").Status.NominatedNodeName == node }
	}
	s.until("two is nominated", nominated("two"))
	time.Sleep(2 * time.Second) // beats
	if !nominated("two")() || s.get("victim").Status.NominatedNodeName != "" {
		t.Errorf("have %q", s.get("agent").Status.NominatedNodeName)
	}
	s.lock.Lock()
	s.spared = false
	s.lock.Unlock()
	s.on([]string{"two"}, "agent")
	time.Sleep(2 * time.Second)
	s.until("it is nominated no more", nominated(""))
}

func TestNomination_EndsWithoutItsPod(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	bridged(t, s, d, func(options *bridge.Options) { options.BudgetPatience = time.Hour })
	s.spared = true
	s.victim()
	s.until("two is nominated", func() bool { return s.get("agent").Status.NominatedNodeName == "two" })
	s.changeNode("two", func(node *v1.Node) {
		node.Spec.Taints = []v1.Taint{{Key: "dedicated", Value: "yes", Effect: v1.TaintEffectNoSchedule}}
	})
	s.lock.Lock()
	s.spared = false
	s.lock.Unlock()
	s.until("the victim is gone", func() bool { return s.get("victim") == nil })
	s.until("two is nominated no more", func() bool { return s.get("agent").Status.NominatedNodeName == "" })
	s.stillWait("agent")
}

func TestVictim_EndsAsSoonAsItsDisruptionBudgetHasRoom(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	bridged(t, s, d, func(options *bridge.Options) { options.BudgetPatience = time.Hour })
	s.spared = true
	s.victim()
	s.until("an eviction is refused", func() bool { return s.evictions() > 0 })
	s.lock.Lock()
	s.spared = false
	s.lock.Unlock()
	s.on([]string{"two"}, "agent")
	s.noneOver()
}

// evictions counts those that the bridge wished.
func (s *apiServer) evictions() int {
	count := 0
	for _, action := range s.Actions() {
		if action.GetSubresource() == "eviction" {
			count++
		}
	}
	return count
}

func TestPodOfADaemonSet_MakesRoomOnItsNode(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	bridged(t, s, d, func(options *bridge.Options) { options.BudgetPatience = time.Hour })
	s.victim()
	s.on([]string{"two"}, "agent")
	if s.get("victim") != nil {
		t.Error("the victim is still there")
	}
	s.noneOver()
}
