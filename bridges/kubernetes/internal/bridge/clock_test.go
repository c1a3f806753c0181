// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"tenon.invalid/kubernetes/internal/cluster"
	"tenon.invalid/kubernetes/internal/fakeapi"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/metrics"
	"tenon.invalid/kubernetes/internal/tenon"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// timed is a bridge whose time is the test's, with a node, a pod that waits, and a scheduler that says what the test says.
type timed struct {
	*testing.T
	*Bridge
	server *fakeapi.Clientset
	began  time.Time
	told   []told // to the scheduler
}

// told is one thing that the scheduler was told of the pod, and when.
type told struct {
	what string
	at   time.Duration
}

func timedBridge(t *testing.T, test func(*timed, *pod)) {
	synctest.Test(t, func(t *testing.T) {
		server, err := fakeapi.New()
		if err != nil {
			t.Fatal(err)
		}
		b := New(Options{
			Client: server, SchedulerName: "tenon", Patience: 2 * time.Second, Repeat: 30 * time.Second, BudgetPatience: 30 * time.Second,
			Metrics: metrics.New("tenon"), Log: slog.New(slog.DiscardHandler),
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		b.context, b.link = ctx, &tenon.Link{}
		if b.writer, err = cluster.NewWriter(ctx, server, server, "tenon"); err != nil {
			t.Fatal(err)
		}
		factory := informers.NewSharedInformerFactory(server, 0)
		known := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
		if err := known.Add(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}); err != nil {
			t.Fatal(err)
		}
		b.namespaces, b.classes = corelisters.NewNamespaceLister(known), factory.Scheduling().V1().PriorityClasses().Lister()
		if b.filters, err = filters.New(ctx, factory, filters.Options{Client: server}); err != nil {
			t.Fatal(err)
		}
		c := &timed{T: t, Bridge: b, server: server, began: time.Now()}
		b.nodeChanged(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "one", UID: "one"}, Status: v1.NodeStatus{
			Allocatable: v1.ResourceList{v1.ResourceCPU: resource.MustParse("4"), v1.ResourcePods: resource.MustParse("9")}}})
		p := c.pod("p")
		c.step()
		b.nodeAccepted("one")
		b.applicationAccepted("team/yunikorn-team-autogen")
		c.step()
		if p.standing != asked {
			t.Fatalf("it stands at %d", p.standing)
		}
		c.told = nil
		test(c, p)
	})
}

func (c *timed) pod(name string) *pod {
	c.Helper()
	object := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID(name)}, Spec: v1.PodSpec{
		SchedulerName: "tenon",
		Containers:    []v1.Container{{Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}}}},
	}}
	if err := c.server.Tracker.Add(object); err != nil {
		c.Fatal(err)
	}
	c.podChanged(object)
	return c.pods[object.UID]
}

// step does what is to be done now, and keeps what is said of the pod.
func (c *timed) step() {
	synctest.Wait()
	for _, do := range c.todo.Take() {
		do()
	}
	for n := range c.dirty {
		c.syncNode(n)
	}
	clear(c.dirty)
	for _, one := range c.outbox.ordered {
		switch one := one.(type) {
		case *si.Allocation:
			c.told = append(c.told, told{"ask " + one.AllocationKey, time.Since(c.began)})
		case *si.AllocationRelease:
			c.told = append(c.told, told{"release " + one.AllocationKey, time.Since(c.began)})
		case []*si.Allocation:
			var keys []string
			for _, each := range one {
				keys = append(keys, each.AllocationKey)
			}
			c.told = append(c.told, told{"together " + strings.Join(keys, " "), time.Since(c.began)})
		}
	}
	c.outbox = outbox{}
}

// hears shows the bridge a pod, and returns what the bridge tells the scheduler then.
func (c *timed) hears(object *v1.Pod) []string {
	c.told = nil
	c.podChanged(object)
	c.step()
	return c.said()
}

func (c *timed) said() []string {
	var all []string
	for _, one := range c.told {
		all = append(all, one.what)
	}
	return all
}

func (c *timed) want(have []string, want ...string) {
	c.Helper()
	if !slices.Equal(have, want) {
		c.Errorf("the scheduler was told %q, want %q", have, want)
	}
}

const threeWorkers = `[{"name":"workers","minMember":3,"minResource":{"cpu":"1"}}]`

// pass lets time pass, in tenths of beats.
func (c *timed) pass(all time.Duration) {
	for end := time.Now().Add(all); time.Now().Before(end); {
		time.Sleep(beat / 10)
		c.step()
		if time.Since(c.began)%beat == 0 {
			c.beat(time.Now())
			c.step()
		}
	}
}

// times says when the API server was asked for this.
func (c *timed) times(verb, resource, part string) *[]time.Duration {
	var all []time.Duration
	c.server.PrependReactor(verb, resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() == part {
			all = append(all, time.Since(c.began))
		}
		return false, nil, nil
	})
	return &all
}

func (c *timed) allocate(p *pod) {
	c.allocated(&si.Allocation{AllocationKey: string(p.object.UID), ApplicationID: p.application, NodeID: "one", UUID: "u"}, false)
	c.step()
}

// metric returns the first value of a metric.
func (c *timed) metric(name string) *dto.Metric {
	c.Helper()
	families, err := c.Metrics.Registry.Gather()
	if err != nil {
		c.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return family.Metric[0]
		}
	}
	c.Fatalf("there is no metric %s", name)
	return nil
}

func TestClock_ABindingIsMeasuredFromTheFirstAsk_WhateverBeatsDuringIt(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		c.pass(c.Patience - beat)
		c.allocated(&si.Allocation{AllocationKey: "p", ApplicationID: p.application, NodeID: "one", UUID: "u"}, false)
		c.beat(time.Now()) // the write is under way
		if !p.binding || p.listed {
			t.Fatalf("binding: %v, listed: %v", p.binding, p.listed)
		}
		c.step()
		waited := c.metric("scheduler_pod_scheduling_sli_duration_seconds").GetHistogram().GetSampleSum()
		if !p.bound || waited < (c.Patience-beat).Seconds() || waited > (c.Patience+beat).Seconds() {
			t.Errorf("bound: %v, after %v seconds", p.bound, waited)
		}
	})
}

func TestClock_APodThatIsRefused_IsAskedForAgainAfterAWhile(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		c.allocationRejected("p", "not so")
		c.pass(retry - beat)
		if len(c.told) > 0 {
			t.Errorf("told %v", c.told)
		}
		c.pass(3 * beat)
		if len(c.told) != 1 || c.told[0].what != "ask p" || c.told[0].at < retry {
			t.Errorf("told %v", c.told)
		}
	})
}

func TestClock_APodThatIsRefused_IsAskedForAtOnce_WhenItWantsLess(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		c.allocationRejected("p", "too large")
		c.pass(beat)
		less := p.object.DeepCopy()
		less.Spec.Containers[0].Resources.Requests[v1.ResourceCPU] = resource.MustParse("500m")
		c.podChanged(less)
		c.step()
		if len(c.told) != 1 || c.told[0].what != "ask p" || c.told[0].at > beat {
			t.Errorf("told %v", c.told)
		}
	})
}

func TestClock_ABindingThatFails_IsTriedAgainMoreAndMoreSeldom(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		c.server.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, errors.New("not now")
		})
		tried := c.times("create", "pods", "binding")
		for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); c.pass(beat) {
			if p.standing == asked {
				c.allocate(p)
			}
		}
		var pauses []time.Duration
		for i := 1; i < len(*tried); i++ {
			pauses = append(pauses, ((*tried)[i] - (*tried)[i-1]).Round(time.Second))
		}
		for i, pause := range pauses {
			if want := min(time.Second<<i, longRetry); pause < want || pause > want+3*beat {
				t.Errorf("pauses %v", pauses)
				break
			}
		}
		if len(pauses) < 6 {
			t.Errorf("pauses %v", pauses)
		}
	})
}

func TestClock_ABudgetIsAskedEachSecond_AndNotForEver(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		refusal := apierrors.NewTooManyRequests("not now", 0)
		refusal.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: policyv1.DisruptionBudgetCause, Message: "two are needed"}}
		c.server.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
			return action.GetSubresource() == "eviction", nil, refusal
		})
		tried, deleted := c.times("create", "pods", "eviction"), c.times("delete", "pods", "")
		c.allocate(p)
		c.released(&si.AllocationRelease{AllocationKey: "p", ApplicationID: p.application, UUID: "u",
			TerminationType: si.TerminationType_PREEMPTED_BY_SCHEDULER, Message: "for another"})
		c.pass(c.BudgetPatience - beat)
		if len(*tried) < 25 || len(*tried) > 31 || len(*deleted) > 0 {
			t.Errorf("asked at %v, deleted at %v", *tried, *deleted)
		}
		c.pass(5 * beat)
		if len(*deleted) != 1 || (*deleted)[0] < c.BudgetPatience {
			t.Errorf("deleted at %v", *deleted)
		}
	})
}

func TestClock_AnApplicationThatIsRefused_IsToldAgainAfterAWhile(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		a := c.applications[p.application]
		a.standing = said
		c.applicationRejected(a.id, "no such queue")
		c.pass(retry - beat)
		if a.standing != rejected {
			t.Errorf("it stands at %d", a.standing)
		}
		c.pass(3 * beat)
		if a.standing != said {
			t.Errorf("it stands at %d", a.standing)
		}
	})
}

func TestClock_WhyAPodWaits_IsSaidAfterItsPatience_AndLookedAtAgain(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		written := c.times("patch", "pods", "status")
		c.pass(c.Patience - beat)
		if len(*written) > 0 {
			t.Errorf("written at %v", *written)
		}
		c.pass(2 * time.Minute)
		if len(*written) != 1 {
			t.Errorf("written at %v", *written)
		}
		c.nodeChanged(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "one", UID: "one"}, Status: v1.NodeStatus{
			Allocatable: v1.ResourceList{v1.ResourcePods: resource.MustParse("9")}}})
		c.pass(c.Repeat + 2*beat)
		if len(*written) != 2 || p.waitsFor != "0/1 nodes are available: 1 Insufficient cpu." {
			t.Errorf("written at %v: %s", *written, p.waitsFor)
		}
	})
}

// slowServer takes its time for patches of pods. It does so before the fake, whose reactors hold a mutex: whoever waited for
// that would keep the time of the test from going on.
type slowServer struct {
	*fakeapi.Clientset
	before func(patch string)
}

type slowCore struct {
	corev1.CoreV1Interface
	before func(patch string)
}

type slowPods struct {
	corev1.PodInterface
	before func(patch string)
}

func (s slowServer) CoreV1() corev1.CoreV1Interface { return slowCore{s.Clientset.CoreV1(), s.before} }

func (s slowCore) Pods(namespace string) corev1.PodInterface {
	return slowPods{s.CoreV1Interface.Pods(namespace), s.before}
}

func (s slowPods) Patch(
	ctx context.Context, name string, kind types.PatchType, patch []byte, options metav1.PatchOptions, parts ...string,
) (*v1.Pod, error) {
	s.before(string(patch))
	return s.PodInterface.Patch(ctx, name, kind, patch, options, parts...)
}

func TestClock_OfTwoWordsWhyAPodWaits_TheLastOneStays(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		var said []string
		c.server.PrependReactor("patch", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
			said = append(said, string(action.(clienttesting.PatchAction).GetPatch()))
			return false, nil, nil
		})
		var err error
		c.writer, err = cluster.NewWriter(c.context, slowServer{c.server, func(patch string) {
			if strings.Contains(patch, "first") {
				time.Sleep(2 * beat)
			}
		}}, c.server, "tenon")
		if err != nil {
			t.Fatal(err)
		}
		c.tell(p, "first")
		c.tell(p, "second")
		c.pass(5 * beat)
		if len(said) < 2 || !strings.Contains(said[0], "first") || !strings.Contains(said[1], "second") {
			t.Errorf("have %q", said)
		}
	})
}

func TestClock_AnApplicationOfANamespaceThatNobodyKnows_IsToldAllTheSame(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		object := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "o", UID: "o"}, Spec: v1.PodSpec{SchedulerName: "tenon"}}
		c.podChanged(object)
		a := c.applications["other/yunikorn-other-autogen"]
		c.pass(namespaceLooks*namespacePause - beat)
		if a.standing != unknown {
			t.Error("its quotas would be lost")
		}
		c.pass(2 * beat)
		if a.standing != said {
			t.Error("it was not told")
		}
	})
}

func TestClock_ABridgeThatDoesNothingForLong_IsNotAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{Log: slog.New(slog.DiscardHandler)})
		time.Sleep(time.Hour)
		if err := b.Alive(); err != nil {
			t.Errorf("it did not begin: %v", err)
		}
		b.lastBeat.Store(int64(time.Since(b.made)))
		time.Sleep(stuck)
		if err := b.Alive(); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
		if b.Alive() == nil {
			t.Error("it is stuck")
		}
	})
}

func TestClock_PausesGrowAndHaveAnEnd(t *testing.T) {
	var have []time.Duration
	for _, tries := range []int{0, 1, 4, 5, 10, 1000} {
		have = append(have, pause(tries)/time.Second)
	}
	if want := []time.Duration{1, 2, 16, 30, 30, 30}; !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
}
