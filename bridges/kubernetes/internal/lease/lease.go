// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package lease lets one of several bridges work: the one that holds a lease of Kubernetes. Whoever loses the lease ends, since a lease
// is no fence: what is under way is for pods by their UIDs, and what has to be known is read anew.
package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	duration   = 15 * time.Second // without a renewal, until the lease is free
	renewEvery = 2 * time.Second
	giveUp     = 10 * time.Second // of renewals that fail

	// look is the least time between two looks at the lease of a bridge that waits for it; the most is 2.2 times as long. A lease is free when
	// its duration is over since the waiting bridge saw the last renewal, and the next look takes the lease. So a fail-over takes the
	// duration and two looks at the most.
	look = 250 * time.Millisecond
)

// ErrLost ends a bridge that held the lease and could not renew it, or another one has it by now.
var ErrLost = errors.New("the lease was lost")

// Options of a lease.
type Options struct {
	Client          kubernetes.Interface // of its own limits: a busy bridge renews its lease
	Namespace, Name string
	Identity        string // of this process
	Log             *slog.Logger
}

// Run waits for the lease, calls work on another goroutine once it is held, and renews the lease until the context ends. Work has a context
// that ends with the lease. Run returns ErrLost if the lease ends before the context does.
func Run(ctx context.Context, o Options, work func(context.Context)) error {
	lock := &paced{now: time.Now, Interface: &resourcelock.LeaseLock{
		LeaseMeta: metav1.ObjectMeta{Name: o.Name, Namespace: o.Namespace}, Client: o.Client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: o.Identity},
	}}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: duration, RenewDeadline: giveUp, RetryPeriod: look, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { o.Log.Info("this one leads"); work(ctx) },
			OnStoppedLeading: func() { o.Log.Info("this one does not lead any more") },
		},
	})
	if err != nil {
		return fmt.Errorf("the lease: %w", err)
	}
	elector.Run(ctx)
	if ctx.Err() == nil {
		return ErrLost
	}
	return nil
}

// paced writes renewals every two seconds. An elector has one period for looking at the lease of another one and for renewing its own:
// looks are cheap and should be frequent, and renewals are writes.
type paced struct {
	resourcelock.Interface
	now     func() time.Time
	renewed time.Time // zero: this process does not hold the lease, as far as it wrote
}

// Create takes a lease that nobody has made yet.
func (p *paced) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return p.wrote(record, p.Interface.Create(ctx, record))
}

// Update writes the record unless it renews a lease that was renewed a moment ago.
func (p *paced) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if !p.renewed.IsZero() && record.HolderIdentity == p.Identity() && p.now().Sub(p.renewed) < renewEvery {
		return nil
	}
	return p.wrote(record, p.Interface.Update(ctx, record))
}

func (p *paced) wrote(record resourcelock.LeaderElectionRecord, err error) error {
	p.renewed = time.Time{}
	if err == nil && record.HolderIdentity == p.Identity() {
		p.renewed = p.now()
	}
	return err
}
