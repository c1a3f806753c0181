// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Older are the numbers of the present version's schema that it reserves and the scheduler still fills: what clients of
// versions 1.3 and 1.5 know an allocation by, and the queue that the first ones were told.
var Older = map[protoreflect.FullName][]protowire.Number{
	"si.v1.Allocation":        {3, 7, 13},
	"si.v1.AllocationRelease": {3, 7},
}

// Book has which fields were said and heard, and complaints: of fields that arrived and are not in the schema, since the
// client would lose them.
type Book struct {
	older map[protoreflect.FullName][]protowire.Number

	mutex      sync.Mutex
	said       map[protoreflect.FullName]bool // of messages and of fields
	heard      map[protoreflect.FullName]bool
	complaints []string
}

// NewBook gives one without entries; `older` are numbers that may arrive although the schema has no field for them.
func NewBook(older map[protoreflect.FullName][]protowire.Number) *Book {
	return &Book{older: older, said: map[protoreflect.FullName]bool{}, heard: map[protoreflect.FullName]bool{}}
}

// Complaints gives those so far, each with the test that was at work.
func (b *Book) Complaints() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.complaints
}

func (b *Book) write(test string, in map[protoreflect.FullName]bool, message any) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.enter(test, in, message.(proto.Message).ProtoReflect())
}

func (b *Book) enter(test string, in map[protoreflect.FullName]bool, message protoreflect.Message) {
	name := message.Descriptor().FullName()
	in[name] = true
	for _, number := range unknown(message.GetUnknown()) {
		if !slices.Contains(b.older[name], number) {
			b.complaints = append(b.complaints, fmt.Sprintf("%s: %s has a field %d that the interface has not: %v",
				test, name, number, message.Interface()))
		}
	}
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		in[field.FullName()] = true
		switch {
		case field.IsMap():
			value.Map().Range(func(_ protoreflect.MapKey, entry protoreflect.Value) bool {
				if field.MapValue().Message() != nil {
					b.enter(test, in, entry.Message())
				}
				return true
			})
		case field.Message() == nil:
		case field.IsList():
			for i := range value.List().Len() {
				b.enter(test, in, value.List().Get(i).Message())
			}
		default:
			b.enter(test, in, value.Message())
		}
		return true
	})
}

func unknown(bytes protoreflect.RawFields) (numbers []protowire.Number) {
	for len(bytes) > 0 {
		number, _, length := protowire.ConsumeField(bytes)
		if length < 0 {
			return append(numbers, 0)
		}
		numbers, bytes = append(numbers, number), bytes[length:]
	}
	return numbers
}

// Absent gives what a service can say and nobody said or heard, but for the fields and messages in `without`.
func (b *Book) Absent(service protoreflect.ServiceDescriptor, without ...protoreflect.FullName) (out []string) {
	in, from := map[protoreflect.FullName]bool{}, map[protoreflect.FullName]bool{}
	for i := range service.Methods().Len() {
		reach(in, service.Methods().Get(i).Input())
		reach(from, service.Methods().Get(i).Output())
	}
	for name := range in {
		if !b.said[name] {
			out = append(out, fmt.Sprintf("%s was not said", name))
		}
	}
	for name := range from {
		if !b.heard[name] && !slices.Contains(without, name) {
			out = append(out, fmt.Sprintf("%s was not heard", name))
		}
	}
	slices.Sort(out)
	return out
}

// reach enters a message, its fields and those of the messages in it.
func reach(in map[protoreflect.FullName]bool, message protoreflect.MessageDescriptor) {
	if in[message.FullName()] || message.IsMapEntry() {
		return
	}
	in[message.FullName()] = true
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		in[field.FullName()] = true
		if field.IsMap() {
			field = field.MapValue()
		}
		if field.Message() != nil {
			reach(in, field.Message())
		}
	}
}

func (b *Book) unary(test string) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, request, answer any, connection *grpc.ClientConn,
		call grpc.UnaryInvoker, options ...grpc.CallOption) error {
		b.write(test, b.said, request)
		err := call(ctx, method, request, answer, connection, options...)
		if err == nil {
			b.write(test, b.heard, answer)
		}
		return err
	}
}

func (b *Book) stream(test string) grpc.StreamClientInterceptor {
	return func(ctx context.Context, description *grpc.StreamDesc, connection *grpc.ClientConn, method string,
		open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
		stream, err := open(ctx, description, connection, method, options...)
		return &written{stream, test, b}, err
	}
}

// written is a stream whose messages are entered.
type written struct {
	grpc.ClientStream
	test string
	book *Book
}

func (w *written) SendMsg(message any) error {
	w.book.write(w.test, w.book.said, message)
	return w.ClientStream.SendMsg(message)
}

func (w *written) RecvMsg(message any) error {
	err := w.ClientStream.RecvMsg(message)
	if err == nil {
		w.book.write(w.test, w.book.heard, message)
	}
	return err
}
