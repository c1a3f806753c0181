// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"slices"
	"time"

	"tenon.invalid/kubernetes/internal/tenon"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

// listener brings what a session says to the bridge's goroutine. What an earlier link said is void.
type listener struct{ bridge *Bridge }

func (l listener) on(link *tenon.Link, do func(*Bridge)) {
	l.bridge.todo.Put(func() {
		if l.bridge.link == link {
			do(l.bridge)
		}
	})
}

func (l listener) Registered(link *tenon.Link) {
	l.bridge.todo.Put(func() { l.bridge.registered(link) })
}

func (l listener) Lost(link *tenon.Link) {
	l.on(link, func(b *Bridge) {
		b.link = nil
		b.outbox = outbox{}
		b.toldAll(false)
	})
}

func (l listener) Recovered(link *tenon.Link) {
	l.on(link, func(b *Bridge) {
		b.toldAll(true)
		b.Log.Info("the scheduler knows everything", "nodes", len(b.nodes), "pods", len(b.pods), "applications", len(b.applications))
	})
}

func (l listener) Nodes(link *tenon.Link, heard *si.NodeResponse) {
	l.on(link, func(b *Bridge) {
		for _, one := range heard.Accepted {
			b.nodeAccepted(one.NodeID)
		}
		for _, one := range heard.Rejected {
			b.nodeRejected(one.NodeID, one.Reason)
		}
	})
}

func (l listener) Applications(link *tenon.Link, heard *si.ApplicationResponse) {
	l.on(link, func(b *Bridge) {
		for _, one := range heard.Accepted {
			b.applicationAccepted(one.ApplicationID)
		}
		for _, one := range heard.Rejected {
			b.applicationRejected(one.ApplicationID, one.Reason)
		}
		for _, one := range heard.Updated {
			b.applicationState(one.ApplicationID, one.State, one.Message)
		}
	})
}

func (l listener) Allocations(link *tenon.Link, heard *si.AllocationResponse) {
	l.on(link, func(b *Bridge) {
		// The parts of a response took effect in this order. A response may have both an allocation and its end.
		ends, victims := map[string]bool{}, map[string]int{}
		for _, one := range heard.Released {
			ends[one.UUID] = true
		}
		for _, one := range heard.New {
			b.allocated(one, ends[one.UUID])
		}
		for _, one := range heard.Released {
			if b.released(one) {
				victims[one.PreemptorKey]++
			}
		}
		b.Metrics.Preempted(victims)
		for _, one := range heard.RejectedAllocations {
			b.allocationRejected(one.AllocationKey, one.Reason)
		}
	})
}

func (l listener) Checks(link *tenon.Link, heard *tenonv1.CheckPlacementsResponse) {
	l.on(link, func(b *Bridge) {
		for _, one := range heard.Over {
			b.checkOver(one)
		}
		for _, one := range heard.Checks {
			b.check(one)
		}
	})
}

func (b *Bridge) toldAll(everything bool) {
	b.knows.Store(everything)
	b.Metrics.Connected.Set(0)
	if everything {
		b.Metrics.Connected.Set(1)
	}
}

// registered begins a report: the scheduler knows nothing. Nodes and applications are told now, and with the answers to
// them what runs there and waits; pods by the time at which they were made.
func (b *Bridge) registered(link *tenon.Link) {
	b.Metrics.Registrations.Inc()
	if b.Registered != nil {
		b.Registered()
	}
	b.link, b.recovering, b.outbox = link, true, outbox{}
	b.toldAll(false)
	b.applications = map[string]*application{}
	b.keepAnew()
	b.clearing = clearing{}
	b.queues = queueKinds{open: b.queues.open} // the scheduler may be another one, with other queues
	b.askQueues(time.Now())
	for _, n := range b.nodes {
		n.forget()
		b.dirty[n] = struct{}{}
	}
	for _, g := range b.groups {
		g.forget()
	}
	pods := make([]*pod, 0, len(b.pods))
	for _, p := range b.pods {
		b.forget(p)
		pods = append(pods, p)
	}
	slices.SortFunc(pods, oldest)
	for _, p := range pods {
		b.reconcile(p)
	}
}

// settle ends the recovery when all that runs is told and answered.
func (b *Bridge) settle() {
	if b.link == nil || !b.recovering {
		return
	}
	for _, n := range b.nodes {
		if n.standing == said || n.standing == unknown && n.object != nil {
			return
		}
		if n.standing == accepted && b.unreported(n) {
			return
		}
	}
	for _, a := range b.applications {
		if a.standing == said || a.standing == unknown {
			return
		}
	}
	b.recovering = false
	b.outbox.flush(b.link)
	b.link.RecoveryDone()
}

// release wishes the end of whatever the scheduler has of a pod, or confirms the end that the scheduler wished.
func (b *Bridge) release(p *pod) {
	one := &si.AllocationRelease{
		PartitionName: translate.Partition, ApplicationID: p.application, AllocationKey: string(p.object.UID),
		TerminationType: si.TerminationType_STOPPED_BY_RM,
	}
	if p.ending != si.TerminationType_UNKNOWN_TERMINATION_TYPE {
		one.UUID, one.TerminationType = p.uuid, p.ending
	}
	b.outbox.ordered = append(b.outbox.ordered, one)
}
