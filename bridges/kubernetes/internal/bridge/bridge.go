// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package bridge is the resource manager: it keeps what the API server says and what the scheduler was told, and closes
// the difference.
//
// All state belongs to one goroutine. Informers, the session's streams and finished writes leave it functions to call
// (Bridge.todo); after each batch it tells the scheduler what came of it. What to say is always derived from the state, not
// from what just happened, so a thing that is told twice, late or in another order ends up the same.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	schedulinglisters "k8s.io/client-go/listers/scheduling/v1"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
	"tenon.invalid/kubernetes/internal/cluster"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/mailbox"
	"tenon.invalid/kubernetes/internal/metrics"
	"tenon.invalid/kubernetes/internal/tenon"
)

const (
	beat      = time.Second      // how often is looked at what depends on time alone
	stuck     = 30 * time.Second // without a beat the bridge is not alive
	writes    = 64               // to the API server at one time
	retry     = 10 * time.Second // before what the scheduler refused is said again
	longRetry = 30 * time.Second // the longest pause between tries of a write
)

// Options of a bridge.
type Options struct {
	Client           kubernetes.Interface
	Events           kubernetes.Interface // writes events, which hold up nothing else; nil: Client does
	SchedulerName    string               // of pods that are the bridge's
	Ignore           []string             // kinds of demands (filters.Kinds) with which pods are placed although nobody looks at them
	Session          tenon.Options
	Patience         time.Duration // before it is said why a pod waits
	Repeat           time.Duration // before that is looked at again
	Explain          time.Duration // at least, between two explanations of the scheduler; 0: it is asked for none
	BudgetPatience   time.Duration // how long disruption budgets hold up the end of a victim
	PlaceholderImage string        // of pods that hold the room of gangs
	VouchedUsers     bool          // an admission step vouches for the users that pods name
	DryRun           bool          // nothing is written to the API server

	SharedApplications bool // applications of one name in several namespaces are one

	Lead       <-chan struct{} // until it is closed, the bridge reads the cluster along and does nothing; nil: it works at once
	Control    tenon.Control   // reports what the scheduler has and what its queues name; without a socket nobody does
	Registered func()          // called when the scheduler took the registration; it may not wait
	Metrics    *metrics.Metrics
	Log        *slog.Logger
}

// Bridge is made by New and works while Run does.
type Bridge struct {
	Options
	todo    *mailbox.Mailbox[func()]
	writer  *cluster.Writer
	filters *filters.Filters
	writing pool // of writes to the API server
	context context.Context

	namespaces corelisters.NamespaceLister
	classes    schedulinglisters.PriorityClassLister

	nodes        map[string]*node
	pods         map[types.UID]*pod
	applications map[string]*application
	gangs        map[string]*gang              // by application
	namers       map[string]map[types.UID]*pod // pods that name task groups, by application
	groups       map[string]*podGroup
	kinds        map[string]int  // of resources: how many nodes have some
	kept         map[string]bool // those of which the scheduler is told in this session
	queues       queueKinds
	unheard      map[types.UID]*pod // those that want a kind that no node has and no queue names
	claimless    claimless          // those whose claims of devices are not all there
	dirty        map[*node]struct{} // nodes of which the scheduler may know too little
	later        map[types.UID]*pod // those that are asked for again after a while
	refusals     refusals           // pods that were refused a node
	waiting      []types.UID        // asked for, and not looked at yet why they wait; by the time at which that is due
	again        []types.UID        // looked at, and due again; by that time
	explaining   bool               // more of those that wait are about to be looked at
	demands      classes            // of demands of pods, that nodes have as attributes
	questions    questions          // to the scheduler, why pods wait
	nominations  map[types.UID]*nomination
	link         *tenon.Link // nil: no session
	recovering   bool        // not all that runs is told and answered
	outbox       outbox
	stores       stores
	shared       sharing
	comparison   comparison
	stranded     stranded
	clearing     clearing
	rivalry      rivalry
	slow         slow

	made     time.Time    // what is reckoned from it does not change with a step of the clock
	lastBeat atomic.Int64 // nanoseconds after made; 0: none yet
	leads    atomic.Bool  // it works, and does not only read along
	knows    atomic.Bool  // the scheduler knows everything and places pods
}

// New gives a bridge that does nothing yet.
func New(options Options) *Bridge {
	return &Bridge{
		Options: options, todo: mailbox.New[func()](),
		nodes: map[string]*node{}, pods: map[types.UID]*pod{}, applications: map[string]*application{},
		dirty: map[*node]struct{}{}, later: map[types.UID]*pod{}, refusals: newRefusals(), slow: slow{}, gangs: map[string]*gang{}, namers: map[string]map[types.UID]*pod{},
		groups: map[string]*podGroup{}, kinds: map[string]int{}, kept: map[string]bool{}, unheard: map[types.UID]*pod{}, claimless: claimless{}, made: time.Now(),
		filters: new(filters.Filters), demands: classes{told: map[string]*filters.Attempt{}, of: map[string]string{}, rests: map[string]time.Time{}, refused: map[string]int{}},
		questions: questions{ask: (*tenon.Link).WhatIf}, nominations: map[types.UID]*nomination{},
	}
}

// Alive is an error where the bridge does not work on.
func (b *Bridge) Alive() error {
	if last := b.lastBeat.Load(); last != 0 && time.Since(b.made)-time.Duration(last) > stuck {
		return errors.New("the bridge is stuck")
	}
	return nil
}

// Ready is an error until the scheduler knows everything. One that only reads along is ready once it has read the cluster.
func (b *Bridge) Ready() error {
	if !b.leads.Load() && b.Lead != nil && b.lastBeat.Load() != 0 {
		return nil
	}
	if !b.knows.Load() {
		return errors.New("the scheduler was not told everything yet")
	}
	return nil
}

// Run works until the context ends or the session is another's.
func (b *Bridge) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b.context = ctx
	if b.SharedApplications {
		b.Log.Warn("applications are shared by all namespaces: whoever may create pods can use the queue and the quota of another namespace's application by its name")
	}
	if b.DryRun {
		b.writer = cluster.NewDryWriter(b.Log)
	} else {
		var err error
		events := b.Events
		if events == nil {
			events = b.Client
		}
		if b.writer, err = cluster.NewWriter(ctx, b.Client, events, b.SchedulerName); err != nil {
			return err
		}
	}
	if err := b.watch(ctx); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if b.Lead != nil {
			select {
			case <-b.Lead:
			case <-ctx.Done():
				return
			}
		}
		b.leads.Store(true)
		if err := tenon.Run(ctx, b.Session, listener{b}); err != nil {
			cancel(err)
		}
	}()
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			<-ended
			if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
				return err
			}
			return nil
		case <-ticker.C:
			now := time.Now()
			b.beat(now)
			b.startComparison(now)
		case <-b.todo.Ready():
			for _, do := range b.todo.Take() {
				do()
			}
		}
		b.turn()
		b.lastBeat.Store(int64(time.Since(b.made)))
	}
}

// turn tells the scheduler what came of what was done.
func (b *Bridge) turn() {
	for n := range b.dirty {
		b.syncNode(n)
	}
	clear(b.dirty)
	b.settle()
	if b.link != nil {
		b.outbox.flush(b.link)
	}
}

// watch starts the informers and waits until each thing that there is was left in the mailbox.
func (b *Bridge) watch(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(b.Client, 0, informers.WithTransform(b.shared.transform))
	factory.InformerFor(&v1.Pod{}, runningPods)
	b.namespaces = factory.Core().V1().Namespaces().Lister()
	b.stores = stores{factory.Core().V1().Pods().Informer().GetStore(), factory.Core().V1().Nodes().Informer().GetStore()}
	b.classes = factory.Scheduling().V1().PriorityClasses().Lister()
	core, storage := factory.Core().V1(), factory.Storage().V1()
	taintRules, err := b.serves(ctx, resourcev1.SchemeGroupVersion, "devicetaintrules")
	if err != nil {
		return err
	}
	if b.filters, err = filters.New(ctx, factory, filters.Options{
		Client: b.Client, Ignore: b.Ignore, TaintRules: taintRules, Recorder: b.writer.Recorder(),
	}); err != nil {
		return err
	}
	handled := []cache.InformerSynced{factory.Scheduling().V1().PriorityClasses().Informer().HasSynced}
	missed := func() { b.todo.Put(b.compareSoon) }
	handle := func(informer cache.SharedIndexInformer, handler cache.ResourceEventHandlerFuncs) {
		registration, wrong := informer.AddEventHandler(afterRelist{handler, missed})
		if wrong != nil {
			err = fmt.Errorf("informer: %w", wrong)
			return
		}
		handled = append(handled, registration.HasSynced)
	}
	handle(core.Namespaces().Informer(), b.ofNamespaces())
	handle(core.Nodes().Informer(), on(b, b.nodeChanged, b.nodeDeleted))
	served, err := b.serves(ctx, scheduling.SchemeGroupVersion, "podgroups")
	if err != nil {
		return err
	}
	if served {
		handle(factory.Scheduling().V1beta1().PodGroups().Informer(), on(b, b.podGroupChanged, b.podGroupDeleted))
	}
	handle(core.Pods().Informer(), on(b, b.podChanged, b.podDeleted))
	for kind, informer := range map[fwk.EventResource]cache.SharedIndexInformer{
		fwk.PersistentVolumeClaim: core.PersistentVolumeClaims().Informer(), fwk.PersistentVolume: core.PersistentVolumes().Informer(),
		fwk.StorageClass: storage.StorageClasses().Informer(), fwk.CSINode: storage.CSINodes().Informer(), fwk.CSIDriver: storage.CSIDrivers().Informer(),
		fwk.CSIStorageCapacity: storage.CSIStorageCapacities().Informer(), fwk.VolumeAttachment: storage.VolumeAttachments().Informer(),
	} {
		handle(informer, b.others(kind))
	}
	if err != nil {
		return err
	}
	devices, err := b.filters.HandleDevices(func(kind fwk.EventResource) cache.ResourceEventHandler { return afterRelist{b.others(kind), missed} })
	if err != nil {
		return fmt.Errorf("informer: %w", err)
	}
	handled = append(handled, devices...)
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), handled...) {
		return fmt.Errorf("the cluster was not read: %w", context.Cause(ctx))
	}
	return nil
}

// serves is true of an API server that has a resource of this name. One that is away is waited for, as informers do it.
func (b *Bridge) serves(ctx context.Context, group schema.GroupVersion, resource string) (bool, error) {
	for tries := 0; ; tries++ {
		served, err := b.Client.Discovery().ServerResourcesForGroupVersionWithContext(ctx, group.String())
		if err == nil {
			return slices.ContainsFunc(served.APIResources, func(one metav1.APIResource) bool { return one.Name == resource }), nil
		}
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		b.Log.Warn("the API server does not say whether it has a resource", "resource", resource, "error", err)
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("the cluster was not read: %w", context.Cause(ctx))
		case <-time.After(pause(tries)):
		}
	}
}

// runningPods leaves out those that have ended.
func runningPods(client kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
	running := fields.AndSelectors(fields.OneTermNotEqualSelector("status.phase", string(v1.PodSucceeded)),
		fields.OneTermNotEqualSelector("status.phase", string(v1.PodFailed))).String()
	return coreinformers.NewFilteredPodInformer(client, metav1.NamespaceAll, resync, cache.Indexers{},
		func(options *metav1.ListOptions) { options.FieldSelector = running })
}

// others hears of objects about which the scheduler is not told, and which refused pods may have waited for.
func (b *Bridge) others(kind fwk.EventResource) cache.ResourceEventHandlerFuncs {
	leave := func(old, now any) {
		b.todo.Put(func() {
			b.changed(filters.OfObject(kind, old, now))
			b.devicesChanged(kind, old, now)
		})
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(now any) { leave(nil, now) }, UpdateFunc: leave, DeleteFunc: func(old any) {
			if last, ok := old.(cache.DeletedFinalStateUnknown); ok {
				old = last.Obj
			}
			leave(old, nil)
		},
	}
}

// ofNamespaces leaves calls of namespaceChanged for the bridge's own goroutine.
func (b *Bridge) ofNamespaces() cache.ResourceEventHandlerFuncs {
	leave := func(old, now any) {
		before, _ := old.(*v1.Namespace)
		if after, ok := now.(*v1.Namespace); ok {
			b.todo.Put(func() { b.namespaceChanged(before, after) })
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: func(now any) { leave(nil, now) }, UpdateFunc: leave}
}

// afterRelist hands on what an informer found when it listed everything again because a watch expired. An informer reports an
// object that was made again under its name as a change; the handlers hear of a deletion and an addition. Each sign that the
// watch missed something calls missed. All methods run on the informer's goroutine.
type afterRelist struct {
	cache.ResourceEventHandlerFuncs
	missed func()
}

// OnUpdate compares UIDs.
func (h afterRelist) OnUpdate(old, now any) {
	before, ok := old.(metav1.Object)
	after, alsoOK := now.(metav1.Object)
	if !ok || !alsoOK || before.GetUID() == after.GetUID() {
		h.ResourceEventHandlerFuncs.OnUpdate(old, now)
		return
	}
	h.missed()
	h.ResourceEventHandlerFuncs.OnDelete(old)
	h.OnAdd(now, false)
}

// OnDelete looks whether the watch reported the deletion.
func (h afterRelist) OnDelete(object any) {
	if _, missed := object.(cache.DeletedFinalStateUnknown); missed {
		h.missed()
	}
	h.ResourceEventHandlerFuncs.OnDelete(object)
}

// on leaves calls for the bridge's own goroutine.
func on[T any](b *Bridge, changed, gone func(*T)) cache.ResourceEventHandlerFuncs {
	leave := func(do func(*T)) func(any) {
		return func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			if one, ok := object.(*T); ok {
				b.todo.Put(func() { do(one) })
			}
		}
	}
	change := leave(changed)
	return cache.ResourceEventHandlerFuncs{AddFunc: change, UpdateFunc: func(_, now any) { change(now) }, DeleteFunc: leave(gone)}
}

// write runs a call to the API server for a namespace elsewhere, and then what to do with how it ended here.
func (b *Bridge) write(kind urgency, namespace string, call func(context.Context) error, then func(error)) {
	b.writing.do(kind, namespace, func() {
		if b.context.Err() == nil {
			err := call(b.context)
			b.todo.Put(func() { then(err) })
		}
	})
}

// after runs something here after a while.
func (b *Bridge) after(pause time.Duration, do func()) {
	time.AfterFunc(pause, func() { b.todo.Put(do) })
}

// pause is how long to wait before the next try after so many that failed.
func pause(tries int) time.Duration {
	return min(time.Second<<min(tries, 10), longRetry)
}
