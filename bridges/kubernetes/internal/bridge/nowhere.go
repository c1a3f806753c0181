// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"slices"
	"time"

	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/translate"
)

// Other pods, volumes and claims may keep a pod from all nodes for now. The scheduler does not know of them, so it would propose one
// node after the other. After the refusal of a node the bridge therefore looks at all nodes. If the pod may run on none of them, the
// bridge asks for the pod as one that requires an attribute which no node has. After a change that may help, the bridge asks for the
// pod as it is.

// nowhereClass is the class of pods that may run on no node for now. No node has its attribute.
const nowhereClass = "nowhere"

// stranded are pods at which the bridge is about to look because a node was refused to them.
type stranded struct {
	line  turns[*pod]   // by namespace
	soon  bool          // Bridge.tellNowhere is in the mailbox
	spent time.Duration // on these looks since the last beat
}

// countRefusal counts the refusal of a node to a pod. After the first, second, fourth and eighth refusal and so on, the bridge looks
// at all nodes for the pod, so n refusals cause at most log2(n) + 1 looks. If the plugins refuse every node whatever it is, the bridge
// looks after any refusal. Refusals that follow from the node alone are left to classRefused as long as there is room for the class.
func (b *Bridge) countRefusal(p *pod, attempt *filters.Attempt, refusal *filters.Refusal) {
	if p.nowhere || p.clears || p.class != "" && filters.OfNodes(refusal.Plugins) && len(b.demands.told) < mostClasses {
		return
	}
	if translate.GroupOf(p.object) != "" {
		return // it may run in the place of its placeholder, whatever holds elsewhere
	}
	p.refused++
	if attempt.Nowhere() == nil && p.refused&(p.refused-1) != 0 {
		return
	}
	b.strand(p)
}

// strand has the bridge look at all nodes for a pod.
func (b *Bridge) strand(p *pod) {
	if !p.stranded {
		p.stranded = true
		b.stranded.line.put(p.object.Namespace, p)
	}
	if !b.stranded.soon {
		b.stranded.soon = true
		b.todo.Put(b.tellNowhere) // after the check is answered, and others that came with it
	}
}

// tellNowhere looks at all nodes for the pods in line, and asks again for those that may run on none. Of those that no node will
// take now, it looks whether others may end. The looks between two beats take 50 ms and one look at the most; the next beat goes on
// with the line.
func (b *Bridge) tellNowhere() {
	s := &b.stranded
	s.soon = false
	begun, alike, fits := time.Now(), map[string][]string{}, map[string]bool{}
	for s.spent+time.Since(begun) < thinking {
		_, p, some := s.line.take(nil)
		if !some {
			break
		}
		p.stranded = false
		if b.link == nil || p.nowhere || p.clears || p.standing != asked || b.pods[p.object.UID] != p || !p.wanted() {
			continue
		}
		if b.rests(p) {
			continue
		}
		if b.awaitsVictims(p) {
			continue // the nodes would be seen with the victims, and the scheduler has reserved the room of the victims for the pod
		}
		plugins := ofAlike(b, p, alike, b.keptBy)
		if mayClear(p) && (len(plugins) > 0 || !ofAlike(b, p, fits, b.fitsNow)) {
			b.wantClearing(p)
		}
		if len(plugins) > 0 && translate.RequiredNode(p.object) == "" {
			b.noteRefusal(p, plugins)
			p.nowhere, p.outdated = true, true
			b.askAnew(p)
		}
	}
	s.spent += time.Since(begun)
	if b.link != nil {
		b.clear(time.Now())
	}
}

func (b *Bridge) fitsNow(p *pod) bool {
	attempt := b.filters.Attempt(b.context, p.object)
	defer b.tookLong(p, attempt)
	return attempt.FitsNow(b.context)
}

// keptBy returns the plugins that together keep a pod from all nodes for now; none if the pod may run on some node.
func (b *Bridge) keptBy(p *pod) []string {
	attempt := b.filters.Attempt(b.context, p.object)
	defer b.tookLong(p, attempt)
	return attempt.NowhereNow(b.context)
}

// noteRefusal has the pod looked at again after a change of which one of these plugins says that it may help.
func (b *Bridge) noteRefusal(p *pod, plugins []string) {
	for _, plugin := range plugins {
		if !slices.Contains(p.refusedBy, plugin) {
			p.refusedBy = append(p.refusedBy, plugin)
		}
	}
	b.refusals.put(p)
}
