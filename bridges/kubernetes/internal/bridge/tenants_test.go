// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"errors"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/filters"
)

// What one tenant's pods may cost the others. These tests count writes and looks, not time.

// count is how often the API server was asked for this.
func (g *gangs) count(verb string) int {
	count := 0
	for _, action := range g.server.Actions() {
		if action.Matches(verb, "pods") {
			count++
		}
	}
	return count
}

func TestLeftOver_EachPlaceholderIsDeletedOnce(t *testing.T) {
	g := newGangs(t)
	real := g.member("first", 50, "Soft")
	g.hold(g.app)
	g.until("fifty placeholders", func() bool { return len(g.made()) == 50 })
	all := g.told()
	g.podEnded(real)
	for _, p := range all { // each end is heard while the others' are under way
		g.podEnded(p)
	}
	g.until("none is left", func() bool { return len(g.made()) == 0 })
	g.over()
	if have := g.count("delete"); have != 50 {
		t.Errorf("%d deletions of 50 placeholders", have)
	}
}

func TestHold_AQuotaThatRefusesAllPlaceholdersIsTriedWithOneAtATime(t *testing.T) {
	g := newGangs(t)
	open := false
	g.server.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		if open {
			return false, nil, nil
		}
		return true, nil, errors.New("exceeded quota")
	})
	g.member("first", 100, "Soft")
	g.hold(g.app)
	g.until("a reason", func() bool { return g.app.unmade != "" })
	g.over()
	if have := g.count("create"); have > 2*mostMakes {
		t.Errorf("%d tries before the first pause", have)
	}
	before := g.count("create")
	g.until("another try", func() bool { return g.count("create") > before })
	g.over()
	if have := g.count("create") - before; have != 1 {
		t.Errorf("%d tries after it", have)
	}
	open = true
	g.until("all of them", func() bool { return len(g.made()) == 100 })
	g.until("no reason", func() bool { return g.app.holds() == "100 placeholders of the pod's task groups have no node yet" })
}

func TestHold_AGangOfThousandsLeavesOthersTheirTurn(t *testing.T) {
	g := newGangs(t)
	g.member("first", 200, "Soft")
	g.hold(g.app)
	if have := g.writing.all + g.writing.waiting[makes].count; have > mostMakes {
		t.Errorf("%d of its placeholders are before those of another gang", have)
	}
	g.until("all of them", func() bool { return len(g.made()) == 200 })
}

func TestGangLeft_GroupsThatCannotBeReadAreReadOnce(t *testing.T) {
	g := newGangs(t)
	first := g.member("first", 2, "Soft")
	var others []*pod
	for i := range 20 {
		object := g.member(fmt.Sprintf("bad%02d", i), 0, "").object.DeepCopy()
		object.Annotations["yunikorn.apache.org/task-groups"] = "no JSON"
		others = append(others, g.heard(object))
	}
	last := g.member("second", 2, "Soft")
	g.podEnded(first)
	if have := g.gangs["team/gang"]; have == nil || have.first.UID != last.object.UID {
		t.Fatalf("have %v", have)
	}
	if have := len(g.namers["team/gang"]); have != 1 {
		t.Errorf("%d pods are read when the next one ends", have)
	}
	g.podEnded(last)
	for _, p := range others {
		g.podEnded(p)
	}
	if len(g.namers) != 0 {
		t.Errorf("have %v", g.namers)
	}
}

func TestPodGroup_CountsThePodsThatAreThere(t *testing.T) {
	g := newGangs(t)
	var err error
	if g.filters, err = filters.New(t.Context(), informers.NewSharedInformerFactory(g.server, 0), filters.Options{Client: g.server}); err != nil {
		t.Fatal(err)
	}
	name := "group"
	group := &scheduling.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
	group.Spec.SchedulingPolicy.Gang = &scheduling.GangSchedulingPolicy{MinCount: 3}
	g.podGroupChanged(group)
	make := func(name string, change func(*v1.Pod)) *pod {
		object := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID(name)}, Spec: v1.PodSpec{SchedulerName: "tenon"}}
		object.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &group.Name}
		change(object)
		g.podChanged(object)
		return g.pods[object.UID]
	}
	none := func(*v1.Pod) {}
	gated := func(p *v1.Pod) { p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "later"}} }
	ending := func(p *v1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: time.Now()} }
	runs := func(p *v1.Pod) { p.Spec.NodeName = "one" }
	its := g.groups["team/group"]
	for i, step := range []struct {
		do   func()
		want int
	}{
		{func() { make("a", none) }, 1},
		{func() { make("b", gated) }, 1},
		{func() { make("b", none) }, 2},
		{func() { make("c", runs) }, 3},
		{func() { make("c", func(p *v1.Pod) { runs(p); ending(p) }) }, 3}, // it takes its room until it is gone
		{func() { make("a", ending) }, 2},
		{func() { g.podEnded(g.pods["c"]) }, 1},
		{func() { g.move(g.pods["b"], "one") }, 1},
		{func() { make("b", func(p *v1.Pod) { ending(p) }) }, 1},
		{func() { g.leave(g.pods["b"]) }, 0},
		{func() { g.podEnded(g.pods["a"]); g.podEnded(g.pods["b"]) }, 0},
	} {
		step.do()
		if its.there != step.want {
			t.Errorf("step %d: want %d, have %d", i, step.want, its.there)
		}
	}
}

func TestClaimless_APodIsLookedAtForItsOwnClaimsAlone(t *testing.T) {
	own, generated := "own", "generated-1"
	p := &pod{object: &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p", UID: "p"},
		Spec: v1.PodSpec{ResourceClaims: []v1.PodResourceClaim{
			{Name: "a", ResourceClaimName: &own}, {Name: "b", ResourceClaimTemplateName: &own}, {Name: "c", ResourceClaimTemplateName: &own},
		}},
		Status: v1.PodStatus{ResourceClaimStatuses: []v1.PodResourceClaimStatus{{Name: "b", ResourceClaimName: &generated}}},
	}}
	c := claimless{}
	c.put(p)
	c.put(p)
	for key, want := range map[[2]string]int{{"team", "own"}: 1, {"team", "generated-1"}: 1, {"team", "other"}: 0, {"other", "own"}: 0} {
		if have := len(c.of(&resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: key[0], Name: key[1]}})); have != want {
			t.Errorf("%v: want %d, have %d", key, want, have)
		}
	}
	if c.drop(p); len(c) != 0 || len(p.claims) != 0 {
		t.Errorf("have %v", c)
	}
}
