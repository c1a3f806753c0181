// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	si "tenon.invalid/proto/tenon/si/v1later"
)

func TestVictim_RunsOnOnlyWhereItsPreemptorIsGoneOrHasANode(t *testing.T) {
	for name, one := range map[string]struct {
		preemptor types.UID
		change    func(*timed, *pod)
		spared    bool
	}{
		"it waits":       {forWaits, func(*timed, *pod) {}, false},
		"it is gone":     {forWaits, func(c *timed, other *pod) { c.podEnded(other) }, true},
		"it is ending":   {forWaits, func(_ *timed, other *pod) { other.object.DeletionTimestamp = &metav1.Time{} }, true},
		"it has a node":  {forWaits, func(_ *timed, other *pod) { other.object.Spec.NodeName = "two" }, true},
		"there was none": {"", func(*timed, *pod) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			timedBridge(t, func(c *timed, p *pod) {
				other := c.pod("waits")
				c.allocate(p)
				p.object.Spec.NodeName = "one"
				c.step()
				one.change(c, other)
				c.step()
				c.told = nil
				evicted := c.times("create", "pods", "eviction")
				c.released(&si.AllocationRelease{AllocationKey: "p", ApplicationID: p.application, UUID: "u",
					TerminationType: si.TerminationType_PREEMPTED_BY_SCHEDULER, PreemptorKey: string(one.preemptor),
					Message: "as people read it, without the key of an ask: another"})
				c.step()
				if have := len(*evicted) == 0; have != one.spared {
					t.Errorf("evicted at %v", *evicted)
				}
				if one.spared && (len(c.told) != 2 || c.told[0].what != "release p" || c.told[1].what != "ask p" || p.standing != placed) {
					t.Errorf("told %v", c.told)
				}
			})
		})
	}
}

func TestVictim_IsCountedOnce_AndOnlyIfItEnds(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		c.pod("waits")
		c.allocate(p)
		counted := func(uuid, preemptor string, want float64) {
			t.Helper()
			listener{c.Bridge}.Allocations(c.link, &si.AllocationResponse{Released: []*si.AllocationRelease{{
				AllocationKey: "p", ApplicationID: p.application, UUID: uuid, PreemptorKey: preemptor,
				TerminationType: si.TerminationType_PREEMPTED_BY_SCHEDULER,
			}}})
			c.step()
			for _, name := range []string{"tenon_kubernetes_victims_total", "scheduler_preemption_attempts_total"} {
				if have := c.metric(name).GetCounter().GetValue(); have != want {
					t.Errorf("%s is %v, want %v", name, have, want)
				}
			}
		}
		counted("another", "waits", 0) // an allocation that is gone
		counted("u", "gone", 0)        // the victim is spared, and reported again
		p.reported, p.uuid = false, "u"
		counted("u", "waits", 1)
		counted("u", "waits", 1) // the scheduler repeats it
	})
}

func TestVictim_ThatTheSameResponsePlaces_IsNotBoundAndWaitsAgain(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		c.pod("waits")
		bindings, evictions := c.times("create", "pods", "binding"), c.times("create", "pods", "eviction")
		listener{c.Bridge}.Allocations(c.link, placedAndPreempted(p, nil))
		c.step()
		c.want(c.said(), "ask waits", "release p", "ask p")
		if len(*bindings)+len(*evictions) != 0 || p.standing != asked || p.node != "" {
			t.Errorf("bound at %v, evicted at %v, it stands at %d on %q", *bindings, *evictions, p.standing, p.node)
		}
	})
}

func TestVictim_ThatTheSameResponseReportsAsRecovered_IsEvicted(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		c.pod("waits")
		p.object.Spec.NodeName = "one"
		p.standing, p.reported = placed, true
		c.move(p, "one")
		c.step()
		c.told = nil
		evictions := c.times("create", "pods", "eviction")
		listener{c.Bridge}.Allocations(c.link, placedAndPreempted(p, map[string]string{"tenon/recovered": "true"}))
		c.step()
		c.step()
		c.want(c.said())
		if len(*evictions) != 1 || !c.isVictim(p) {
			t.Errorf("evicted at %v, its end is %v", *evictions, p.ending)
		}
	})
}

// placedAndPreempted returns a response with an allocation of a pod and with its end for the pod "waits".
func placedAndPreempted(p *pod, tags map[string]string) *si.AllocationResponse {
	key := string(p.object.UID)
	return &si.AllocationResponse{
		New: []*si.Allocation{{AllocationKey: key, ApplicationID: p.application, NodeID: "one", UUID: "u", AllocationTags: tags}},
		Released: []*si.AllocationRelease{{AllocationKey: key, ApplicationID: p.application, UUID: "u", PreemptorKey: string(forWaits),
			TerminationType: si.TerminationType_PREEMPTED_BY_SCHEDULER}},
	}
}
