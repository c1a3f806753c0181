// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package session

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"tenon.invalid/clients/public"
)

func TestAFieldThatTheSchemaLacksIsAComplaint(t *testing.T) {
	book := NewBook(Older)
	inside := &public.Allocation{AllocationKey: "ask"}
	inside.ProtoReflect().SetUnknown(protowire.AppendTag(nil, 3, protowire.BytesType))
	inside.ProtoReflect().SetUnknown(protowire.AppendString(inside.ProtoReflect().GetUnknown(), "an older one"))
	book.write("a test", book.heard, &public.AllocationResponse{New: []*public.Allocation{inside}})
	if got := book.Complaints(); len(got) != 0 {
		t.Errorf("complaints of what older versions have: %v", got)
	}
	answer := &public.AllocationResponse{New: []*public.Allocation{inside}}
	answer.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, 4, protowire.BytesType), "a rejection"))
	book.write("a test", book.heard, answer)
	if got := book.Complaints(); len(got) != 1 || !strings.Contains(got[0], "AllocationResponse has a field 4") {
		t.Errorf("have %v", got)
	}
}

func TestWhatNobodySaidIsAbsent(t *testing.T) {
	book, service := NewBook(nil), public.File_public_si_proto.Services().ByName("Scheduler")
	before := len(book.Absent(service))
	book.write("a test", book.said, &public.NodeRequest{Nodes: []*public.NodeInfo{{NodeID: "node"}}})
	book.write("a test", book.heard, &public.NodeResponse{Accepted: []*public.AcceptedNode{{NodeID: "node"}}})
	if after := len(book.Absent(service)); before-after != 8 { // each way two messages, with a field each
		t.Errorf("%d were absent, %d are", before, after)
	}
	if got := book.Absent(service); !strings.Contains(strings.Join(got, "\n"), "si.v1.NodeInfo.attributes was not said") {
		t.Errorf("have %v", got)
	}
}
