// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/cluster"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// allocated notes that a pod has a node, and binds the pod unless the same response ends the allocation.
func (b *Bridge) allocated(one *si.Allocation, ends bool) {
	p := b.pods[types.UID(one.AllocationKey)]
	switch {
	case p != nil && p.reported && one.AllocationTags["tenon/recovered"] == "true":
		p.reported, p.uuid = false, one.UUID
		b.touch(b.nodeOf(p.node))
		b.reconcile(p)
		return
	case p != nil && p.standing == placed && (p.uuid == one.UUID || p.reported):
		return
	case p == nil || p.standing == untold || !p.wanted():
		b.outbox.ordered = append(b.outbox.ordered, &si.AllocationRelease{
			PartitionName: translate.Partition, ApplicationID: one.ApplicationID, AllocationKey: one.AllocationKey, UUID: one.UUID,
			TerminationType: si.TerminationType_STOPPED_BY_RM,
		})
		return
	}
	p.standing, p.uuid = placed, one.UUID
	b.move(p, one.NodeID)
	b.held(b.applicationOf(p), p)
	if b.nodeOf(one.NodeID).object == nil { // the scheduler hears of that just now; its own word for it may have come already
		b.giveBack(p)
		b.reconcile(p)
		return
	}
	if ends {
		return
	}
	if p.group == nil {
		b.bind(p)
		return
	}
	p.held = true
	b.bindGroup(p.group)
}

// bind puts the pod on its node, after what has to be there before: volumes and claims. That may take minutes, so it takes
// no slot of those that write.
func (b *Bridge) bind(p *pod) {
	p.binding = true
	pod, node, attempt := p.object, p.node, p.attempt
	ended := func(err error) { b.bindingEnded(p, node, err) }
	bind := func(ctx context.Context) error {
		begun := time.Now()
		err := b.writer.Bind(ctx, pod, node)
		b.Metrics.Point("Bind", begun, err == nil)
		return err
	}
	if attempt == nil || !attempt.Works() || b.DryRun {
		b.write(binds, pod.Namespace, bind, ended)
		return
	}
	go func() {
		begun := time.Now()
		err := attempt.PreBind(b.context, node)
		b.Metrics.Point("PreBind", begun, err == nil)
		b.todo.Put(func() {
			switch {
			case p.attempt != attempt: // what was reserved was given back meanwhile
				p.binding = false
			case err != nil:
				ended(err)
			default:
				b.write(binds, pod.Namespace, bind, ended)
			}
		})
	}()
}

func (b *Bridge) bindingEnded(p *pod, node string, err error) {
	p.binding = false
	if b.pods[p.object.UID] != p || p.node != node {
		return
	}
	if err == nil {
		b.Metrics.Bound(p.tries+1, time.Since(p.since))
		p.bound, p.tries, p.unbound, p.attempt, p.since = true, 0, "", nil, time.Time{}
		b.writer.Scheduled(p.object, node)
		if p.clears {
			b.clearing.next = b.clearing.soonest
		}
		return
	}
	if p.object.Spec.NodeName != "" {
		return
	}
	b.Metrics.Attempts.WithLabelValues("error").Inc()
	b.Log.Warn("a pod could not be bound", "pod", p.name(), "node", node, "error", err)
	if p.standing != untold && b.link != nil {
		b.release(p)
	}
	b.leave(p)
	p.standing, p.uuid, p.reported = untold, "", false
	p.notSoon = time.Now().Add(pause(p.tries))
	p.tries++
	if !cluster.Gone(err) { // else informers are about to say so
		p.unbound = "the pod could not be bound: " + cluster.Cut(err.Error(), longestHolds)
		b.find(p, found{known: p.unbound})
		b.reconcile(p)
	}
}

// released takes the end of an allocation or an ask: one that this side wished is over already, one that the scheduler
// wishes has to end first. It returns true if preemption takes its allocation from a pod by this.
func (b *Bridge) released(one *si.AllocationRelease) bool {
	p := b.pods[types.UID(one.AllocationKey)]
	confirmed := one.TerminationType == si.TerminationType_STOPPED_BY_RM || one.TerminationType == si.TerminationType_UNKNOWN_TERMINATION_TYPE
	preempted := one.TerminationType == si.TerminationType_PREEMPTED_BY_SCHEDULER
	switch {
	case one.UUID == "":
		if p != nil && (p.standing == asked || p.standing == checked) {
			b.refused(p, one.Message)
			if p.placeholder {
				b.remove(p)
			}
		}
	case p == nil || p.uuid != one.UUID:
		if !confirmed {
			b.outbox.ordered = append(b.outbox.ordered, &si.AllocationRelease{
				PartitionName: translate.Partition, ApplicationID: one.ApplicationID, AllocationKey: one.AllocationKey, UUID: one.UUID,
				TerminationType: one.TerminationType,
			})
		}
	case confirmed: // its node or application is gone
		p.standing, p.uuid = untold, ""
		if p.runsOn() == "" {
			b.leave(p)
		}
		b.reconcile(p)
	case p.held || preempted && p.runsOn() == "": // it was not bound, so it does not have to end
		p.ending = one.TerminationType
		b.giveBack(p)
		b.reconcile(p)
		return preempted
	case p.ending == si.TerminationType_UNKNOWN_TERMINATION_TYPE:
		p.ending = one.TerminationType
		if !preempted {
			b.remove(p) // replaced by a real one, or its time is over
			return false
		}
		preemptor := types.UID(one.PreemptorKey)
		b.nominate(p, preemptor)
		return b.evict(p, one.Message, preemptor)
	}
	return false
}
