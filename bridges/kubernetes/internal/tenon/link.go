// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package tenon

import (
	"tenon.invalid/kubernetes/internal/mailbox"
	si "tenon.invalid/proto/tenon/si/v1later"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

// Parts of one request. A request may have 4 MiB; a node with a hundred labels or a pod's tags stay far below 8 KiB.
const most = 400

// Link is one registration with its streams. Its methods never wait; what is said on a link that is lost goes nowhere.
// Streams have no order among each other.
type Link struct {
	nodes        *mailbox.Mailbox[*si.NodeRequest]
	applications *mailbox.Mailbox[*si.ApplicationRequest]
	allocations  *mailbox.Mailbox[*si.AllocationRequest]
	checks       *mailbox.Mailbox[*tenonv1.CheckPlacementsRequest]
	recovery     *mailbox.Mailbox[*tenonv1.RecoveryRequest]
}

func newLink() *Link {
	return &Link{
		nodes:        mailbox.New[*si.NodeRequest](),
		applications: mailbox.New[*si.ApplicationRequest](),
		allocations:  mailbox.New[*si.AllocationRequest](),
		checks:       mailbox.New[*tenonv1.CheckPlacementsRequest](),
		recovery:     mailbox.New[*tenonv1.RecoveryRequest](),
	}
}

// Nodes says what nodes are, or what becomes of them.
func (l *Link) Nodes(nodes []*si.NodeInfo) {
	chunks(nodes, func(some []*si.NodeInfo) { l.nodes.Put(&si.NodeRequest{Nodes: some}) })
}

// Applications adds applications.
func (l *Link) Applications(added []*si.AddApplicationRequest) {
	chunks(added, func(some []*si.AddApplicationRequest) { l.applications.Put(&si.ApplicationRequest{New: some}) })
}

// RemovedApplications ends applications.
func (l *Link) RemovedApplications(removed []*si.RemoveApplicationRequest) {
	chunks(removed, func(some []*si.RemoveApplicationRequest) { l.applications.Put(&si.ApplicationRequest{Remove: some}) })
}

// Allocations says what is to run, and with a node what runs.
func (l *Link) Allocations(allocations []*si.Allocation) {
	chunks(allocations, func(some []*si.Allocation) { l.allocations.Put(&si.AllocationRequest{Allocations: some}) })
}

// Releases ends allocations and asks, or confirms that they ended.
func (l *Link) Releases(releases []*si.AllocationRelease) {
	chunks(releases, func(some []*si.AllocationRelease) {
		l.allocations.Put(&si.AllocationRequest{Releases: &si.AllocationReleasesRequest{AllocationsToRelease: some}})
	})
}

// Answers answers checks.
func (l *Link) Answers(answers []*tenonv1.CheckAnswer) {
	chunks(answers, func(some []*tenonv1.CheckAnswer) { l.checks.Put(&tenonv1.CheckPlacementsRequest{Answers: some}) })
}

// CheckAgain says that what was refused may be right by now.
func (l *Link) CheckAgain(again []*tenonv1.CheckAgain) {
	chunks(again, func(some []*tenonv1.CheckAgain) { l.checks.Put(&tenonv1.CheckPlacementsRequest{Again: some}) })
}

// RecoveryDone says that all that runs was told.
func (l *Link) RecoveryDone() {
	l.recovery.Put(&tenonv1.RecoveryRequest{Reports: []*tenonv1.RecoveryReport{{Done: true}}})
}

func chunks[T any](all []T, say func([]T)) {
	for len(all) > 0 {
		some := all[:min(most, len(all))]
		all = all[len(some):]
		say(some)
	}
}
