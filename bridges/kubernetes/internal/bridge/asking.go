// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/tenon"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// reconcile tells the scheduler what it does not know yet of a pod.
func (b *Bridge) reconcile(p *pod) {
	if b.link == nil || !p.mine {
		return
	}
	switch {
	case p.wrong != "":
		b.wait(p)
	case p.runsOn() != "":
		b.report(p)
	case !p.wanted():
		if p.standing == asked || p.standing == checked {
			b.release(p)
			b.leave(p)
			p.standing = untold
		}
	case p.standing == untold && time.Now().Before(p.notSoon):
		b.later[p.object.UID] = p
	case p.standing == untold:
		b.ask(p)
	}
}

// report says that a pod runs where it runs, and again where it takes another amount by now.
func (b *Bridge) report(p *pod) {
	resized := p.standing == placed && !p.reported && p.uuid != "" && b.toldOtherwise(p)
	if p.standing == placed && !resized || p.standing == untold && p.rejected != "" {
		return
	}
	a := b.applicationOf(p)
	if n := b.nodes[p.node]; a.standing != accepted || a.failed || n == nil || n.standing != accepted {
		return
	}
	b.touch(b.nodes[p.node])
	if !b.sayPod(p, a, p.node) {
		return
	}
	if !resized {
		p.reported, p.standing = true, placed
	}
	b.held(a, p)
}

func (b *Bridge) ask(p *pod) {
	a := b.applicationOf(p)
	if a.standing != accepted || a.failed || a.holds() != "" && !p.placeholder || p.group.lacks() != "" {
		b.wait(p)
		return
	}
	if b.lacks(p.amounts) {
		b.unheard[p.object.UID] = p
		b.wait(p)
		return
	}
	if b.filters.NotYet(b.context, p.object) {
		b.claimless.put(p)
		b.wait(p)
		return
	}
	if b.isOfHardGang(p, a) {
		b.wait(p)
		b.askTogether(a)
		return
	}
	if b.sayPod(p, a, "") {
		p.standing = asked
	}
	b.wait(p)
}

// sayPod tells the scheduler of a pod. False if the scheduler would refuse the message, which then goes nowhere.
func (b *Bridge) sayPod(p *pod, a *application, node string) bool {
	message := b.messageOf(p, a, node)
	if message == nil {
		return false
	}
	a.used = true
	p.told, p.outdated = b.takes(p), false
	b.outbox.ordered = append(b.outbox.ordered, message)
	return true
}

// messageOf returns what the scheduler is to be told of a pod; nil if the scheduler would refuse the message.
func (b *Bridge) messageOf(p *pod, a *application, node string) *si.Allocation {
	role := b.roleOf(p, a)
	if node != "" {
		role.Class = "" // it runs there, whatever it demanded
	} else if p.nowhere {
		role.Class = nowhereClass
	}
	message := translate.Allocation(p.object, role, b.takes(p), node, p.uuid)
	if err := tenon.Refusal(message); err != nil {
		p.wrong = err.Error()
		b.Log.Warn("the scheduler cannot be told of a pod", "pod", p.name(), "error", err)
		return nil
	}
	return message
}

func (b *Bridge) roleOf(p *pod, a *application) translate.Role {
	return translate.Role{Application: a.id, Originator: a.originator == p.object.UID, Protected: b.protected(p.object), Class: b.classOf(p)}
}

// protected is true of pods whose priority class wants them to be no victims.
func (b *Bridge) protected(pod *v1.Pod) bool {
	class, err := b.classes.Get(pod.Spec.PriorityClassName)
	return err == nil && class.Annotations[translate.AnnotationAllowPreemption] == "false"
}

// allocationRejected takes the refusal of an ask, or of what was reported to run.
func (b *Bridge) allocationRejected(key, reason string) {
	if p := b.pods[types.UID(key)]; p != nil && p.standing != untold && p.uuid == "" {
		b.refused(p, reason)
	}
}

// refused puts a pod aside for a while.
func (b *Bridge) refused(p *pod, reason string) {
	b.Log.Warn("the scheduler refused a pod", "pod", p.name(), "reason", reason)
	p.standing, p.reported, p.rejected, p.notSoon = untold, false, reason, time.Now().Add(retry)
	if p.runsOn() == "" {
		b.leave(p)
	} else {
		b.touch(b.nodeOf(p.node))
	}
	b.later[p.object.UID] = p
}
