// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"slices"

	"tenon.invalid/kubernetes/internal/tenon"
	"tenon.invalid/kubernetes/internal/translate"
	si "tenon.invalid/proto/tenon/si/v1later"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

// outbox collects what one turn says, so that it goes out in few requests. What is about allocations keeps its order.
type outbox struct {
	nodes        []*si.NodeInfo
	applications []*si.AddApplicationRequest
	removed      []*si.RemoveApplicationRequest
	ordered      []any // *si.Allocation, *si.AllocationRelease, []*si.Allocation for those of one request
	answers      []*tenonv1.CheckAnswer
	again        []*tenonv1.CheckAgain
}

// remove ends an application. Removals go out before additions, so an addition that was not sent yet is dropped: the scheduler would
// have the application afterwards, and would refuse it when it is added again.
func (o *outbox) remove(application string) {
	o.applications = slices.DeleteFunc(o.applications, func(one *si.AddApplicationRequest) bool { return one.ApplicationID == application })
	request := &si.RemoveApplicationRequest{ApplicationID: application, PartitionName: translate.Partition}
	if tenon.Refusal(request) == nil { // else the scheduler was never told of it, and the request would end the session
		o.removed = append(o.removed, request)
	}
}

func (o *outbox) flush(link *tenon.Link) {
	link.Nodes(o.nodes)
	link.RemovedApplications(o.removed)
	link.Applications(o.applications)
	var allocations []*si.Allocation
	var releases []*si.AllocationRelease
	for _, one := range o.ordered {
		switch one := one.(type) {
		case *si.Allocation:
			link.Releases(releases)
			releases = nil
			allocations = append(allocations, one)
		case []*si.Allocation:
			link.Releases(releases)
			link.Allocations(allocations)
			link.Together(one)
			releases, allocations = nil, nil
		case *si.AllocationRelease:
			link.Allocations(allocations)
			allocations = nil
			releases = append(releases, one)
		}
	}
	link.Releases(releases)
	link.Allocations(allocations)
	link.Answers(o.answers)
	link.CheckAgain(o.again)
	*o = outbox{}
}
