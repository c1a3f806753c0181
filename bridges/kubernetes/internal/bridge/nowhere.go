// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"slices"

	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/translate"
)

// What depends on other pods, on volumes and on claims may keep a pod from all nodes for now. The scheduler would propose each of
// them. So the bridge looks at all of them once one was refused, and asks for a pod that may run on none as one that requires an
// attribute that no node has. After a change that may help, the pod is asked for again as it is.

// nowhereClass is the class of pods that may run on no node for now. Its attribute is never told of a node.
const nowhereClass = "nowhere"

// countRefusal counts the refusal of a node to a pod, and has all nodes looked at. The next look comes after twice as many
// refusals, so that looks cost no more than the checks. What a class of pods says of nodes is a matter of classRefused.
func (b *Bridge) countRefusal(p *pod, attempt *filters.Attempt, refusal *filters.Refusal) {
	if p.nowhere || p.class != "" && filters.OfNodes(refusal.Plugins) {
		return
	}
	if translate.GroupOf(p.object) != "" || translate.RequiredNode(p.object) != "" {
		return // a pod of a task group may run in the place of its placeholder, whatever holds elsewhere
	}
	p.refused++
	if attempt.Nowhere() != nil || p.refused&(p.refused-1) == 0 {
		b.todo.Put(func() { b.tellNowhere(p) }) // after the check is answered
	}
}

func (b *Bridge) tellNowhere(p *pod) {
	if b.link == nil || p.nowhere || p.standing != asked || b.pods[p.object.UID] != p || !p.wanted() {
		return
	}
	if b.awaitsVictims(p) {
		return // the nodes are looked at with the victims, and the scheduler has reserved the room of the victims for the pod
	}
	plugins := b.filters.NowhereNow(b.context, p.object)
	if len(plugins) == 0 {
		return
	}
	b.noteRefusal(p, plugins)
	p.nowhere, p.outdated = true, true
	b.askAnew(p)
}

// noteRefusal has the pod looked at again after a change of which one of these plugins says that it may help.
func (b *Bridge) noteRefusal(p *pod, plugins []string) {
	for _, plugin := range plugins {
		if !slices.Contains(p.refusedBy, plugin) {
			p.refusedBy = append(p.refusedBy, plugin)
		}
	}
	b.refusals[p.object.UID] = p
}
