// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"tenon.invalid/kubernetes/internal/tenon"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

const (
	compareEvery = 30 * time.Second // between two comparisons
	compareAgain = 5 * time.Second  // until what differed is looked at again: news are under way, and the scheduler's answer is up to 2 s old
)

// stores are the caches of the informers: *v1.Pod and *v1.Node. They are safe for concurrent use.
type stores struct{ pods, nodes cache.Store }

// comparison is the state of the comparisons of what the bridge has with the informers' caches, and of what the scheduler has
// with what the bridge told it. An object that two comparisons in a row find different is repaired. Events should keep all three
// the same, so each repair is logged and counted. The bridge's goroutine owns it.
type comparison struct {
	next     time.Time           // when the next one is due
	open     bool                // the scheduler was asked, and has not answered
	suspects map[string]struct{} // the identities of what the last one found
}

// difference is an object that is not as it should be.
type difference struct {
	kind, key string // e.g. "pod" and its UID; the key has the resource version where news may be under way
	repair    func() // runs on the bridge's goroutine
}

func (d difference) identity() string { return d.kind + " " + d.key }

// compareSoon lets the next comparison begin in a few seconds.
func (b *Bridge) compareSoon() {
	if soon := time.Now().Add(compareAgain); soon.Before(b.comparison.next) {
		b.comparison.next = soon
	}
}

// startComparison begins a comparison if one is due. The scheduler is asked on another goroutine, whose answer comes back by
// Bridge.todo. An error of that call is logged, and the comparison leaves the scheduler out.
func (b *Bridge) startComparison(now time.Time) {
	if b.link == nil || b.comparison.open || now.Before(b.comparison.next) {
		return
	}
	b.comparison.next = now.Add(compareEvery)
	if b.Control.Socket == "" || b.recovering {
		b.endComparison(b.cacheDifferences())
		return
	}
	b.comparison.open = true
	link, placed := b.link, b.placedByNode()
	go func() {
		held, err := b.Control.Held(b.context, placed)
		b.todo.Put(func() {
			b.comparison.open = false
			found := b.cacheDifferences()
			if err != nil {
				b.Log.Warn("a comparison leaves the scheduler out", "error", err)
			} else if b.link == link && !b.recovering {
				found = append(found, b.nodeDifferences(held)...)
				found = append(found, b.askDifferences(held)...)
				found = append(found, b.allocationDifferences(held)...)
			}
			b.endComparison(found)
		})
	}()
}

// endComparison repairs what the last comparison found as well. The rest is looked at again soon.
func (b *Bridge) endComparison(found []difference) {
	before := b.comparison.suspects
	b.comparison.suspects = map[string]struct{}{}
	for _, one := range found {
		if _, again := before[one.identity()]; !again {
			b.comparison.suspects[one.identity()] = struct{}{}
			continue
		}
		b.Log.Warn("a comparison repairs a difference", "kind", one.kind, "key", one.key)
		b.Metrics.Repairs.WithLabelValues(one.kind).Inc()
		one.repair()
	}
	if len(b.comparison.suspects) > 0 {
		b.compareSoon()
	}
	b.Metrics.Comparisons.Inc()
}

// cacheDifferences compares the bridge's pods and nodes with the informers' caches. The bridge keeps the very objects that the
// caches have.
func (b *Bridge) cacheDifferences() []difference {
	var found []difference
	pods, nodes := map[types.UID]bool{}, map[string]bool{}
	for _, one := range b.stores.pods.List() {
		object := one.(*v1.Pod)
		pods[object.UID] = true
		if p := b.pods[object.UID]; (p == nil || p.object != object) && !translate.Finished(object) {
			found = append(found, difference{"pod", string(object.UID) + " " + object.ResourceVersion, func() { b.podChanged(object) }})
		}
	}
	for uid, p := range b.pods {
		if !pods[uid] && !b.DryRun { // a dry run has placeholders that nobody made
			found = append(found, difference{"pod", string(uid), func() { b.podDeleted(p.object) }})
		}
	}
	for _, one := range b.stores.nodes.List() {
		object := one.(*v1.Node)
		nodes[object.Name] = true
		if n := b.nodes[object.Name]; n == nil || n.object != object {
			found = append(found, difference{"node", object.Name + " " + object.ResourceVersion, func() { b.nodeChanged(object) }})
		}
	}
	for name, n := range b.nodes {
		if n.object != nil && !nodes[name] {
			found = append(found, difference{"node", name, func() { b.nodeDeleted(n.object) }})
		}
	}
	return found
}

// nodeDifferences compares the scheduler's nodes with what it was told of them. Whether a node is drained is not compared:
// people may drain nodes at the scheduler.
func (b *Bridge) nodeDifferences(held tenon.Held) []difference {
	var found []difference
	there := map[string]bool{}
	for _, one := range held.Nodes {
		there[one.ID] = true
		n := b.nodes[one.ID]
		if n == nil || n.object == nil || n.standing == unknown || n.standing == rejected {
			found = append(found, difference{"node", one.ID, func() { b.sayNode(&node{name: one.ID}, si.NodeInfo_DECOMISSION) }})
		} else if n.standing == accepted && !(same(n.capacity, one.Capacity) && same(n.occupied, one.Occupied)) {
			found = append(found, difference{"node", one.ID, func() { b.sayNode(n, si.NodeInfo_UPDATE) }})
		}
	}
	for name, n := range b.nodes {
		if n.standing == accepted && !there[name] {
			found = append(found, difference{"node", name, func() {
				n.forget()
				for _, p := range n.pods {
					b.lostBy(p)
				}
				b.touch(n)
			}})
		}
	}
	return found
}

// askDifferences compares the asks that wait in the scheduler with the pods that were asked for.
func (b *Bridge) askDifferences(held tenon.Held) []difference {
	var found []difference
	waits := map[types.UID]bool{}
	for _, application := range held.Applications {
		for _, ask := range application.Asks {
			if ask.Pending == 0 {
				continue
			}
			uid := types.UID(ask.Key)
			waits[uid] = true
			if p := b.pods[uid]; p == nil || p.standing == untold || p.standing == placed {
				found = append(found, difference{"ask", ask.Key, func() { b.releaseKey(application.ID, ask.Key) }})
			}
		}
	}
	for uid, p := range b.pods {
		if p.standing == asked && !waits[uid] {
			found = append(found, difference{"ask", string(uid), func() {
				p.standing = untold
				b.reconcile(p)
			}})
		}
	}
	return found
}

// allocationDifferences compares the allocations on the nodes whose numbers differ.
func (b *Bridge) allocationDifferences(held tenon.Held) []difference {
	var found []difference
	for name, running := range held.Running {
		n := b.nodes[name]
		if n == nil || n.standing != accepted {
			continue
		}
		there := map[types.UID]bool{}
		for _, one := range running {
			uid := types.UID(one.Key)
			there[uid] = true
			if p := n.pods[uid]; p == nil || p.standing == untold {
				found = append(found, difference{"allocation", one.Key, func() { b.releaseKey(one.Application, one.Key) }})
			}
		}
		for uid, p := range n.pods {
			if p.standing == placed && !there[uid] {
				found = append(found, difference{"allocation", string(uid), func() {
					b.lostBy(p)
					b.reconcile(p)
				}})
			}
		}
	}
	return found
}

// placedByNode gives how many pods have an allocation, by the names of the nodes that the scheduler has.
func (b *Bridge) placedByNode() map[string]int {
	counts := map[string]int{}
	for name, n := range b.nodes {
		if n.standing != accepted {
			continue
		}
		counts[name] = 0
		for _, p := range n.pods {
			if p.standing == placed {
				counts[name]++
			}
		}
	}
	return counts
}

// lostBy makes a pod one whose allocation the scheduler does not have.
func (b *Bridge) lostBy(p *pod) {
	if p.standing != placed {
		return
	}
	p.standing, p.uuid, p.reported = untold, "", false
	if p.runsOn() == "" {
		b.leave(p)
	}
}

// releaseKey ends what the scheduler has under a key, of which the bridge may know no pod.
func (b *Bridge) releaseKey(application, key string) {
	b.outbox.ordered = append(b.outbox.ordered, &si.AllocationRelease{
		PartitionName: translate.Partition, ApplicationID: application, AllocationKey: key, TerminationType: si.TerminationType_STOPPED_BY_RM,
	})
}

// same is true of amounts that differ in zeros alone.
func same(told translate.Amounts, held map[string]int64) bool {
	for kind, amount := range told {
		if held[kind] != amount {
			return false
		}
	}
	for kind, amount := range held {
		if told[kind] != amount {
			return false
		}
	}
	return true
}
