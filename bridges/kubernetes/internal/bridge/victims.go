// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/cluster"
	si "tenon.invalid/proto/tenon/si/v1later"
)

const budgetPause = time.Second // before a budget is asked again

// eviction is the end of one pod for another, however many tries it takes. It is confirmed when the pod is gone. The
// scheduler knows nothing of disruption budgets: they hold up the end of a victim, and after some time no more.
type eviction struct {
	victim  *pod
	object  *v1.Pod
	message string
	begun   time.Time
	tries   int
	spared  bool // its budget held it up, and it was told so

	preemptor types.UID // the pod for which it ends; empty: none
}

// evict ends a victim, and returns true unless the victim is spared at once.
func (b *Bridge) evict(p *pod, message string, preemptor types.UID) bool {
	e := &eviction{victim: p, object: p.object, message: message, begun: time.Now(), preemptor: preemptor}
	if b.spare(e) {
		return false
	}
	b.writer.Preempted(p.object, message)
	b.tryEvict(e)
	return true
}

// spare lets a victim run on if the pod for which it would end is gone or has a node, and returns whether it does. The
// scheduler counts the victim as ending. So the scheduler is told of that end, and then of a pod that runs.
func (b *Bridge) spare(e *eviction) bool {
	p := e.victim
	if e.preemptor == "" || p.object.DeletionTimestamp != nil {
		return false
	}
	if other := b.pods[e.preemptor]; other != nil && other.wanted() {
		return false
	}
	b.writer.RunsOn(p.object)
	b.release(p)
	p.standing, p.uuid, p.ending = untold, "", si.TerminationType_UNKNOWN_TERMINATION_TYPE
	b.reconcile(p)
	return true
}

func (b *Bridge) tryEvict(e *eviction) {
	write := b.writer.Evict
	if time.Since(e.begun) >= b.BudgetPatience {
		write = b.writer.EvictAnyway
		if e.spared {
			b.writer.BudgetOverrun(e.object, b.BudgetPatience)
		}
	}
	b.write(evicts, e.object.Namespace, func(ctx context.Context) error { return write(ctx, e.object, e.message) }, func(err error) {
		if err != nil && b.ends(e) {
			b.after(b.unended(e, err), func() {
				if b.ends(e) && !b.spare(e) {
					b.tryEvict(e)
				}
			})
		}
	})
}

// ends is true while the scheduler waits for the end: one that was restarted does not know of it.
func (b *Bridge) ends(e *eviction) bool {
	return b.isVictim(e.victim)
}

// unended says how long to wait before the next try.
func (b *Bridge) unended(e *eviction, err error) time.Duration {
	left := time.Until(e.begun.Add(b.BudgetPatience))
	if budget := cluster.BudgetHolds(err); budget != "" {
		if !e.spared {
			e.spared = true
			b.writer.Spared(e.object, b.BudgetPatience, budget)
		}
		return max(0, min(budgetPause, left))
	}
	b.Log.Warn("a victim could not be ended", "pod", e.victim.name(), "error", err)
	e.tries++
	return pause(e.tries - 1)
}
