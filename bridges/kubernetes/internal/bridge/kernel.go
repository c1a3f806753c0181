// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/tenon"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// mostNamed is how many nodes one audit asks about by their names.
const mostNamed = 20

// kernelAudit is the comparison of what the scheduler has with what the bridge told it.
type kernelAudit struct {
	open     bool
	suspects map[string]bool
}

// askKernel asks the scheduler what it has, if its control socket is known, and compares.
func (b *Bridge) askKernel() {
	k := &b.audits.kernel
	if b.Control.Socket == "" || k.open || b.recovering || b.link == nil {
		return
	}
	k.open = true
	link := b.link
	odd := b.oddNodes
	go func() {
		held, err := b.Control.Held(b.context)
		b.todo.Put(func() {
			if err != nil || b.link != link || b.recovering {
				b.kernelAsked(err)
				return
			}
			b.Log.Debug("the scheduler and the cluster were compared", "nodes", len(held.Nodes), "applications", len(held.Applications))
			found := b.kernelDifferences(held)
			names := odd(held.Nodes)
			go func() {
				var running []tenon.HeldNode
				for _, name := range names {
					if of, wrong := b.Control.Running(b.context, name); wrong == nil {
						running = append(running, of...)
					}
				}
				b.todo.Put(func() {
					if b.link == link && !b.recovering {
						b.repair(append(found, b.runningDifferences(running)...), &k.suspects)
					}
					b.kernelAsked(nil)
				})
			}()
		})
	}()
}

// kernelAsked ends one comparison. If anything differed the next one is soon.
func (b *Bridge) kernelAsked(err error) {
	k := &b.audits.kernel
	k.open = false
	if err != nil {
		b.Log.Warn("the scheduler does not say what it has", "error", err)
	}
	if len(k.suspects) > 0 {
		b.after(auditAgain, b.askKernel)
	}
}

// kernelDifferences are those of nodes and of asks that wait.
func (b *Bridge) kernelDifferences(held tenon.Held) []difference {
	var all []difference
	nodes := map[string]bool{}
	for _, one := range held.Nodes {
		nodes[one.ID] = true
		n := b.nodes[one.ID]
		switch {
		case n == nil || n.object == nil || n.standing == unknown:
			all = append(all, difference{"node", one.ID, func() {
				b.outbox.nodes = append(b.outbox.nodes, &si.NodeInfo{NodeID: one.ID, Action: si.NodeInfo_DECOMISSION})
			}})
		case n.standing == accepted && (n.open != one.Schedulable || !same(n.capacity, one.Capacity) || !same(n.occupied, one.Occupied)):
			all = append(all, difference{"node", one.ID, func() {
				b.sayNode(n, si.NodeInfo_UPDATE)
				if n.open {
					b.sayNode(n, si.NodeInfo_DRAIN_TO_SCHEDULABLE)
				} else {
					b.sayNode(n, si.NodeInfo_DRAIN_NODE)
				}
			}})
		}
	}
	for name, n := range b.nodes {
		if n.standing == accepted && !nodes[name] {
			all = append(all, difference{"node", name, func() {
				n.forget()
				for _, p := range n.pods {
					if p.standing == placed {
						p.standing, p.uuid, p.reported = untold, "", false
					}
				}
				b.touch(n)
			}})
		}
	}
	asks := map[types.UID]bool{}
	for _, application := range held.Applications {
		for _, ask := range application.Asks {
			if ask.Pending == 0 {
				continue
			}
			uid := types.UID(ask.Key)
			asks[uid] = true
			if p := b.pods[uid]; p == nil || p.standing == untold || p.standing == placed {
				all = append(all, difference{"ask", ask.Key, func() { b.releaseKey(application.ID, ask.Key) }})
			}
		}
	}
	for uid, p := range b.pods {
		if p.standing == asked && !asks[uid] {
			all = append(all, difference{"ask", string(uid), func() {
				p.standing = untold
				b.reconcile(p)
			}})
		}
	}
	return all
}

// oddNodes names the nodes on which the scheduler has another number of allocations than the bridge.
func (b *Bridge) oddNodes(held []tenon.HeldNode) []string {
	var names []string
	for _, one := range held {
		n, count := b.nodes[one.ID], 0
		if n == nil || n.standing != accepted || len(names) == mostNamed {
			continue
		}
		for _, p := range n.pods {
			if p.standing == placed {
				count++
			}
		}
		if count != one.Allocations {
			names = append(names, one.ID)
		}
	}
	return names
}

// runningDifferences are those of allocations on these nodes.
func (b *Bridge) runningDifferences(held []tenon.HeldNode) []difference {
	var all []difference
	for _, one := range held {
		n, runs := b.nodes[one.ID], map[types.UID]bool{}
		if n == nil {
			continue
		}
		for _, allocation := range one.Running {
			uid := types.UID(allocation.Key)
			runs[uid] = true
			if p := n.pods[uid]; p == nil || p.standing == untold {
				all = append(all, difference{"allocation", allocation.Key, func() { b.releaseKey(allocation.Application, allocation.Key) }})
			}
		}
		for uid, p := range n.pods {
			if p.standing == placed && !runs[uid] {
				all = append(all, difference{"allocation", string(uid), func() {
					p.standing, p.uuid, p.reported = untold, "", false
					if p.runsOn() == "" {
						b.leave(p)
					}
					b.reconcile(p)
				}})
			}
		}
	}
	return all
}

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
