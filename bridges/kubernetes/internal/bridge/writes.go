// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import "sync"

// urgency is the kind of a write to the API server. Where many wait, those of the first kind go first. Events go by a client
// of their own, behind all of them.
type urgency int

const (
	binds      urgency = iota
	ends               // of placeholders, and of pods of gangs that found no room
	evicts             // of victims; a budget may hold one up for seconds
	makes              // of placeholders
	conditions         // of pods and groups, which explain and decide nothing
	urgencies
)

// mostWrites is how many writes of each kind are under way at one time, and writes how many of all kinds. Each kind has a share
// that no other kind takes: those of the others leave a quarter to the bindings.
var mostWrites = [urgencies]int{binds: writes, ends: ofOneKind, evicts: ofOneKind, makes: ofOneKind, conditions: ofOneKind}

const ofOneKind = writes * 3 / 16

// mostOfNamespace returns how many writes of a kind may be under way for one namespace. If an admission step holds all of them up, a
// quarter is left for other namespaces.
func mostOfNamespace(kind urgency) int { return mostWrites[kind] * 3 / 4 }

// pool runs writes. It is safe for concurrent use.
type pool struct {
	lock    sync.Mutex
	running [urgencies]int
	of      [urgencies]map[string]int // running writes by namespace
	all     int
	waiting [urgencies]turns[func()] // by namespace
}

// do runs a write for a namespace on a goroutine of its own, as soon as there is a place for it.
func (p *pool) do(kind urgency, namespace string, write func()) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.waiting[kind].put(namespace, write)
	p.start()
}

// start runs what may run. The lock is held.
func (p *pool) start() {
	for kind := range urgencies {
		for p.running[kind] < mostWrites[kind] && p.all < writes {
			namespace, write, some := p.waiting[kind].take(func(namespace string) bool { return p.of[kind][namespace] < mostOfNamespace(kind) })
			if !some {
				break
			}
			p.count(kind, namespace, 1)
			go func() {
				write()
				p.lock.Lock()
				defer p.lock.Unlock()
				p.count(kind, namespace, -1)
				p.start()
			}()
		}
	}
}

// count adds to the numbers of writes that run. The lock is held.
func (p *pool) count(kind urgency, namespace string, more int) {
	p.running[kind] += more
	p.all += more
	if p.of[kind] == nil {
		p.of[kind] = map[string]int{}
	}
	if p.of[kind][namespace] += more; p.of[kind][namespace] == 0 {
		delete(p.of[kind], namespace)
	}
}
