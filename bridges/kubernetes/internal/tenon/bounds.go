// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package tenon

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// What the scheduler takes of one part of a request, by default (docs/grpc.md, docs/running.md). It refuses a request with a
// part beyond one of these bounds as a whole, and ends the stream.
const (
	partBytes   = 512 << 10
	partFields  = 8192
	textBytes   = 65_536
	nameBytes   = 1024 // of all texts but tags and attributes
	listEntries = 4096
)

// Refusal says why the scheduler would refuse a request with this part; nil if it takes the part. Whoever sends a part asks
// first, so that one object cannot end the session for all others.
func Refusal(part proto.Message) error {
	if size := proto.Size(part); size > partBytes {
		return fmt.Errorf("%d bytes in one message to the scheduler, want at most %d", size, partBytes)
	}
	fields := 0
	err := refusalOf(part.ProtoReflect(), &fields)
	if err == nil && fields > partFields {
		err = fmt.Errorf("%d fields in one message to the scheduler, want at most %d", fields, partFields)
	}
	return err
}

func refusalOf(message protoreflect.Message, fields *int) (wrong error) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		entries := 1
		single := func(one protoreflect.Value) {
			if wrong == nil && field.Message() != nil {
				wrong = refusalOf(one.Message(), fields)
			} else if wrong == nil && field.Kind() == protoreflect.StringKind {
				wrong = refusalOfName(one.String())
			}
		}
		switch {
		case field.IsMap():
			entries = value.Map().Len()
			value.Map().Range(func(key protoreflect.MapKey, one protoreflect.Value) bool {
				if field.MapValue().Message() != nil { // amounts by the names of their kinds
					wrong = refusalOfKind(key.String())
				} else {
					wrong = errors.Join(refusalOfText(key.String()), refusalOfText(one.String()))
				}
				return wrong == nil
			})
		case field.IsList():
			entries = value.List().Len()
			for i := range entries {
				single(value.List().Get(i))
			}
		default:
			single(value)
		}
		if wrong == nil && entries > listEntries {
			wrong = fmt.Errorf("%d entries in a list for the scheduler, want at most %d", entries, listEntries)
		}
		*fields += entries
		return wrong == nil
	})
	return wrong
}

func refusalOfText(text string) error {
	switch {
	case len(text) > textBytes:
		return fmt.Errorf("a text of %d bytes for the scheduler, want at most %d", len(text), textBytes)
	case !utf8.ValidString(text):
		return errors.New("a text for the scheduler with bytes that are no text")
	}
	return nil
}

func refusalOfName(name string) error {
	switch {
	case len(name) > nameBytes:
		return fmt.Errorf("a name of %d bytes for the scheduler, want at most %d", len(name), nameBytes)
	case strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		return errors.New("a name for the scheduler with control characters")
	}
	return refusalOfText(name)
}

func refusalOfKind(name string) error {
	if name == "" {
		return errors.New("a kind of resources without a name")
	}
	return refusalOfName(name)
}
