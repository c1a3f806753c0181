// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package tenon is the connection to a scheduler: it registers a resource manager, opens the streams of the scheduler
// interface's later dialect with those for checks and recovery beside them, and registers again whenever one of them
// breaks. It knows nothing of Kubernetes.
//
// After a break it does not try to go on where it was: the bridge knows from the API server what runs, so it registers
// anew, which makes the scheduler forget what it was told, and tells everything again. A break, a scheduler that was
// restarted and a bridge that was restarted are one path.
package tenon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
	"tenon.invalid/kubernetes/internal/mailbox"
	si "tenon.invalid/proto/tenon/si/v1later"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

const (
	registration = 30 * time.Second // a scheduler that says nothing for so long is tried again
	firstPause   = 200 * time.Millisecond
	longestPause = 5 * time.Second
	maxMessage   = 64 << 20 // of an answer; those of the scheduler are around 64 KiB
)

// ErrReplaced ends a session: another one registered under its name.
var ErrReplaced = errors.New("another resource manager registered under this name")

// Listener hears of a session. It is called from several goroutines, one call of each stream after the other; no call may
// wait. Each call names its link: what comes from an earlier one is void.
type Listener interface {
	Registered(*Link)
	Nodes(*Link, *si.NodeResponse)
	Applications(*Link, *si.ApplicationResponse)
	Allocations(*Link, *si.AllocationResponse)
	Checks(*Link, *tenonv1.CheckPlacementsResponse)
	Recovered(*Link)
	Lost(*Link)
}

// Options of a session.
type Options struct {
	Address     string // as gRPC has it: unix:PATH, HOST:PORT
	Name        string // of the resource manager
	PolicyGroup string
	Version     string
	CheckWindow int // checks that may be open at once; 0: the scheduler's own limit
	Credentials credentials.TransportCredentials
	Log         *slog.Logger
}

// Connect returns a connection to a scheduler. If the scheduler is away, the connection is tried again every few seconds, however long
// that lasts; gRPC itself would make pauses of up to two minutes.
func Connect(address string, security credentials.TransportCredentials, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	connection, err := grpc.NewClient(address, append(more, grpc.WithTransportCredentials(security), grpc.WithConnectParams(grpc.ConnectParams{
		Backoff:           backoff.Config{BaseDelay: firstPause, Multiplier: 1.6, Jitter: 0.2, MaxDelay: longestPause},
		MinConnectTimeout: longestPause,
	}))...)
	if err != nil {
		return nil, fmt.Errorf("the scheduler's address: %w", err)
	}
	return connection, nil
}

// Run keeps a session until the context ends, or another one takes the name.
func Run(ctx context.Context, options Options, listener Listener) error {
	connection, err := Connect(options.Address, options.Credentials,
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second, PermitWithoutStream: true}))
	if err != nil {
		return err
	}
	defer connection.Close()
	pause := firstPause
	for {
		begun := time.Now()
		err := once(ctx, connection, options, listener)
		if ctx.Err() != nil {
			return nil
		}
		if status.Code(err) == codes.Aborted {
			return fmt.Errorf("%w: %w", ErrReplaced, err)
		}
		if time.Since(begun) > longestPause {
			pause = firstPause
		}
		options.Log.Warn("no session with the scheduler", "address", options.Address, "error", err, "again_in", pause)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

// once registers and returns when one of the streams ended.
func once(ctx context.Context, connection *grpc.ClientConn, options Options, listener Listener) error {
	extra := map[string]string{"recovery.hold": "true"}
	if options.CheckWindow > 0 {
		extra["checks.window"] = strconv.Itoa(options.CheckWindow)
	}
	registering, done := context.WithTimeout(ctx, registration)
	defer done()
	_, err := tenonv1.NewChecksClient(connection).RegisterResourceManager(registering, &tenonv1.RegisterResourceManagerRequest{
		RmID: options.Name, PolicyGroup: options.PolicyGroup, Version: options.Version, ExtraConfig: extra,
	}, grpc.WaitForReady(true))
	if err != nil {
		return fmt.Errorf("registration: %w", err)
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	link := newLink(options.Name, tenonv1.NewWhatIfClient(connection))
	var streams sync.WaitGroup
	scheduler := si.NewSchedulerClient(connection)
	start(ctx, cancel, &streams, "nodes", scheduler.UpdateNode, link.nodes, &si.NodeRequest{RmID: options.Name},
		func(heard *si.NodeResponse) { listener.Nodes(link, heard) })
	start(ctx, cancel, &streams, "applications", scheduler.UpdateApplication, link.applications, &si.ApplicationRequest{RmID: options.Name},
		func(heard *si.ApplicationResponse) { listener.Applications(link, heard) })
	start(ctx, cancel, &streams, "allocations", scheduler.UpdateAllocation, link.allocations, &si.AllocationRequest{RmID: options.Name},
		func(heard *si.AllocationResponse) { listener.Allocations(link, heard) })
	start(ctx, cancel, &streams, "checks", tenonv1.NewChecksClient(connection).CheckPlacements, link.checks,
		&tenonv1.CheckPlacementsRequest{RmID: options.Name},
		func(heard *tenonv1.CheckPlacementsResponse) { listener.Checks(link, heard) })
	start(ctx, cancel, &streams, "recovery", tenonv1.NewRecoveryClient(connection).UpdateRecovery, link.recovery,
		&tenonv1.RecoveryRequest{RmID: options.Name},
		func(heard *tenonv1.RecoveryResponse) {
			for _, state := range heard.States {
				if !state.Held {
					listener.Recovered(link)
				}
			}
		})
	listener.Registered(link)
	<-ctx.Done()
	streams.Wait()
	listener.Lost(link)
	return context.Cause(ctx)
}

// start opens a stream, says whose it is, and serves it by two goroutines; the first end of any stream cancels all.
func start[Q, A any](ctx context.Context, cancel context.CancelCauseFunc, streams *sync.WaitGroup, name string,
	open func(context.Context, ...grpc.CallOption) (grpc.BidiStreamingClient[Q, A], error),
	outbox *mailbox.Mailbox[*Q], hello *Q, hear func(*A),
) {
	stream, err := open(ctx)
	if err == nil {
		err = stream.Send(hello)
	}
	if err != nil && !errors.Is(err, io.EOF) { // EOF: the reader below learns why
		cancel(fmt.Errorf("stream of %s: %w", name, err))
		return
	}
	streams.Go(func() {
		for {
			heard, err := stream.Recv()
			if err != nil {
				cancel(fmt.Errorf("stream of %s: %w", name, err))
				return
			}
			hear(heard)
		}
	})
	streams.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-outbox.Ready():
			}
			for _, request := range outbox.Take() {
				if err := stream.Send(request); err != nil {
					return // the reader learns why
				}
			}
		}
	})
}
