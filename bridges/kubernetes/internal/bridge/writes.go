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

// pool runs writes. It is safe for concurrent use.
type pool struct {
	lock    sync.Mutex
	running [urgencies]int
	all     int
	waiting [urgencies][]func()
}

// do runs a write on a goroutine of its own, as soon as there is a place for it.
func (p *pool) do(kind urgency, write func()) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.waiting[kind] = append(p.waiting[kind], write)
	p.start()
}

// start runs what may run. The lock is held.
func (p *pool) start() {
	for kind := range urgencies {
		for len(p.waiting[kind]) > 0 && p.running[kind] < mostWrites[kind] && p.all < writes {
			write := p.waiting[kind][0]
			p.waiting[kind] = p.waiting[kind][1:]
			p.running[kind]++
			p.all++
			go func() {
				write()
				p.lock.Lock()
				defer p.lock.Unlock()
				p.running[kind]--
				p.all--
				p.start()
			}()
		}
	}
}
