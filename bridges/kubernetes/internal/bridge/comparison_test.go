// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"tenon.invalid/kubernetes/internal/tenon"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// heldAsBridged is what a scheduler has that took everything from the bridge.
func (c *timed) heldAsBridged() tenon.Held {
	held := tenon.Held{Running: map[string][]tenon.HeldAllocation{}}
	for name, n := range c.nodes {
		if n.standing == accepted {
			held.Nodes = append(held.Nodes, tenon.HeldNode{ID: name, Capacity: n.capacity, Occupied: n.occupied})
			held.Running[name] = nil
		}
	}
	for uid, p := range c.pods {
		switch p.standing {
		case asked:
			held.Applications = append(held.Applications, askedFor(p.application, string(uid)))
		case placed:
			held.Running[p.node] = append(held.Running[p.node], tenon.HeldAllocation{Key: string(uid), Application: p.application})
		}
	}
	return held
}

func askedFor(application, key string) tenon.HeldApplication {
	return tenon.HeldApplication{ID: application, Asks: []tenon.HeldAsk{{Key: key, Pending: 1}}}
}

// compare ends a comparison in which the scheduler has this, and returns what was repaired.
func (c *timed) compare(held tenon.Held) []string {
	found := slices.Concat(c.nodeDifferences(held), c.askDifferences(held), c.allocationDifferences(held))
	suspected := c.comparison.suspects
	c.endComparison(found)
	var repaired []string
	for _, one := range found {
		if _, again := suspected[one.identity()]; again {
			repaired = append(repaired, one.identity())
		}
	}
	return repaired
}

func TestComparison_FindsNothingInASchedulerThatHasEverything(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		c.pod("waits")
		c.allocate(p)
		for range 3 {
			if repaired := c.compare(c.heldAsBridged()); len(repaired)+len(c.comparison.suspects) > 0 {
				t.Errorf("repaired %v, suspects %v", repaired, c.comparison.suspects)
			}
		}
	})
}

func TestComparison_RepairsWhatTwoInARowFind(t *testing.T) {
	for name, one := range map[string]struct {
		allocated bool
		change    func(*tenon.Held)
		want      string // the repair
		told      []string
	}{
		"an ask that the scheduler lost": {
			change: func(held *tenon.Held) { held.Applications = nil }, want: "ask p", told: []string{"ask p"},
		},
		"an ask of a pod that is gone": {
			change: func(held *tenon.Held) { held.Applications = append(held.Applications, askedFor("a", "gone")) },
			want:   "ask gone", told: []string{"release gone"},
		},
		"an allocation that the scheduler lost": {
			allocated: true, change: func(held *tenon.Held) { held.Running["one"] = nil }, want: "allocation p", told: []string{"ask p"},
		},
		"an allocation of a pod that is gone": {
			change: func(held *tenon.Held) { held.Running["one"] = []tenon.HeldAllocation{{Key: "gone", Application: "a"}} },
			want:   "allocation gone", told: []string{"release gone"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			timedBridge(t, func(c *timed, p *pod) {
				if one.allocated {
					c.allocate(p)
					c.step()
				}
				held := c.heldAsBridged()
				one.change(&held)
				if repaired := c.compare(held); len(repaired) > 0 {
					t.Errorf("repaired %v at once", repaired)
				}
				if repaired := c.compare(held); !slices.Equal(repaired, []string{one.want}) {
					t.Errorf("repaired %v", repaired)
				}
				c.step()
				var told []string
				for _, each := range c.told {
					told = append(told, each.what)
				}
				if !slices.Equal(told, one.told) {
					t.Errorf("told %v", told)
				}
			})
		})
	}
}

func TestComparison_RepairsNodes(t *testing.T) {
	for name, one := range map[string]struct {
		change func(*tenon.Held)
		want   []si.NodeInfo_ActionFromRM
	}{
		"that the scheduler lost": {
			func(held *tenon.Held) { held.Nodes = nil }, []si.NodeInfo_ActionFromRM{si.NodeInfo_CREATE_DRAIN},
		},
		"that are gone": {
			func(held *tenon.Held) { held.Nodes = append(held.Nodes, tenon.HeldNode{ID: "gone"}) }, []si.NodeInfo_ActionFromRM{si.NodeInfo_DECOMISSION},
		},
		"of another capacity": {
			func(held *tenon.Held) { held.Nodes[0].Capacity = map[string]int64{"vcore": 1} }, []si.NodeInfo_ActionFromRM{si.NodeInfo_UPDATE},
		},
	} {
		t.Run(name, func(t *testing.T) {
			timedBridge(t, func(c *timed, p *pod) {
				held := c.heldAsBridged()
				one.change(&held)
				c.compare(held)
				c.compare(held)
				for n := range c.dirty {
					c.syncNode(n)
				}
				var have []si.NodeInfo_ActionFromRM
				for _, each := range c.outbox.nodes {
					have = append(have, each.Action)
				}
				if !slices.Equal(have, one.want) {
					t.Errorf("have %v, want %v", have, one.want)
				}
			})
		})
	}
}

// compareCaches ends two comparisons of what the caches have.
func (c *timed) compareCaches() {
	for range 2 {
		c.endComparison(c.cacheDifferences())
	}
	c.step()
}

func TestComparison_FollowsTheCaches(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		c.stores = stores{cache.NewStore(cache.MetaNamespaceKeyFunc), cache.NewStore(cache.MetaNamespaceKeyFunc)}
		add := func(to cache.Store, object any) {
			if err := to.Add(object); err != nil {
				t.Fatal(err)
			}
		}
		add(c.stores.nodes, c.nodes["one"].object)
		add(c.stores.pods, p.object)
		if c.compareCaches(); len(c.comparison.suspects) > 0 || c.pods["p"] != p {
			t.Errorf("suspects %v", c.comparison.suspects)
		}
		other := p.object.DeepCopy()
		other.UID = "q"
		add(c.stores.pods, other)
		node := c.nodes["one"].object.DeepCopy()
		node.Name = "two"
		add(c.stores.nodes, node)
		if c.compareCaches(); c.pods["p"] != nil || c.pods["q"] == nil || c.nodes["two"] == nil {
			t.Errorf("pods %v, nodes %v", c.pods, c.nodes)
		}
		if err := c.stores.nodes.Delete(node); err != nil {
			t.Fatal(err)
		}
		if c.compareCaches(); c.nodes["two"] != nil {
			t.Error("a node is left that is gone")
		}
		finished := other.DeepCopy()
		finished.UID, finished.Name, finished.Status.Phase = "f", "f", v1.PodSucceeded
		add(c.stores.pods, finished)
		if c.compareCaches(); c.pods["f"] != nil || len(c.comparison.suspects) > 0 {
			t.Error("a pod that has ended is no difference")
		}
	})
}

func TestComparison_IsDueAfterItsTime_AndSoonerAfterAnExpiredWatch(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		c.stores = stores{cache.NewStore(cache.MetaNamespaceKeyFunc), cache.NewStore(cache.MetaNamespaceKeyFunc)}
		c.DryRun = true // the pod p of this test is in no cache
		c.nodes = map[string]*node{}
		now := time.Now()
		c.startComparison(now)
		if c.comparison.next != now.Add(compareEvery) {
			t.Errorf("the next one is due at %v", c.comparison.next)
		}
		c.compareSoon()
		if soon := now.Add(compareAgain); c.comparison.next != soon {
			t.Errorf("the next one is due at %v", c.comparison.next)
		}
	})
}
