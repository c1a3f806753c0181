// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package lease

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// written is a lock that counts writes.
type written struct {
	resourcelock.Interface
	writes int
	wrong  error
}

func (w *written) Identity() string { return "this" }

func (w *written) Create(context.Context, resourcelock.LeaderElectionRecord) error {
	w.writes++
	return w.wrong
}

func (w *written) Update(context.Context, resourcelock.LeaderElectionRecord) error {
	w.writes++
	return w.wrong
}

func TestPaced_WritesRenewalsEveryTwoSeconds_AndAllElseAtOnce(t *testing.T) {
	now := time.Unix(0, 0)
	inner := &written{}
	lock := &paced{Interface: inner, now: func() time.Time { return now }}
	update := func(holder string) error {
		return lock.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: holder})
	}
	writes := func(what string, want int) {
		t.Helper()
		if inner.writes != want {
			t.Errorf("%s: %d writes, want %d", what, inner.writes, want)
		}
	}
	_ = update("this")
	writes("the lease is taken from another one", 1)
	for range 7 {
		now = now.Add(look)
		_ = update("this")
	}
	writes("1.75 s after that", 1)
	now = now.Add(look)
	_ = update("this")
	writes("2 s after that", 2)
	inner.wrong = errors.New("away")
	now = now.Add(renewEvery)
	if err := update("this"); err == nil {
		t.Error("a renewal that failed counts as one that did not")
	}
	_ = update("this")
	writes("a renewal that failed is tried again at once", 4)
	inner.wrong = nil
	_ = update("this")
	_ = update("")
	writes("the lease is given away", 6)
	_ = update("this")
	writes("and taken again", 7)
}

// A bridge that waits sees renewals soon, and takes the lease soon after it is free: looks are not as seldom as renewals.
func TestRun_LooksAtTheLeaseOfAnotherOneOftenerThanThatIsRenewed(t *testing.T) {
	client := fake.NewClientset()
	var looks, renewals atomic.Int64
	client.PrependReactor("get", "leases", func(kubetesting.Action) (bool, runtime.Object, error) {
		looks.Add(1)
		return false, nil, nil
	})
	client.PrependReactor("update", "leases", func(kubetesting.Action) (bool, runtime.Object, error) {
		renewals.Add(1)
		return false, nil, nil
	})
	run := func(ctx context.Context, identity string) (leads chan struct{}, ended chan error) {
		leads, ended = make(chan struct{}), make(chan error, 1)
		options := Options{Client: client, Namespace: "tenon", Name: "l", Identity: identity, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
		go func() { ended <- Run(ctx, options, func(context.Context) { close(leads) }) }()
		return leads, ended
	}
	holding, giveAway := context.WithCancel(t.Context())
	leads, ended := run(holding, "holder")
	<-leads
	waiting, end := context.WithCancel(t.Context())
	defer end()
	next, nextEnded := run(waiting, "waits")
	for renewals.Load() < 2 {
		time.Sleep(look / 10)
	}
	if looks, renewals := looks.Load(), renewals.Load(); looks <= renewals {
		t.Errorf("%d looks during %d renewals", looks, renewals)
	}
	giveAway()
	if err := <-ended; err != nil {
		t.Errorf("a lease that is given away: %v", err)
	}
	<-next
	end()
	if err := <-nextEnded; err != nil {
		t.Errorf("a lease that is given away: %v", err)
	}
}
