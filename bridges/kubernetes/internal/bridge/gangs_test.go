// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/cluster"
	"tenon.invalid/kubernetes/internal/fakeapi"
	"tenon.invalid/kubernetes/internal/metrics"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// gangs is a bridge without a scheduler, and the one application that it has, which the scheduler took.
type gangs struct {
	*testing.T
	*Bridge
	server *fakeapi.Clientset
	app    *application
}

var podsResource = v1.SchemeGroupVersion.WithResource("pods")

func newGangs(t *testing.T) *gangs {
	server, err := fakeapi.New()
	if err != nil {
		t.Fatal(err)
	}
	b := New(Options{Client: server, SchedulerName: "tenon", PlaceholderImage: "pause", Metrics: metrics.New("tenon"), Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	b.context = ctx
	if b.writer, err = cluster.NewWriter(ctx, server, server, "tenon"); err != nil {
		t.Fatal(err)
	}
	app := &application{id: "team/gang", standing: accepted, pods: map[types.UID]*pod{}, holders: map[string]*pod{}}
	b.applications[app.id] = app
	return &gangs{t, b, server, app}
}

// member makes a real pod of the gang; the first one names its group.
func (g *gangs) member(name string, members int, style string) *pod {
	g.Helper()
	annotations := map[string]string{"yunikorn.apache.org/task-group-name": "workers"}
	if members > 0 {
		annotations["yunikorn.apache.org/task-groups"] = fmt.Sprintf(`[{"name":"workers","minMember":%d,"minResource":{"cpu":"1"}}]`, members)
		annotations["yunikorn.apache.org/schedulingPolicyParameters"] = "gangSchedulingStyle=" + style
	}
	object := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: name, UID: types.UID(name), Labels: map[string]string{"applicationId": "gang"}, Annotations: annotations,
		},
		Spec: v1.PodSpec{SchedulerName: "tenon"},
	}
	if err := g.server.Tracker.Add(object); err != nil {
		g.Fatal(err)
	}
	return g.heard(object)
}

// heard brings a pod of the API server to the bridge.
func (g *gangs) heard(object *v1.Pod) *pod {
	g.podChanged(object)
	p := g.pods[object.UID]
	if p != nil {
		g.app.add(p)
	}
	return p
}

// made are the placeholders that the API server has.
func (g *gangs) made() []*v1.Pod {
	g.Helper()
	list, err := g.server.Tracker.List(podsResource, v1.SchemeGroupVersion.WithKind("Pod"), "team")
	if err != nil {
		g.Fatal(err)
	}
	var all []*v1.Pod
	for i := range list.(*v1.PodList).Items {
		if one := &list.(*v1.PodList).Items[i]; one.Annotations["yunikorn.apache.org/placeholder"] == "true" {
			all = append(all, one)
		}
	}
	return all
}

// told brings the placeholders of the API server to the bridge, with UIDs, which its fake does not give.
func (g *gangs) told() []*pod {
	var all []*pod
	for _, object := range g.made() {
		object.UID = types.UID(object.Name)
		all = append(all, g.heard(object))
	}
	return all
}

func (g *gangs) until(what string, holds func() bool) {
	g.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		for _, do := range g.todo.Take() {
			do()
		}
		if time.Now().After(deadline) {
			g.Fatalf("never: %s", what)
		}
	}
}

// over lets all writes end that are under way, of which there are none that should be.
func (g *gangs) over() {
	for range 20 {
		time.Sleep(time.Millisecond)
		for _, do := range g.todo.Take() {
			do()
		}
	}
}

func TestHold_RealPodsWaitUntilAllPlaceholdersHaveNodes(t *testing.T) {
	g := newGangs(t)
	g.member("first", 3, "Soft")
	g.hold(g.app)
	if have, want := g.app.holds(), "3 placeholders of the pod's task groups have no node yet"; have != want {
		t.Fatalf("have %q", have)
	}
	g.until("three placeholders", func() bool { return len(g.made()) == 3 })
	for i, p := range g.told() {
		if g.app.holds() == "" {
			t.Fatalf("nothing is waited for after %d", i)
		}
		g.held(g.app, p)
	}
	if have := g.app.holds(); have != "" {
		t.Errorf("have %q", have)
	}
}

func TestHold_MakesOnlyWhatIsNotThere(t *testing.T) {
	g := newGangs(t)
	g.member("first", 3, "Soft")
	g.hold(g.app)
	g.until("three placeholders", func() bool { return len(g.made()) == 3 })
	all := g.told()
	all[0].standing = placed
	if err := g.server.Tracker.Delete(podsResource, "team", all[2].object.Name); err != nil {
		t.Fatal(err)
	}
	delete(g.pods, all[2].object.UID)
	g.app.drop(all[2])
	g.server.ClearActions()
	g.hold(g.app) // as after a restart of the scheduler
	g.until("the third one again", func() bool { return len(g.made()) == 3 })
	g.over()
	created := 0
	for _, action := range g.server.Actions() {
		if action.Matches("create", "pods") {
			created++
		}
	}
	if created != 1 || len(g.app.missing) != 2 {
		t.Errorf("%d created, missing %v", created, g.app.missing)
	}
}

func TestHold_NothingIsMadeForAGangOfWhichSomethingRuns(t *testing.T) {
	g := newGangs(t)
	g.member("first", 3, "Soft")
	running := g.member("second", 0, "")
	running.node, running.bound = "one", true
	g.hold(g.app)
	g.over()
	if made := g.made(); len(made) > 0 || g.app.holds() != "" {
		t.Errorf("%d made, holds %q", len(made), g.app.holds())
	}
}

func TestHold_APlaceholderThatCannotBeMadeIsNamedAndTriedAgain(t *testing.T) {
	g := newGangs(t)
	refusals := 1
	g.server.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		if refusals > 0 {
			refusals--
			return true, nil, errors.New("exceeded quota")
		}
		return false, nil, nil
	})
	g.member("first", 1, "Soft")
	g.hold(g.app)
	g.until("the reason", func() bool { return strings.Contains(g.app.holds(), "cannot be made: exceeded quota") })
	g.until("another try", func() bool { return len(g.made()) == 1 })
}

func TestResumed_NothingIsWaitedForAnyMore(t *testing.T) {
	g := newGangs(t)
	g.member("first", 3, "Soft")
	g.hold(g.app)
	g.resumed(g.app)
	if have := g.app.holds(); have != "" {
		t.Errorf("have %q", have)
	}
}

func TestLost_OnlyWhatOthersEndedIsMadeAgain(t *testing.T) {
	g := newGangs(t)
	g.member("first", 2, "Soft")
	g.hold(g.app)
	g.until("two placeholders", func() bool { return len(g.made()) == 2 })
	all := g.told()
	for _, p := range all {
		if err := g.server.Tracker.Delete(podsResource, "team", p.object.Name); err != nil {
			t.Fatal(err)
		}
	}
	all[1].ending = si.TerminationType_TIMEOUT
	g.lost(g.app, all[0])
	g.lost(g.app, all[1])
	g.until("the first one", func() bool { return len(g.made()) == 1 })
	g.over()
	if made := g.made(); len(made) != 1 || made[0].Name != all[0].object.Name {
		t.Errorf("have %d", len(made))
	}
}

func TestDisband_OnlyAHardGangsPodsFail(t *testing.T) {
	for style, want := range map[string]v1.PodPhase{"Hard": v1.PodFailed, "Soft": ""} {
		g := newGangs(t)
		g.member("first", 2, style)
		g.disband(g.app)
		phase := func() v1.PodPhase {
			object, err := g.server.Tracker.Get(podsResource, "team", "first")
			if err != nil {
				t.Fatal(err)
			}
			return object.(*v1.Pod).Status.Phase
		}
		g.until(style, func() bool { return phase() == want })
		g.over()
		if have := phase(); have != want {
			t.Errorf("%s: have %q", style, have)
		}
	}
}

func TestLeftOver_PlaceholdersGoWithTheLastRealPod(t *testing.T) {
	g := newGangs(t)
	real := g.member("first", 2, "Soft")
	g.hold(g.app)
	g.until("two placeholders", func() bool { return len(g.made()) == 2 })
	names := func() []string {
		var all []string
		for _, one := range g.made() {
			all = append(all, one.Name)
		}
		return all
	}
	g.told()
	before := names()
	g.leftOver(g.app)
	g.over()
	if have := names(); !slices.Equal(have, before) {
		t.Fatalf("have %v of %v", have, before)
	}
	g.app.drop(real)
	g.leftOver(g.app)
	g.until("none is left", func() bool { return len(names()) == 0 })
}

func TestGangLeft_AnotherPodNamesTheGroups(t *testing.T) {
	g := newGangs(t)
	first, second := g.member("first", 2, "Soft"), g.member("second", 2, "Soft")
	g.member("third", 0, "")
	g.podEnded(first)
	if have := g.gangs["team/gang"]; have == nil || have.first.UID != second.object.UID {
		t.Fatalf("have %v", have)
	}
	g.podEnded(second)
	if have := g.gangs["team/gang"]; have != nil {
		t.Errorf("have %v", have.first.Name)
	}
}

func TestGangLeft_AlsoWhileTheSchedulerKnowsNothingOfThem(t *testing.T) {
	g := newGangs(t)
	first, second := g.member("first", 2, "Soft"), g.member("second", 2, "Soft")
	delete(g.applications, "team/gang")
	g.podEnded(first)
	if have := g.gangs["team/gang"]; have == nil || have.first.UID != second.object.UID {
		t.Errorf("have %v", have)
	}
}

func TestHeld_APlaceholderThatIsEndingHoldsNothing(t *testing.T) {
	g := newGangs(t)
	g.member("first", 2, "Soft")
	g.hold(g.app)
	g.until("two placeholders", func() bool { return len(g.made()) == 2 })
	all := g.told()
	ending := all[0].object.DeepCopy()
	ending.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	g.heard(ending)
	for _, p := range all {
		p.standing = placed
		g.held(g.app, p)
	}
	if _, missing := g.app.missing[ending.Name]; !missing || len(g.app.missing) != 1 {
		t.Errorf("missing %v", g.app.missing)
	}
	g.hold(g.app) // as after a registration
	if _, missing := g.app.missing[ending.Name]; !missing || len(g.app.missing) != 1 {
		t.Errorf("after a registration missing %v", g.app.missing)
	}
}

func TestGiveWay_TheSchedulerForgetsTheGangAndNothingIsMadeUntilItIsToldAgain(t *testing.T) {
	g := newGangs(t)
	g.member("first", 2, "Soft")
	g.hold(g.app)
	g.until("two placeholders", func() bool { return len(g.made()) == 2 })
	all := g.told()
	all[0].standing = asked
	now := time.Now()
	g.giveWayTo(g.app, now)
	if len(g.outbox.removed) != 1 || g.outbox.removed[0].ApplicationID != "team/gang" || all[0].standing != untold {
		t.Errorf("removed %v, standing %v", g.outbox.removed, all[0].standing)
	}
	if err := g.server.Tracker.Delete(podsResource, "team", all[1].object.Name); err != nil {
		t.Fatal(err)
	}
	g.lost(g.app, all[1])
	g.over()
	if made := g.made(); len(made) != 1 {
		t.Errorf("%d placeholders", len(made))
	}
	g.giveWayTo(g.app, now)
	if pause := g.app.retryAt.Sub(now); pause != 2*time.Second {
		t.Errorf("the second time it waits %v", pause)
	}
}

func TestHold_AReasonIsForgottenOnceThePlaceholderIsMade(t *testing.T) {
	g := newGangs(t)
	refused := false
	g.server.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		if !refused {
			refused = true
			return true, nil, errors.New("exceeded quota")
		}
		return false, nil, nil
	})
	g.member("first", 1, "Soft")
	g.hold(g.app)
	g.until("the reason", func() bool { return strings.Contains(g.app.holds(), "exceeded quota") })
	g.until("no reason", func() bool { return g.app.holds() == "1 placeholders of the pod's task groups have no node yet" })
}
