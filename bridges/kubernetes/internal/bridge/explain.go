// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/cluster"
	"tenon.invalid/kubernetes/internal/tenon"
	"tenon.invalid/kubernetes/internal/translate"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

const (
	answerWithin  = 5 * time.Second // of one question
	notAnswered   = time.Minute     // before the next one, after one without an answer
	share         = 50              // of the time one part at most is spent with questions
	mostAsks      = 100             // of one question, which the scheduler takes
	longestHolds  = 600             // bytes of what holds a pod
	longestChange = 400             // bytes of what would let it run
	longLine      = 30              // of pods before one: its condition does not wait for the explanation
)

// questions are those to the scheduler about why pods wait. One is open at a time, since each costs the scheduler a copy of
// the partition.
type questions struct {
	ask  func(*tenon.Link, context.Context, *tenonv1.WhatIfRequest) (*tenonv1.WhatIfResponse, error)
	line inLine
	open bool
	next time.Time // not before that
}

// inLine is a line of pods. Namespaces take turns, and within a namespace its applications do.
type inLine struct {
	namespaces   turns[struct{}]
	applications map[string]*turns[types.UID]
}

func (l *inLine) put(p *pod) {
	namespace := p.object.Namespace
	if l.applications == nil {
		l.applications = map[string]*turns[types.UID]{}
	}
	if l.applications[namespace] == nil {
		l.applications[namespace] = &turns[types.UID]{}
	}
	l.applications[namespace].put(p.application, p.object.UID)
	l.namespaces.put(namespace, struct{}{})
}

func (l *inLine) count() int { return l.namespaces.count }

// take returns the next one; false if there is none.
func (l *inLine) take() (types.UID, bool) {
	namespace, _, some := l.namespaces.take(nil)
	if !some {
		return "", false
	}
	_, next, _ := l.applications[namespace].take(nil)
	if l.applications[namespace].count == 0 {
		delete(l.applications, namespace)
	}
	return next, true
}

// find takes why a pod waits, and has the scheduler asked where it is for it to say more. The condition has the bridge's own
// words until then, unless the pod is the first in line, and keeps what it has while the line is short.
func (b *Bridge) find(p *pod, why found) {
	same := why == p.found
	p.found = why
	if b.Explain == 0 || p.standing != asked {
		b.tell(p, why.words())
		return
	}
	q := &b.questions
	first := q.line.count() == 0 && !q.open && !time.Now().Before(q.next)
	if p.waitsFor == "" && !first && !p.inLine || !same && q.line.count() > longLine {
		b.tell(p, why.words())
	}
	if !p.inLine {
		p.inLine = true
		q.line.put(p)
	}
}

// question asks about the pod whose turn it is.
func (b *Bridge) question(now time.Time) {
	q := &b.questions
	if q.open || b.recovering || now.Before(q.next) {
		return
	}
	for {
		uid, some := q.line.take()
		if !some {
			return
		}
		p := b.pods[uid]
		if p == nil {
			continue
		}
		p.inLine = false
		a := b.applications[p.application]
		if a == nil || !p.wanted() || p.standing != asked {
			continue
		}
		q.open = true
		link, about := b.link, b.about(p, a)
		go func() {
			ctx, cancel := context.WithTimeout(b.context, answerWithin)
			defer cancel()
			begun := time.Now()
			answer, err := q.ask(link, ctx, about)
			took := time.Since(begun)
			b.todo.Put(func() { b.answered(p, link, answer, took, err) })
		}()
		return
	}
}

// about asks about the ask that a pod is. The scheduler takes an ask that comes again for a new one, which is behind all
// others of its application: so those that are behind it come again, too, as long as there are not too many.
func (b *Bridge) about(p *pod, a *application) *tenonv1.WhatIfRequest {
	asks := []*tenonv1.AskIf{b.askIf(p, a)}
	for _, other := range sorted(a.pods) {
		if other.standing == asked && other.placeholder == p.placeholder && oldest(p, other) < 0 {
			asks = append(asks, b.askIf(other, a))
		}
	}
	if len(asks) > mostAsks {
		asks = asks[:1]
	}
	now := uint32(0)
	return &tenonv1.WhatIfRequest{
		Partition: translate.Partition, WithinMs: &now,
		Applications: []*tenonv1.ApplicationIf{{Application: a.id, Gang: p.placeholder, Asks: asks}},
	}
}

func (b *Bridge) askIf(p *pod, a *application) *tenonv1.AskIf {
	return translate.Question(p.object, b.roleOf(p, a), b.known(p.amounts))
}

// answered writes what the scheduler says. A pod of which something else came meanwhile is told then.
func (b *Bridge) answered(p *pod, link *tenon.Link, answer *tenonv1.WhatIfResponse, took time.Duration, err error) {
	b.questions.open = false
	if b.link != link {
		return
	}
	pause := max(b.Explain, share*took)
	if err != nil {
		if !aboutOne(err) {
			pause = notAnswered
		}
		b.Log.Info("the scheduler does not say why a pod waits", "pod", p.name(), "error", err, "again_in", pause)
	}
	b.questions.next = time.Now().Add(pause)
	if b.pods[p.object.UID] != p || !p.wanted() || p.standing != asked {
		return
	}
	if more := explanation(answer); more != "" {
		b.tell(p, strings.TrimSuffix(p.found.known, ".")+". Tenon: "+more)
	} else {
		b.tell(p, p.found.words())
	}
}

// aboutOne is true of errors that are about the question alone, and say nothing of those about other pods.
func aboutOne(err error) bool {
	switch status.Code(err) {
	case codes.InvalidArgument, codes.NotFound, codes.ResourceExhausted:
		return true
	}
	return false
}

// explanation is what an answer says of its first ask: what holds it, with numbers, and the smallest change that would let
// it run. Empty where that says nothing: it would be placed, but for what only the bridge knows.
func explanation(answer *tenonv1.WhatIfResponse) string {
	if answer == nil || len(answer.Asks) == 0 {
		return ""
	}
	one := answer.Asks[0]
	switch one.Outcome {
	case "evicts":
		return fmt.Sprintf("It runs when %d that give way to it are gone.", len(one.Victims))
	case "refused":
		return cluster.Cut(one.Message, longestHolds)
	}
	text := one.Explanation.GetFields()["text"].GetStringValue()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")[1:] // the first one names the ask
	if len(lines) == 0 {
		return ""
	}
	last := len(lines) - 1
	return strings.TrimPrefix(cluster.Cut(strings.Join(lines[:last], " "), longestHolds)+" "+cluster.Cut(lines[last], longestChange), " ")
}
