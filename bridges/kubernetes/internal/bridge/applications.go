// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/tenon"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// application is what pods that belong together are to the scheduler. It is told with the first pod that it is told of, and
// the scheduler ends it some time after the last.
type application struct {
	id         string
	standing   standing
	reason     string // of a rejection, or of its end
	retryAt    time.Time
	failed     bool              // ended against the pods' wish: they are not asked for again
	used       bool              // something of it was asked for or reported
	early      bool              // a gang that waits for the first answer what kinds queues name
	asks       translate.Amounts // of its placeholders together, as the scheduler was told; nil: of no gang
	looks      int               // for its namespace, in vain
	originator types.UID
	missing    map[string]string // placeholders that have no node yet, and why they are not made
	unmade     string            // one of those that cannot be made, which the pods' conditions name
	making     making            // of placeholders
	holders    map[string]*pod   // placeholders that are there, by name
	progress   time.Time         // when a placeholder had its node last
	gaveWay    bool              // to an older gang: the scheduler does not have it for a while
	yields     int               // how often
	pods       map[types.UID]*pod
	reals      int // of them are no placeholders
}

// add takes a pod in.
func (a *application) add(p *pod) {
	if a.pods[p.object.UID] == nil && !p.placeholder {
		a.reals++
	}
	a.pods[p.object.UID] = p
	if p.placeholder {
		a.holders[p.object.Name] = p
	}
}

// drop leaves a pod out.
func (a *application) drop(p *pod) {
	if a.pods[p.object.UID] != nil && !p.placeholder {
		a.reals--
	}
	delete(a.pods, p.object.UID)
	if a.holders[p.object.Name] == p {
		delete(a.holders, p.object.Name)
	}
}

// applicationOf gives a pod's application, which is told to the scheduler where it is not yet.
func (b *Bridge) applicationOf(p *pod) *application {
	a := b.applications[p.application]
	if a == nil {
		a = &application{id: p.application, originator: p.object.UID, pods: map[types.UID]*pod{}, holders: map[string]*pod{}}
		b.applications[p.application] = a
		b.sayApplication(a, p)
	}
	a.add(p)
	return a
}

// The namespace of a pod that was just made may come later than the pod, since each kind is watched by itself; its
// quotas would be lost.
const (
	namespaceLooks = 20
	namespacePause = 100 * time.Millisecond
)

func (b *Bridge) sayApplication(a *application, p *pod) {
	namespace, err := b.namespaces.Get(p.object.Namespace)
	if err != nil && a.looks < namespaceLooks {
		a.looks++
		b.after(namespacePause, func() {
			if b.applications[a.id] == a && a.standing == unknown && len(a.pods) > 0 {
				b.sayApplication(a, sorted(a.pods)[0])
			}
		})
		return
	}
	g := b.gangs[a.id]
	if a.early = g != nil && b.mayLearn(g.Ask()); a.early {
		return // the scheduler takes what a gang asks for with its application alone, so it cannot be told of the kind later
	}
	user, groups, err := translate.User(p.object, b.VouchedUsers)
	if err != nil {
		b.Log.Warn("a pod's user cannot be read", "pod", p.name(), "error", err)
	}
	tags, wrong := translate.ApplicationTags(p.object.Namespace, namespace)
	for _, err := range wrong {
		b.Log.Warn("an annotation is left out", "error", err)
	}
	a.standing, a.asks = said, nil
	request := &si.AddApplicationRequest{
		ApplicationID: a.id, QueueName: translate.Queue(p.object), PartitionName: translate.Partition,
		Ugi: &si.UserGroupInformation{User: user, Groups: groups}, Tags: tags,
	}
	if g != nil {
		g.Tags(g.first, tags)
		a.asks = b.known(g.Ask())
		request.PlaceholderAsk, request.GangSchedulingStyle = a.asks.Message(), g.Style
		request.ExecutionTimeoutMilliSeconds = g.Timeout.Milliseconds()
	}
	if err := tenon.Refusal(request); err != nil {
		b.applicationRejected(a.id, err.Error())
		return
	}
	b.outbox.applications = append(b.outbox.applications, request)
}

// unwanted is true of a pod whose application the scheduler does not have and will not have for now: what such a pod takes
// is occupied by others.
func (b *Bridge) unwanted(p *pod) bool {
	a := b.applications[p.application]
	return a != nil && (a.standing == rejected || a.failed) || p.rejected != "" || p.wrong != ""
}

func (b *Bridge) applicationAccepted(id string) {
	if a := b.applications[id]; a != nil && a.standing == said {
		a.standing, a.reason, a.gaveWay, a.progress = accepted, "", false, time.Now()
		if b.sayGangAnew(a) {
			return // the kinds that the scheduler may be told of have changed since the request
		}
		b.hold(a)
		b.revisit(a)
		b.leftOver(a)
	}
}

// sayGangsAnew calls sayGangAnew for all gangs.
func (b *Bridge) sayGangsAnew() {
	for _, id := range slices.Sorted(maps.Keys(b.gangs)) {
		if a := b.applications[id]; a != nil {
			b.sayGangAnew(a)
		}
	}
}

// sayGangAnew takes a gang back from the scheduler and tells it again, if the scheduler was told what its placeholders ask for
// together in other kinds of resources than it may be told now. The scheduler takes these amounts with the application alone. A gang
// of which something has a node stays as it is. Returns whether it told the gang again.
func (b *Bridge) sayGangAnew(a *application) bool {
	g := b.gangs[a.id]
	if g == nil || a.asks == nil || a.standing != accepted || a.failed || len(a.pods) == 0 || maps.Equal(a.asks, b.known(g.Ask())) {
		return false
	}
	for _, p := range a.pods {
		if p.node != "" {
			return false
		}
	}
	b.outbox.remove(a.id)
	for _, p := range a.pods {
		p.standing = untold
	}
	a.standing, a.used = unknown, false
	b.sayApplication(a, sorted(a.pods)[0])
	return true
}

func (b *Bridge) applicationRejected(id, reason string) {
	if a := b.applications[id]; a != nil && a.standing == said {
		a.standing, a.reason, a.gaveWay, a.retryAt = rejected, reason, false, time.Now().Add(retry)
		b.Log.Warn("the scheduler refused an application", "application", id, "reason", reason)
		for _, p := range a.pods {
			if p.wanted() && p.waitsFor != "" {
				b.tell(p, b.why(p, nil).words())
			}
		}
		b.revisit(a)
	}
}

// applicationState follows how an application ends.
func (b *Bridge) applicationState(id, state, message string) {
	a := b.applications[id]
	if a == nil {
		return
	}
	switch state {
	case "Failing", "Failed":
		a.failed, a.reason = true, state+": "+message
		b.disband(a)
	case "Completed", "Expired":
		if a.failed {
			return
		}
		delete(b.applications, id)
		for _, p := range sorted(a.pods) { // those that came meanwhile
			if p.standing == asked || p.standing == checked {
				b.leave(p)
				p.standing = untold
			}
		}
	case "Starting", "Running", "Resuming":
		b.resumed(a)
		return
	default:
		return
	}
	b.revisit(a)
}

// revisit looks again at all pods of an application.
func (b *Bridge) revisit(a *application) {
	for _, p := range sorted(a.pods) {
		b.reconcile(p)
		if p.node != "" {
			b.touch(b.nodeOf(p.node))
		}
	}
}

// left takes a pod out of its application.
func (b *Bridge) left(p *pod) {
	a := b.applications[p.application]
	if a == nil {
		return
	}
	a.drop(p)
	if len(a.pods) > 0 {
		if p.placeholder {
			b.lost(a, p)
		}
		b.leftOver(a)
		return
	}
	if a.standing == rejected || a.failed || a.standing == unknown {
		delete(b.applications, a.id)
	} else if !a.used { // nothing that ends will end it
		delete(b.applications, a.id)
		b.outbox.remove(a.id)
	}
}
