// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package filters says whether a pod may run on a node by kube-scheduler's own Filter and Reserve plugins, and says it in
// their words. They see the cluster as the bridge knows it: pods take room from the moment at which a placement is agreed.
package filters

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// Kinds of what a pod may demand, as an operator names them who wants nobody to look at it.
const (
	Volumes        = "volumes"
	PodAffinity    = "pod-affinity"
	TopologySpread = "topology-spread"
	ResourceClaims = "resource-claims"
)

// Kinds are all of them, and the plugins that look at them.
var Kinds = map[string][]string{
	Volumes:        {names.VolumeRestrictions, names.NodeVolumeLimits, names.VolumeBinding, names.VolumeZone},
	PodAffinity:    {names.InterPodAffinity},
	TopologySpread: {names.PodTopologySpread},
	ResourceClaims: {names.DynamicResources},
}

// Those that refuse what neither time nor other pods change come first, as in kube-scheduler.
var enabled = []string{
	names.NodeUnschedulable, names.NodeName, names.TaintToleration, names.NodeAffinity, names.NodeDeclaredFeatures, names.NodePorts,
	names.NodeResourcesFit, names.VolumeRestrictions, names.NodeVolumeLimits, names.VolumeBinding, names.VolumeZone, names.PodTopologySpread,
	names.InterPodAffinity, names.DynamicResources,
}

// reserving are the plugins that keep for a pod what it shares with others: volumes and devices.
var reserving = []string{names.VolumeBinding, names.DynamicResources}

// metrics of the plugins are counted by nobody, but they have to be there.
var metricsMade = sync.OnceFunc(metrics.InitMetrics)

// Options of filters.
type Options struct {
	Client     kubernetes.Interface
	Ignore     []string                   // kinds of demands at which no plugin looks
	TaintRules bool                       // the API server has rules that taint devices
	Recorder   events.EventRecorderLogger // takes the events of plugins; it may be nil where nothing is bound
}

// Filters belongs to one goroutine, but for what Attempt says of itself.
type Filters struct {
	framework framework.Framework
	ofNodes   framework.Framework // the plugins of OfNodes alone
	cluster   *cluster
	log       klog.Logger
	wakes     map[string][]fwk.ClusterEventWithHint // by plugin
	factory   informers.SharedInformerFactory
	devices   *devices // nil: nobody looks at claims of devices
	kept      map[[sha256.Size]byte]*kept
}

// New makes the plugins, less those of the kinds that are to be ignored. The factory is started by the caller, afterwards.
func New(ctx context.Context, factory informers.SharedInformerFactory, o Options) (*Filters, error) {
	metricsMade()
	f := &Filters{
		cluster: newCluster(), log: klog.FromContext(ctx), wakes: map[string][]fwk.ClusterEventWithHint{}, factory: factory,
		kept: map[[sha256.Size]byte]*kept{},
	}
	chosen := slices.Clone(enabled)
	for _, kind := range o.Ignore {
		chosen = slices.DeleteFunc(chosen, func(name string) bool { return slices.Contains(Kinds[kind], name) })
	}
	profile, err := profileOf(chosen)
	if err != nil {
		return nil, fmt.Errorf("filters: %w", err)
	}
	options := []runtime.Option{
		runtime.WithClientSet(o.Client), runtime.WithInformerFactory(factory), runtime.WithSnapshotSharedLister(f.cluster), runtime.WithLogger(f.log),
		runtime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
	}
	if slices.Contains(chosen, names.DynamicResources) {
		if f.devices, err = newDevices(ctx, f.log, factory, o); err != nil {
			return nil, fmt.Errorf("filters: %w", err)
		}
		options = append(options, runtime.WithSharedDRAManager(f.devices.manager))
	}
	if o.Recorder != nil {
		options = append(options, runtime.WithEventRecorder(o.Recorder))
	}
	if f.framework, err = runtime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile, options...); err != nil {
		return nil, fmt.Errorf("filters: %w", err)
	}
	if profile, err = profileOf(ofNodes); err != nil {
		return nil, fmt.Errorf("filters: %w", err)
	}
	if f.ofNodes, err = runtime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile, options...); err != nil {
		return nil, fmt.Errorf("filters: %w", err)
	}
	for _, plugin := range f.framework.EnqueueExtensions() {
		if f.wakes[plugin.Name()], err = plugin.EventsToRegister(ctx); err != nil {
			return nil, fmt.Errorf("filters: %s: %w", plugin.Name(), err)
		}
	}
	return f, nil
}

// profileOf gives kube-scheduler's defaults with these plugins. No constraints are made up for pods that have none.
func profileOf(chosen []string) (*config.KubeSchedulerProfile, error) {
	defaults, err := latest.Default()
	if err != nil {
		return nil, err
	}
	profile := &defaults.Profiles[0]
	for _, each := range profile.PluginConfig {
		switch args := each.Args.(type) {
		case *config.PodTopologySpreadArgs:
			args.DefaultingType = config.ListDefaulting
		case *config.DynamicResourcesArgs:
			args.FilterTimeout = &metav1.Duration{Duration: longestFilter}
		}
	}
	all := config.PluginSet{}
	for _, name := range append(slices.Clone(chosen), names.PrioritySort, names.DefaultBinder) { // no profile may be without the last two
		all.Enabled = append(all.Enabled, config.Plugin{Name: name})
	}
	profile.Plugins = &config.Plugins{MultiPoint: all} // each plugin wherever it works
	return profile, nil
}

// Attempt looks for a node for one pod: as the cluster is now, and not later.
type Attempt struct {
	filters *Filters
	by      framework.Framework
	pod     *v1.Pod
	state   fwk.CycleState // attempts for pods that are alike share it, so whoever changes the state copies it first
	nowhere *Refusal
	only    map[string]bool // nodes; nil: all
	onlyBy  []string        // the plugins that say so
	on      string          // what was reserved; empty: nothing
	works   bool            // PreBind has something to do
	claims  bool            // the pod has claims of devices
	spent   time.Duration   // on the claims so far
	longest time.Duration   // of that, on one node

	binding sync.Mutex // held by PreBind and Unreserve, which use the same state
	stop    chan struct{}
}

// Refusal says why not, and which plugins say so.
type Refusal struct {
	Reasons []string
	Plugins []string

	resolvable bool // it could be otherwise without some of the pods of the node
}

// Attempt begins one.
func (f *Filters) Attempt(ctx context.Context, pod *v1.Pod) *Attempt {
	key := f.likeness(pod)
	if key == nil {
		return f.attempt(ctx, f.framework, pod)
	}
	if k := f.kept[*key]; k != nil {
		return k.of(pod)
	}
	a := f.attempt(ctx, f.framework, pod)
	f.keep(*key, a)
	return a
}

func (f *Filters) attempt(ctx context.Context, by framework.Framework, pod *v1.Pod) *Attempt {
	a := &Attempt{filters: f, by: by, pod: pod, state: framework.NewCycleState(), stop: make(chan struct{}), claims: f.Claims(pod)}
	a.nowhere = a.guarded(func() *Refusal {
		result, status, plugins := by.RunPreFilterPlugins(ctx, a.state, pod)
		if !status.IsSuccess() {
			return refusal(status)
		}
		if !result.AllNodes() {
			a.only, a.onlyBy = map[string]bool{}, sets.List(plugins)
			for name := range result.NodeNames {
				a.only[name] = true
			}
		}
		return nil
	})
	return a
}

// guarded gives what look says, and a refusal where a plugin panics: a pod of which a plugin can say nothing waits alone. If it
// ended the bridge, it would end the next one as well, and all others would wait with it.
func (a *Attempt) guarded(look func() *Refusal) (said *Refusal) {
	defer func() {
		if wrong := recover(); wrong != nil {
			a.filters.log.Error(nil, "a plugin panics", "pod", klog.KObj(a.pod), "panic", wrong, "stack", string(debug.Stack()))
			said = &Refusal{Reasons: []string{"a plugin of the scheduler failed on this pod"}}
		}
	}()
	return look()
}

func refusal(status *fwk.Status) *Refusal {
	return &Refusal{Reasons: status.Reasons(), Plugins: []string{status.Plugin()}, resolvable: status.Code() == fwk.Unschedulable}
}

// Nowhere says why the pod may run on no node, whatever nodes there are; nil: it depends.
func (a *Attempt) Nowhere() *Refusal { return a.nowhere }

// On says why the pod may not run on this node; nil: it may.
func (a *Attempt) On(ctx context.Context, node string) *Refusal {
	if a.nowhere != nil {
		return a.nowhere
	}
	info := a.filters.cluster.nodes[node]
	if info == nil || info.Node() == nil {
		return &Refusal{Reasons: []string{"the node is gone"}}
	}
	if a.only != nil && !a.only[node] {
		return &Refusal{Reasons: []string{fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", a.onlyBy)}, Plugins: a.onlyBy}
	}
	if a.Exhausted() {
		return &Refusal{Reasons: []string{"claims that take too long to allocate"}, Plugins: []string{names.DynamicResources}}
	}
	defer a.measure(time.Now())
	return a.guarded(func() *Refusal {
		if status := a.by.RunFilterPlugins(ctx, a.state, a.pod, info); !status.IsSuccess() {
			return refusal(status)
		}
		return nil
	})
}

// Whoever makes a claim chooses how long it takes to find devices for it: some claims would take years. No other pod is looked at
// meanwhile.
const (
	longestFilter  = 250 * time.Millisecond // of one node; kube-scheduler, which looks at many nodes at once, has 10 s
	longestAttempt = 500 * time.Millisecond // of all nodes; one node more may be begun
)

// measure adds what a pod with claims took since then.
func (a *Attempt) measure(begun time.Time) {
	if a.claims {
		took := time.Since(begun)
		a.spent += took
		a.longest = max(a.longest, took)
	}
}

// Exhausted is true once the claims of the pod took so long that no further node is looked at: each one is refused, and nobody
// knows whether the pod may run there.
func (a *Attempt) Exhausted() bool { return a.spent >= longestAttempt }

// Longest is how long the pod's claims of devices took on one node at the most; 0 of a pod without claims.
func (a *Attempt) Longest() time.Duration { return a.longest }

// ofScheduler are the plugins that look at what the scheduler itself decides about: what is free, and which nodes are drained.
var ofScheduler = sets.New(names.NodeResourcesFit, names.NodeUnschedulable)

// NowhereNow returns the plugins that keep the pod from all nodes together, whatever is free there. It returns none if the pod
// may run on some node, if there is no node, or if nobody knows because the pod's claims take too long. The attempt is over afterwards.
func (a *Attempt) NowhereNow(ctx context.Context) []string {
	f := a.filters
	if a.nowhere != nil {
		return a.nowhere.Plugins
	}
	a.skipScheduler()
	plugins := sets.New[string]()
	for name, info := range f.cluster.nodes {
		if info.Node() == nil {
			continue
		}
		refusal := a.On(ctx, name)
		if refusal == nil || a.Exhausted() {
			return nil
		}
		plugins.Insert(refusal.Plugins...)
	}
	return sets.List(plugins)
}

// Reserve takes volumes and claims for the pod on a node that On agreed to.
func (a *Attempt) Reserve(ctx context.Context, node string) *Refusal {
	said := a.guarded(func() *Refusal {
		if status := a.by.RunReservePluginsReserve(ctx, a.state, placed(a.pod, node), node); !status.IsSuccess() {
			return refusal(status)
		}
		a.works = a.by.RunPreBindPreFlights(ctx, a.state, placed(a.pod, node), node).IsSuccess()
		return nil
	})
	if said != nil {
		a.guarded(func() *Refusal {
			a.by.RunReservePluginsUnreserve(ctx, a.state, placed(a.pod, node), node)
			return nil
		})
		return said
	}
	a.on = node
	return nil
}

// Unreserve gives them back, and ends PreBind. It may ask the API server and waits until PreBind has ended, so it may run on
// any goroutine; it is called once at most.
func (a *Attempt) Unreserve(ctx context.Context) {
	close(a.stop)
	a.binding.Lock()
	defer a.binding.Unlock()
	if a.on != "" {
		a.by.RunReservePluginsUnreserve(ctx, a.state, placed(a.pod, a.on), a.on)
		a.on = ""
	}
}

// Works is true where something has to be written before the pod is bound.
func (a *Attempt) Works() bool { return a.works }

// PreBind writes what has to be there before the pod is bound, and waits for it. It may run on any goroutine.
func (a *Attempt) PreBind(ctx context.Context, node string) error {
	a.binding.Lock()
	defer a.binding.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-a.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	select {
	case <-a.stop:
		return errGivenBack
	default:
	}
	var err error
	if failed := a.guarded(func() *Refusal {
		err = a.by.RunPreBindPlugins(ctx, a.state, placed(a.pod, node), node).AsError()
		return nil
	}); failed != nil {
		return errors.New(failed.Reasons[0])
	}
	return err
}

var errGivenBack = errors.New("what was reserved for the pod was given back")

// Free ends allocations of claims that keep the pod from running: one of a claim that nobody else uses, on a node on which the
// pod may not run, or one that is left over from an attempt that failed. It is called for a pod that On refused everywhere. It
// asks the API server, so it may run on any goroutine; the attempt is over afterwards.
func (a *Attempt) Free(ctx context.Context) {
	a.guarded(func() *Refusal {
		a.by.RunPostFilterPlugins(ctx, a.state, a.pod, framework.NewDefaultNodeToStatus())
		return nil
	})
}
