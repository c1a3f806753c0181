// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package tenon

import (
	"context"

	"google.golang.org/protobuf/proto"
	"tenon.invalid/kubernetes/internal/mailbox"
	si "tenon.invalid/proto/tenon/si/v1later"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

// Of one request, of which the scheduler takes 4 MiB: a part has what people write into labels and annotations, 1.5 MiB at
// the most, which is what etcd takes.
const (
	mostParts = 400
	mostBytes = 2 << 20

	mostTogether = 4096 // so many requests of one resource manager the scheduler applies in one turn
)

// Link is one registration with its streams. Its methods never wait, but for WhatIf; what is said on a link that is lost
// goes nowhere. Streams have no order among each other.
type Link struct {
	rm           string
	questions    tenonv1.WhatIfClient
	nodes        *mailbox.Mailbox[*si.NodeRequest]
	applications *mailbox.Mailbox[*si.ApplicationRequest]
	allocations  *mailbox.Mailbox[*si.AllocationRequest]
	checks       *mailbox.Mailbox[*tenonv1.CheckPlacementsRequest]
	recovery     *mailbox.Mailbox[*tenonv1.RecoveryRequest]
}

func newLink(rm string, questions tenonv1.WhatIfClient) *Link {
	return &Link{
		rm: rm, questions: questions,
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

// Together asks for all of these in one request, which the scheduler applies before it places any of them. More than
// mostTogether of them, or more than mostBytes, go in several requests.
func (l *Link) Together(allocations []*si.Allocation) {
	chunksOf(mostTogether, allocations, func(some []*si.Allocation) { l.allocations.Put(&si.AllocationRequest{Allocations: some}) })
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

// WhatIf asks what would become of asks, and waits for the answer.
func (l *Link) WhatIf(ctx context.Context, question *tenonv1.WhatIfRequest) (*tenonv1.WhatIfResponse, error) {
	question.RmID = l.rm
	return l.questions.Ask(ctx, question)
}

// RecoveryDone says that all that runs was told.
func (l *Link) RecoveryDone() {
	l.recovery.Put(&tenonv1.RecoveryRequest{Reports: []*tenonv1.RecoveryReport{{Done: true}}})
}

func chunks[M proto.Message](all []M, say func([]M)) { chunksOf(mostParts, all, say) }

func chunksOf[M proto.Message](most int, all []M, say func([]M)) {
	for len(all) > 0 {
		parts := 1
		for bytes := proto.Size(all[0]); parts < min(most, len(all)); parts++ {
			if bytes += proto.Size(all[parts]); bytes > mostBytes {
				break
			}
		}
		say(all[:parts])
		all = all[parts:]
	}
}
