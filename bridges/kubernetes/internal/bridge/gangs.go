// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"fmt"
	"maps"
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
	hard := b.gangs[p.application].Style == translate.Hard
	delete(b.gangs, p.application)
	for len(b.namers[p.application]) > 0 && b.gangs[p.application] == nil {
		first := slices.MinFunc(slices.Collect(maps.Values(b.namers[p.application])), oldest)
		if first.wrong == "" {
			b.gangHeard(first)
		}
		if b.gangs[p.application] == nil {
			b.namesNone(first) // its groups are not read again before it is changed
		}
	}
	if g := b.gangs[p.application]; g != nil {
		hard = hard && g.Style != translate.Hard
	}
	if a := b.applications[p.application]; a != nil && hard {
		b.revisit(a) // placeholders may wait for others that nobody makes any more
	}
}

// namesGroups notes a pod that names task groups in case that the one which does so for its application ends.
func (b *Bridge) namesGroups(p *pod) {
	if !p.mine || !translate.NamesGroups(p.object) {
		return
	}
	if b.namers[p.application] == nil {
		b.namers[p.application] = map[types.UID]*pod{}
	}
	b.namers[p.application][p.object.UID] = p
}

// namesNone undoes namesGroups.
func (b *Bridge) namesNone(p *pod) {
	if others := b.namers[p.application]; others != nil {
		if delete(others, p.object.UID); len(others) == 0 {
			delete(b.namers, p.application)
		}
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
	for _, p := range a.pods {
		if p.placeholder {
			there[p.object.Name] = p.standing == placed && p.object.DeletionTimestamp == nil
		} else if p.runsOn() != "" {
			return
		}
	}
	a.missing, a.making.line = map[string]string{}, nil
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
		b.makePlaceholder(a, object)
	}
}

// mostMakes is how many placeholders of one application are being made at one time. Those of others are made meanwhile.
const mostMakes = 4

// making is what is still to be made of the placeholders of one application.
type making struct {
	line  []*v1.Pod // not tried yet, or tried in vain
	open  int       // writes under way
	tries int       // in vain, since one was made last
	rests bool      // nothing is tried before the pause is over
}

// makePlaceholder makes a placeholder once it is its turn.
func (b *Bridge) makePlaceholder(a *application, object *v1.Pod) {
	a.making.line = append(a.making.line, object)
	b.makeSome(a)
}

// makeSome makes the next placeholders of an application. After one that could not be made it makes a pause, and then tries a
// single one until that succeeds: a quota that refuses one refuses all, and thousands of tries would delay the writes for others.
func (b *Bridge) makeSome(a *application) {
	m := &a.making
	most := mostMakes
	if m.tries > 0 {
		most = 1
	}
	for a.standing == accepted && !a.failed && len(m.line) > 0 && m.open < most && !m.rests {
		object := m.line[0]
		m.line = m.line[1:]
		if _, missing := a.missing[object.Name]; !missing {
			continue
		}
		m.open++
		b.write(makes, object.Namespace, func(ctx context.Context) error { return b.writer.Create(ctx, object) }, func(err error) { b.placeholderMade(a, object, err) })
	}
}

// placeholderMade takes how the write of a placeholder ended.
func (b *Bridge) placeholderMade(a *application, object *v1.Pod, err error) {
	m := &a.making
	m.open--
	if b.applications[a.id] != a {
		return
	}
	if _, missing := a.missing[object.Name]; !missing {
		b.makeSome(a)
		return
	}
	if err == nil {
		a.wrong(object.Name, "")
		m.tries = 0
		b.makeSome(a)
		return
	}
	a.wrong(object.Name, err.Error())
	m.line = append(m.line, object) // behind the others, which may be such that they can be made
	if m.rests {
		return
	}
	b.Log.Warn("a placeholder could not be made", "application", a.id, "placeholder", object.Name, "error", err)
	m.rests = true
	b.after(pause(m.tries), func() {
		m.rests = false
		if b.applications[a.id] == a {
			b.makeSome(a)
		}
	})
	m.tries++
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
	if wrong := a.missing[a.unmade]; wrong != "" {
		return fmt.Sprintf("the placeholder %s of the pod's task groups cannot be made: %s", a.unmade, wrong)
	}
	return fmt.Sprintf("%d placeholders of the pod's task groups have no node yet", len(a.missing))
}

// wrong notes why a placeholder cannot be made; empty: it is made.
func (a *application) wrong(name, why string) {
	a.missing[name] = why
	if why != "" && a.missing[a.unmade] == "" {
		a.unmade = name
	}
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
	if object := g.Placeholder(g.first, p.object.Name, b.PlaceholderImage); object != nil {
		a.missing[object.Name] = ""
		b.makePlaceholder(a, object)
	}
}

// remove ends a placeholder that is not needed any more, or a pod whose gang did not come together.
func (b *Bridge) remove(p *pod) {
	if !p.removing { // else it is tried until the pod is gone
		p.removing = true
		b.tryRemove(p, p.object, 0)
	}
}

func (b *Bridge) tryRemove(p *pod, object *v1.Pod, tries int) {
	if b.DryRun {
		b.todo.Put(func() { b.podDeleted(object) })
		return
	}
	b.write(ends, object.Namespace, func(ctx context.Context) error { return b.writer.Delete(ctx, object) }, func(err error) {
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
		b.write(ends, object.Namespace, func(ctx context.Context) error { return b.writer.Fail(ctx, object, why) }, func(err error) {
			if err != nil {
				b.Log.Warn("a pod of a gang that found no room could not be ended", "pod", p.name(), "error", err)
			}
		})
	}
}

// leftOver ends the placeholders of an application of which nothing else is there.
func (b *Bridge) leftOver(a *application) {
	if a.reals > 0 {
		return
	}
	for _, p := range a.pods {
		if p.object.DeletionTimestamp == nil && !p.removing {
			b.remove(p)
		}
	}
}
