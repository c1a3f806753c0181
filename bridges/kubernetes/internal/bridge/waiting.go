// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/translate"
)

const thinking = 50 * time.Millisecond // a beat, about why pods wait: each looks at every node

// wait lists a pod of which is to be said why it waits, when it does so for long.
func (b *Bridge) wait(p *pod) {
	if p.since.IsZero() {
		p.since = time.Now()
	}
	if !p.listed {
		p.listed, p.lookAt = true, time.Now().Add(b.Patience)
		b.waiting = append(b.waiting, p.object.UID)
	}
}

// beat does what depends on time alone.
func (b *Bridge) beat(now time.Time) {
	if b.link == nil {
		return
	}
	for _, n := range b.nodes {
		if n.standing == rejected && now.After(n.retryAt) {
			n.standing = unknown
			b.touch(n)
		}
	}
	for _, a := range b.applications {
		if a.standing == rejected && now.After(a.retryAt) && len(a.pods) > 0 {
			b.outbox.remove(a.id) // the refusal may have been of an earlier one of that name, and the scheduler have this one
			b.sayApplication(a, sorted(a.pods)[0])
		}
	}
	for uid, p := range b.later {
		if now.After(p.notSoon) {
			delete(b.later, uid)
			p.rejected = ""
			b.reconcile(p)
		}
	}
	b.watchGroups(now)
	b.watchGangs(now)
	b.explain(now)
	b.question(now)
	b.askQueues(now)
	b.watchNominations(now)
	b.lookAgain(now)
	b.stranded.spent = 0
	b.tellNowhere()
	b.count()
}

// explain says of pods that wait why they do. Those of which nothing was said yet go on as soon as other work was done, the
// others as far as there is time for it in this beat.
func (b *Bridge) explain(now time.Time) {
	if b.explainSome(now, &b.waiting) && !b.explaining {
		b.explaining = true
		b.todo.Put(func() {
			b.explaining = false
			if b.link != nil {
				b.explain(time.Now())
			}
		})
		return
	}
	b.explainSome(now, &b.again)
}

// explainSome says it of the first ones of a list that are due; true if more of them are.
func (b *Bridge) explainSome(now time.Time, list *[]types.UID) bool {
	alike := verdicts{}
	for len(*list) > 0 {
		p := b.pods[(*list)[0]]
		if p != nil && p.wanted() && now.Before(p.lookAt) {
			return false
		}
		if time.Since(now) >= thinking {
			return true
		}
		*list = (*list)[1:]
		if p == nil {
			continue
		}
		if !p.wanted() {
			p.listed = false // p.since stays: a binding may be under way, which is measured from there, or fails
			continue
		}
		p.lookAt = now.Add(b.Repeat)
		b.again = append(b.again, p.object.UID)
		if p.standing != checked && p.standing != placed || p.held {
			b.find(p, b.why(p, alike))
		}
	}
	return false
}

// tell writes into the pod why it waits, where that is new.
func (b *Bridge) tell(p *pod, message string) {
	if message == p.waitsFor {
		return
	}
	p.waitsFor = message
	b.Metrics.Attempts.WithLabelValues("unschedulable").Inc()
	b.writer.Waits(p.object, message)
	b.writeWhy(p)
}

// writeWhy writes one condition of a pod after the other, so that the last one stays.
func (b *Bridge) writeWhy(p *pod) {
	if p.telling {
		return
	}
	p.telling = true
	object, message, reason := p.object, p.waitsFor, v1.PodReasonUnschedulable
	if p.unbound != "" && strings.HasPrefix(message, strings.TrimSuffix(p.unbound, ".")) {
		reason = v1.PodReasonSchedulerError // no other node would help, so autoscalers are to leave it alone
	}
	b.write(conditions, object.Namespace, func(ctx context.Context) error { return b.writer.NotScheduled(ctx, object, reason, message) }, func(err error) {
		p.telling = false
		if err != nil {
			b.Log.Warn("a pod's condition could not be written", "pod", p.name(), "error", err)
		}
		if b.pods[object.UID] == p && p.waitsFor != message && p.wanted() {
			b.writeWhy(p)
		} else if err != nil {
			p.waitsFor = ""
		}
	})
}

// found is why a pod waits, as far as the bridge can see it.
type found struct {
	known string
	guess string // where it sees no reason
}

func (f found) words() string { return f.known + f.guess }

// why says what holds a pod, in kube-scheduler's words where it is the nodes. Of pods that are alike one is looked at.
func (b *Bridge) why(p *pod, alike verdicts) found {
	if outside := b.whyOutside(p); outside != "" {
		return found{known: outside}
	}
	said := ofAlike(b, p, alike, b.look)
	if kind := b.nobodyHas(p.amounts); kind != "" && said.fits == 0 {
		more := fmt.Sprintf("No node has %.300s; the pod is asked for when one has.", kind)
		return found{known: strings.TrimSuffix(said.message, ".") + ". Tenon: " + more}
	}
	if said.fits == 0 {
		if p.refusedBy != nil && p.standing == asked && !p.nowhere {
			b.strand(p) // a node that would have taken it may have filled up since its refusals
		}
		return found{known: said.message}
	}
	if p.refusedBy != nil {
		b.wake(p) // no change said that it would fit by now
	}
	if p.unbound != "" {
		return found{known: p.unbound}
	}
	return found{
		known: fmt.Sprintf("%d/%d nodes have room", said.fits, said.all),
		guess: fmt.Sprintf("; the pod waits for its turn, or for a limit of its queue%s or user", queueOf(p)),
	}
}

// whyOutside says what holds a pod for which no node is looked for; empty: one is.
func (b *Bridge) whyOutside(p *pod) string {
	if p.wrong != "" {
		return "not placed: " + p.wrong
	}
	if p.rejected != "" {
		return "the scheduler refused the pod: " + p.rejected
	}
	if a := b.applications[p.application]; a != nil && a.gaveWay {
		return "not placed: the gang gave its room to an older one, and is asked for again"
	} else if a != nil && a.standing == rejected {
		return fmt.Sprintf("the scheduler refused the application %s: %s", a.id, a.reason)
	} else if a != nil && a.failed {
		return fmt.Sprintf("the application %s has ended: %s", a.id, a.reason)
	}
	if a := b.applications[p.application]; a != nil && a.holds() != "" && !p.placeholder {
		return "not placed: " + a.holds()
	}
	if kept := b.tooMany(p.amounts); kept != "" {
		return "not placed: " + kept
	}
	if b.rests(p) {
		return "not placed: " + b.resting(p)
	}
	if a := b.applications[p.application]; a != nil && p.standing == untold && b.isOfHardGang(p, a) && !b.lacks(p.amounts) && !b.isComplete(a) {
		return "not placed: the placeholders of a hard gang are asked for together, and others cannot be asked for yet"
	}
	if p.unbound != "" && p.standing == untold {
		return p.unbound
	}
	if lacks := p.group.lacks(); lacks != "" {
		return "not placed: " + lacks
	}
	if p.held {
		return fmt.Sprintf("not placed: %d of the %d pods that have to run together have room", p.group.placed(), p.group.quorum())
	}
	return ""
}

// verdict is what all nodes say of a pod.
type verdict struct {
	fits, all int
	message   string // where none fits
}

// verdicts of pods, which hold for those that are alike until anything happens.
type verdicts map[string]verdict

// ofAlike returns what look says of a pod. Of pods that are alike it looks at the first one alone, and keeps the answer in the map.
// Pods with claims of devices are like no other. The answers hold until anything happens.
func ofAlike[answer any](b *Bridge, p *pod, alike map[string]answer, look func(*pod) answer) answer {
	class := ""
	if !b.filters.Claims(p.object) {
		class = filters.Alike(p.object)
	}
	found, known := alike[class]
	if !known {
		found = look(p)
	}
	if alike != nil && class != "" {
		alike[class] = found
	}
	return found
}

// look asks about every node.
func (b *Bridge) look(p *pod) verdict {
	attempt := b.filters.Attempt(b.context, p.object)
	defer b.tookLong(p, attempt)
	found, counts := verdict{}, map[string]int{}
	for _, n := range b.nodes {
		if n.object == nil {
			continue
		}
		found.all++
		refusal := attempt.On(b.context, n.name)
		if refusal == nil {
			found.fits++
			continue
		}
		for _, reason := range refusal.Reasons {
			counts[reason]++
		}
	}
	if found.fits == 0 && b.filters.Claims(p.object) && !b.DryRun {
		go attempt.Free(b.context)
	}
	if attempt.Exhausted() && found.fits == 0 {
		found.message = "no node was found that has devices for the claims of the pod, which take too long to allocate: not all nodes were looked at"
	} else if found.all == 0 {
		found.message = "no nodes available to schedule pods"
	} else if nowhere := attempt.Nowhere(); nowhere != nil {
		found.message = fmt.Sprintf("0/%d nodes are available: %s.", found.all, strings.Join(nowhere.Reasons, ", "))
	} else {
		var parts []string
		for reason, nodes := range counts {
			parts = append(parts, fmt.Sprintf("%d %s", nodes, reason))
		}
		slices.Sort(parts)
		found.message = fmt.Sprintf("0/%d nodes are available: %s.", found.all, strings.Join(parts, ", "))
	}
	return found
}

func queueOf(p *pod) string {
	if queue := translate.Queue(p.object); queue != "" {
		return " " + queue
	}
	return ""
}

// count sets the gauges of pods and nodes.
func (b *Bridge) count() {
	waiting := map[string]int{"active": 0, "backoff": 0, "unschedulable": 0, "gated": 0}
	cached := map[string]int{"nodes": 0, "pods": 0, "assumed_pods": 0}
	refused := map[string]int{}
	for _, plugin := range b.filters.Plugins() {
		refused[plugin] = 0
	}
	for _, p := range b.pods {
		if p.node != "" {
			cached["pods"]++
			if p.object.Spec.NodeName == "" {
				cached["assumed_pods"]++
			}
		}
		switch {
		case !p.mine || p.runsOn() != "":
		case len(p.object.Spec.SchedulingGates) > 0:
			waiting["gated"]++
		case b.later[p.object.UID] == p:
			waiting["backoff"]++
		case p.waitsFor != "":
			waiting["unschedulable"]++
			for _, plugin := range p.refusedBy {
				refused[plugin]++
			}
		default:
			waiting["active"]++
		}
	}
	for _, n := range b.nodes {
		if n.object != nil {
			cached["nodes"]++
		}
	}
	set(b.Metrics.Pending, waiting)
	set(b.Metrics.Cache, cached)
	set(b.Metrics.Refused, refused)
}

func set(gauge *prometheus.GaugeVec, counts map[string]int) {
	for label, count := range counts {
		gauge.WithLabelValues(label).Set(float64(count))
	}
}
