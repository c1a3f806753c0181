// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"maps"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	si "tenon.invalid/proto/tenon/si/v1later"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

// onPort makes a pod that wants port 80 of its node.
func (c *timed) onPort(name string) *pod {
	c.Helper()
	object := c.pods["p"].object.DeepCopy()
	object.Name, object.UID = name, types.UID(name)
	object.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80, Protocol: v1.ProtocolTCP}}
	if err := c.server.Tracker.Add(object); err != nil {
		c.Fatal(err)
	}
	c.podChanged(object)
	c.step()
	return c.pods[object.UID]
}

// propose has the scheduler ask whether a pod may run on the node one, and returns what the scheduler is told afterwards.
func (c *timed) propose(p *pod) []string {
	c.told = nil
	c.check(&tenonv1.Check{AllocationKey: string(p.object.UID), NodeID: "one", Number: 1})
	c.step()
	return c.said()
}

func TestNowhere_APodKeepsItsAskWhileItsVictimsEnd(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		victim := c.onPort("victim")
		c.allocate(victim)
		waits := c.onPort("waits")
		c.released(&si.AllocationRelease{
			AllocationKey: "victim", ApplicationID: victim.application, UUID: "u", PreemptorKey: "waits",
			TerminationType: si.TerminationType_PREEMPTED_BY_SCHEDULER,
		})
		c.want(c.propose(waits))
		other := c.onPort("other")
		c.want(c.propose(other), "release other", "ask other")
		if waits.nowhere || !other.nowhere {
			t.Errorf("the pod whose victim ends runs nowhere: %v; the other one: %v", waits.nowhere, other.nowhere)
		}
		c.podDeleted(victim.object)
		c.step()
		c.want(c.propose(waits))
		if waits.standing != checked {
			t.Errorf("it stands at %d", waits.standing)
		}
	})
}

func TestNowhere_LooksWaitForTheNextBeat_OnceTheTimeOfThisOneIsSpent(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		c.allocate(c.onPort("runs"))
		waits := c.onPort("waits")
		c.stranded.spent = thinking
		c.want(c.propose(waits))
		c.beat(time.Now())
		c.step()
		c.want(c.said(), "release waits", "ask waits")
	})
}

func TestNowhere_APodAboutWhichNobodyIsAskedForAWhile_IsLookedAtAfterwards(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		runs := c.onPort("runs")
		c.allocate(runs)
		waits := c.onPort("waits")
		c.want(c.propose(waits), "release waits", "ask waits")
		c.refusals.rests["team"] = time.Now().Add(2 * beat)
		c.told = nil
		c.podDeleted(runs.object)
		c.step()
		c.want(c.said(), "release runs")
		c.told = nil
		time.Sleep(2 * beat)
		c.beat(time.Now())
		c.step()
		c.want(c.said(), "release waits", "ask waits")
		if waits.nowhere {
			t.Error("it is asked for as one that runs nowhere")
		}
	})
}

func TestNowhere_OfPodsThatAreAlikeOneIsLookedAt(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		c.allocate(c.onPort("runs"))
		looked := map[string]int{}
		look := func(p *pod) []string {
			looked[p.object.Name]++
			return c.keptBy(p)
		}
		alike := map[string][]string{}
		first, second := c.onPort("first"), c.onPort("second")
		for _, p := range []*pod{first, second} {
			if plugins := ofAlike(c.Bridge, p, alike, look); !slices.Equal(plugins, []string{"NodePorts"}) {
				t.Errorf("%s is kept by %v", p.object.Name, plugins)
			}
		}
		if plugins := ofAlike(c.Bridge, c.pods["p"], alike, look); len(plugins) > 0 {
			t.Errorf("kept by %v", plugins)
		}
		if want := map[string]int{"first": 1, "p": 1}; !maps.Equal(looked, want) {
			t.Errorf("looked at %v, want %v", looked, want)
		}
	})
}
