// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package session

import (
	"context"
	"io"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Stream is one bidirectional call. Answers are read by a goroutine of its own and kept until somebody waits for them.
type Stream[Q, A any] struct {
	t      *testing.T
	call   grpc.BidiStreamingClient[Q, A]
	cancel context.CancelFunc
	heard  chan *A
	kept   []*A // heard, and not taken yet
	end    chan error
}

// Opener is a method of a generated client.
type Opener[Q, A any] func(context.Context, ...grpc.CallOption) (grpc.BidiStreamingClient[Q, A], error)

// Open opens a call and says who speaks.
func Open[Q, A any](t *testing.T, open Opener[Q, A], hello *Q) *Stream[Q, A] {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	call, err := open(ctx, grpc.WaitForReady(true))
	if err != nil {
		t.Fatal(err)
	}
	s := &Stream[Q, A]{t: t, call: call, cancel: cancel, heard: make(chan *A, 1024), end: make(chan error, 1)}
	go func() {
		for {
			answer, err := call.Recv()
			if err != nil {
				s.end <- err
				close(s.heard)
				return
			}
			s.heard <- answer
		}
	}()
	s.Say(hello)
	return s
}

// Say sends a request.
func (s *Stream[Q, A]) Say(request *Q) {
	s.t.Helper()
	if err := s.call.Send(request); err != nil {
		s.t.Fatalf("the stream does not take a request: %v", err)
	}
}

// next takes one more answer into those that are kept; false where none came in time, or none will.
func (s *Stream[Q, A]) next(until <-chan time.Time) bool {
	select {
	case answer, more := <-s.heard:
		if more {
			s.kept = append(s.kept, answer)
		}
		return more
	case <-until:
		return false
	}
}

// Take waits until `parts` finds a part that `wanted` takes among the answers, and gives it. It is taken out of what
// the next call looks at: each part is taken once, in whatever order the parts came.
func Take[Q, A, P any](s *Stream[Q, A], what string, parts func(*A) *[]*P, wanted func(*P) bool) *P {
	s.t.Helper()
	until := time.After(Within)
	for at := 0; ; at++ {
		for at == len(s.kept) {
			if !s.next(until) {
				s.t.Fatalf("no %s; heard were %v", what, s.kept)
			}
		}
		of := parts(s.kept[at])
		for i, part := range *of {
			if wanted(part) {
				*of = append((*of)[:i:i], (*of)[i+1:]...)
				return part
			}
		}
	}
}

// Hears waits for an answer that `wanted` takes.
func (s *Stream[Q, A]) Hears(what string, wanted func(*A) bool) {
	s.t.Helper()
	until := time.After(Within)
	for at := 0; ; at++ {
		for at == len(s.kept) {
			if !s.next(until) {
				s.t.Fatalf("no %s; heard were %v", what, s.kept)
			}
		}
		if wanted(s.kept[at]) {
			return
		}
	}
}

// Unlike fails where a part that `unwanted` takes is among the answers so far.
func Unlike[Q, A, P any](s *Stream[Q, A], what string, parts func(*A) *[]*P, unwanted func(*P) bool) {
	s.t.Helper()
	for len(s.heard) > 0 && s.next(time.After(Within)) {
	}
	for _, answer := range s.kept {
		for _, part := range *parts(answer) {
			if unwanted(part) {
				s.t.Fatalf("%s: %v", what, part)
			}
		}
	}
}

// Cut breaks the call, as a connection does that is lost.
func (s *Stream[Q, A]) Cut() {
	s.t.Helper()
	s.cancel()
	s.Ends(codes.Canceled)
}

// Leave says goodbye: the server is to end the call with OK.
func (s *Stream[Q, A]) Leave() {
	s.t.Helper()
	if err := s.call.CloseSend(); err != nil {
		s.t.Fatal(err)
	}
	s.Ends(codes.OK)
}

// Ends waits for the end of the call, and for this status.
func (s *Stream[Q, A]) Ends(wanted codes.Code) *status.Status {
	s.t.Helper()
	until := time.After(Within)
	for {
		select {
		case <-s.heard:
		case err := <-s.end:
			got := status.Convert(err)
			if err == io.EOF {
				got = status.New(codes.OK, "")
			}
			if got.Code() != wanted {
				s.t.Fatalf("the stream ended with %v, not with %v", got, wanted)
			}
			return got
		case <-until:
			s.t.Fatalf("the stream does not end with %v", wanted)
		}
	}
}

// Context gives one that ends when nothing can come any more.
func Context(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), Within)
	t.Cleanup(cancel)
	return ctx
}

// Refused wants an error of this code.
func Refused(t *testing.T, err error, wanted codes.Code) *status.Status {
	t.Helper()
	if status.Code(err) != wanted {
		t.Fatalf("want %v, have %v", wanted, err)
	}
	return status.Convert(err)
}
