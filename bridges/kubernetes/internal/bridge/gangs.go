// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// gang is what the first pod that names task groups says of its application.
type gang struct {
	*translate.Gang
	first *v1.Pod
}

// gangHeard reads the task groups of a pod that is new.
func (b *Bridge) gangHeard(p *pod) {
	if b.gangs[p.application] != nil {
		return
	}
	read, err := translate.GangOf(p.object)
	if err != nil {
		b.Log.Warn("task groups are left out", "pod", p.name(), "error", err)
		if b.leads.Load() || b.Lead == nil {
			b.writer.WrongTaskGroups(p.object, err.Error())
		}
		return
	}
	if read != nil {
		b.gangs[p.application] = &gang{read, p.object}
	}
}

// gangLeft has another pod of the application name the task groups where the one that did has ended.
func (b *Bridge) gangLeft(p *pod) {
	if g := b.gangs[p.application]; g == nil || g.first.UID != p.object.UID {
		return
	}
	delete(b.gangs, p.application)
	var others []*pod // the scheduler may know none of them
	for _, other := range b.pods {
		if other != p && other.mine && other.wrong == "" && other.application == p.application {
			others = append(others, other)
		}
	}
	slices.SortFunc(others, oldest)
	for _, other := range others {
		b.gangHeard(other)
	}
	if a := b.applications[p.application]; a != nil {
		b.revisit(a) // placeholders may wait for others that nobody makes any more
	}
}

// hold makes the placeholders of an application that the scheduler took, unless it had them already: then something of it
// runs. Real pods wait until all of them have nodes, or the scheduler says that the time for that is over.
func (b *Bridge) hold(a *application) {
	g := b.gangs[a.id]
	if g == nil {
		return
	}
	there := map[string]bool{}
	for _, p := range b.pods {
		if p.application != a.id || !p.mine {
			continue
		}
		if p.placeholder {
			there[p.object.Name] = p.standing == placed && p.object.DeletionTimestamp == nil
		} else if p.runsOn() != "" {
			return
		}
	}
	a.missing = map[string]string{}
	for _, object := range g.Placeholders(g.first, b.PlaceholderImage) {
		placed, known := there[object.Name]
		if placed {
			continue
		}
		a.missing[object.Name] = ""
		if known {
			continue
		}
		if b.DryRun {
			object.UID, object.CreationTimestamp = types.UID("rehearsed-"+object.Name), g.first.CreationTimestamp
			b.todo.Put(func() { b.podChanged(object) })
			continue
		}
		b.makePlaceholder(a, object, 0)
	}
}

func (b *Bridge) makePlaceholder(a *application, object *v1.Pod, tries int) {
	b.write(makes, func(ctx context.Context) error { return b.writer.Create(ctx, object) }, func(err error) {
		if _, missing := a.missing[object.Name]; !missing || b.applications[a.id] != a {
			return
		}
		if err == nil {
			a.missing[object.Name] = ""
			return
		}
		a.missing[object.Name] = err.Error()
		b.Log.Warn("a placeholder could not be made", "application", a.id, "placeholder", object.Name, "error", err)
		b.after(pause(tries), func() {
			if _, missing := a.missing[object.Name]; missing && b.applications[a.id] == a {
				b.makePlaceholder(a, object, tries+1)
			}
		})
	})
}

// isOfHardGang is true of a placeholder that the scheduler is to learn of together with the other placeholders of its gang.
func (b *Bridge) isOfHardGang(p *pod, a *application) bool {
	_, missing := a.missing[p.object.Name]
	g := b.gangs[a.id]
	return p.placeholder && missing && g != nil && g.Style == translate.Hard
}

// canHold is true of a placeholder that has a node, that the scheduler knows, or that can be asked for now.
func (b *Bridge) canHold(p *pod) bool {
	switch {
	case p == nil || p.object.DeletionTimestamp != nil:
		return false
	case p.standing != untold || p.runsOn() != "":
		return true
	}
	return p.wanted() && p.wrong == "" && !time.Now().Before(p.notSoon) && !b.lacks(p.amounts)
}

// isComplete is true if each placeholder of a gang that has no node yet is there and can be asked for.
func (b *Bridge) isComplete(a *application) bool {
	for name := range a.missing {
		if !b.canHold(a.holders[name]) {
			return false
		}
	}
	return true
}

// askTogether asks for all placeholders of a hard gang in one request, once the gang is complete. The scheduler places the
// placeholders together that it knows of: if it learned of one after the other, it would place the first one alone.
func (b *Bridge) askTogether(a *application) {
	if !b.isComplete(a) {
		return
	}
	var waiting []*pod
	for name := range a.missing {
		if p := a.holders[name]; p.standing == untold && p.runsOn() == "" {
			waiting = append(waiting, p)
		}
	}
	slices.SortFunc(waiting, oldest)
	messages := make([]*si.Allocation, 0, len(waiting))
	for _, p := range waiting {
		message := b.messageOf(p, a, "")
		if message == nil {
			return // the gang is not complete
		}
		messages = append(messages, message)
	}
	a.used = true
	for _, p := range waiting {
		p.told, p.outdated, p.standing = b.takes(p), false, asked
	}
	b.outbox.ordered = append(b.outbox.ordered, messages)
}

// held notes that a placeholder has a node, and does not leave it. After the last one real pods are asked for.
func (b *Bridge) held(a *application, p *pod) {
	if _, missing := a.missing[p.object.Name]; !missing || p.object.DeletionTimestamp != nil {
		return
	}
	delete(a.missing, p.object.Name)
	a.progress = time.Now()
	if len(a.missing) == 0 {
		b.revisit(a)
	}
}

// holds says what real pods wait for; empty: for nothing.
func (a *application) holds() string {
	if len(a.missing) == 0 {
		return ""
	}
	for name, wrong := range a.missing {
		if wrong != "" {
			return fmt.Sprintf("the placeholder %s of the pod's task groups cannot be made: %s", name, wrong)
		}
	}
	return fmt.Sprintf("%d placeholders of the pod's task groups have no node yet", len(a.missing))
}

// resumed lets real pods go on: all placeholders have nodes, or no more of them will.
func (b *Bridge) resumed(a *application) {
	if len(a.missing) > 0 {
		a.missing = nil
		b.revisit(a)
	}
}

// lost makes a placeholder again that somebody else ended while it was needed.
func (b *Bridge) lost(a *application, p *pod) {
	g := b.gangs[a.id]
	if g == nil || a.standing != accepted || len(a.missing) == 0 || p.ending != si.TerminationType_UNKNOWN_TERMINATION_TYPE || a.failed || b.DryRun {
		return
	}
	for _, object := range g.Placeholders(g.first, b.PlaceholderImage) {
		if object.Name == p.object.Name {
			a.missing[object.Name] = ""
			b.makePlaceholder(a, object, 0)
		}
	}
}

// remove ends a placeholder that is not needed any more, or a pod whose gang did not come together.
func (b *Bridge) remove(p *pod) {
	b.tryRemove(p, p.object, 0)
}

func (b *Bridge) tryRemove(p *pod, object *v1.Pod, tries int) {
	if b.DryRun {
		b.todo.Put(func() { b.podDeleted(object) })
		return
	}
	b.write(ends, func(ctx context.Context) error { return b.writer.Delete(ctx, object) }, func(err error) {
		if err != nil && b.pods[object.UID] == p {
			b.Log.Warn("a pod could not be deleted", "pod", p.name(), "error", err)
			b.after(pause(tries), func() { b.tryRemove(p, object, tries+1) })
		}
	})
}

// disband ends the pods of a gang that has to be whole and found no room in its time.
func (b *Bridge) disband(a *application) {
	g := b.gangs[a.id]
	if g == nil || g.Style != translate.Hard {
		return
	}
	for _, p := range sorted(a.pods) {
		if p.placeholder || !p.wanted() {
			continue
		}
		p, object, why := p, p.object, a.reason
		b.write(ends, func(ctx context.Context) error { return b.writer.Fail(ctx, object, why) }, func(err error) {
			if err != nil {
				b.Log.Warn("a pod of a gang that found no room could not be ended", "pod", p.name(), "error", err)
			}
		})
	}
}

// leftOver ends the placeholders of an application of which nothing else is there.
func (b *Bridge) leftOver(a *application) {
	for _, p := range a.pods {
		if !p.placeholder {
			return
		}
	}
	for _, p := range a.pods {
		if p.object.DeletionTimestamp == nil {
			b.remove(p)
		}
	}
}
