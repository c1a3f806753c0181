// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package mailbox hands things from many goroutines to one reader, who takes all that wait at once.
//
// It has no bound of its own: whoever puts things in bounds them (informers by what the cluster has, answers by the
// scheduler's outbox, requests by what the bridge knows). In return nobody who puts something in ever waits, so that two
// sides of a connection cannot wait for each other.
package mailbox

import "sync"

// Mailbox is safe for concurrent use. New makes one.
type Mailbox[T any] struct {
	lock    sync.Mutex
	waiting []T
	ready   chan struct{}
}

// New gives an empty mailbox.
func New[T any]() *Mailbox[T] {
	return &Mailbox[T]{ready: make(chan struct{}, 1)}
}

// Put adds one at the end.
func (m *Mailbox[T]) Put(one T) {
	m.lock.Lock()
	m.waiting = append(m.waiting, one)
	m.lock.Unlock()
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

// Ready has something to receive once there is something to take.
func (m *Mailbox[T]) Ready() <-chan struct{} { return m.ready }

// Take gives all that waits, in the order in which it came.
func (m *Mailbox[T]) Take() []T {
	m.lock.Lock()
	defer m.lock.Unlock()
	taken := m.waiting
	m.waiting = nil
	return taken
}
