// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	si "tenon.invalid/proto/tenon/si/v1later"
)

func TestRefusals_AskAboutOneOfThoseThatAreAlike(t *testing.T) {
	r := newRefusals()
	make := func(number int, color string, plugins ...string) *pod {
		name := fmt.Sprintf("p%d", number)
		p := &pod{refusedBy: plugins, object: &v1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: name, UID: types.UID(name), Labels: map[string]string{"color": color}}}}
		r.put(p)
		return p
	}
	var pods []*pod
	for i := range 100 {
		pods = append(pods, make(i, "red", "InterPodAffinity"))
	}
	other := make(100, "blue", "InterPodAffinity")
	more := make(101, "red", "NodePorts", "InterPodAffinity")
	asked := 0
	want := func(groups, all int) {
		t.Helper()
		asked = 0
		helped := r.helped(func(*pod) bool { asked++; return true })
		if asked != groups || len(helped) != all || len(r.pods) != all {
			t.Errorf("want %d of %d, have %d of %d in %d", groups, all, asked, len(helped), len(r.pods))
		}
	}
	want(3, 102)
	if have := r.helped(func(p *pod) bool { return p.object.Labels["color"] == "blue" }); len(have) != 1 || have[0] != other {
		t.Errorf("have %v", have)
	}
	more.refusedBy = []string{"InterPodAffinity"} // by the same plugins as the others
	r.put(more)
	want(2, 102)
	changed := *other.object
	changed.Labels = map[string]string{"color": "red"}
	other.object = &changed
	r.put(other)
	want(1, 102)
	for _, p := range append(pods, other, more) {
		r.drop(p)
		if p.alikeOf != nil {
			t.Fatal("it keeps its object")
		}
	}
	want(0, 0)
	for i := range 10 * mostHints {
		make(i, fmt.Sprint(i), "InterPodAffinity")
	}
	beside := make(0, "beside", "InterPodAffinity")
	r.drop(beside)
	beside.object.Namespace, beside.object.UID = "other", "beside"
	r.put(beside)
	others := 0
	for range 20 {
		asked = 0
		for _, p := range r.helped(func(*pod) bool { asked++; return true }) {
			if p == beside {
				others++
			}
		}
		if asked != mostHints+1 {
			t.Fatalf("%d questions after one change", asked)
		}
	}
	if others != 20 {
		t.Errorf("a pod of another namespace was asked about %d times", others)
	}
}

func TestRefusals_AreForgottenWithTheirPods(t *testing.T) {
	r := newRefusals()
	p := &pod{object: &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p", UID: "p"}}}
	r.put(p)
	r.drop(p)
	r.drop(p)
	if len(r.groups) != 0 {
		t.Errorf("have %d groups", len(r.groups))
	}
}

func TestOutbox_AnApplicationThatIsRemovedIsNotAddedByWhatWasNotSentYet(t *testing.T) {
	var o outbox
	add := func(id string) { o.applications = append(o.applications, &si.AddApplicationRequest{ApplicationID: id}) }
	add("one")
	add("other")
	o.remove("one")
	add("one")
	if len(o.applications) != 2 || o.applications[0].ApplicationID != "other" || len(o.removed) != 1 {
		t.Errorf("have %v, removed %v", o.applications, o.removed)
	}
}

func TestOutbox_AnApplicationOfWhichTheSchedulerCannotBeToldIsNotRemoved(t *testing.T) {
	var o outbox
	if o.remove("team/\xff"); len(o.removed) != 0 {
		t.Errorf("have %v", o.removed)
	}
}

func TestRefusals_QuestionsThatTakeLong_AreAskedSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRefusals()
		for _, namespace := range []string{"slow", "ordinary"} {
			for i := range 10 {
				name := fmt.Sprint(namespace, i)
				r.put(&pod{refusedBy: []string{"InterPodAffinity"}, object: &v1.Pod{ObjectMeta: metav1.ObjectMeta{
					Namespace: namespace, Name: name, UID: types.UID(name), Labels: map[string]string{"own": name}}}})
			}
		}
		asked := map[string]int{}
		change := func() {
			r.helped(func(p *pod) bool {
				if asked[p.object.Namespace]++; p.object.Namespace == "slow" {
					time.Sleep(30 * time.Millisecond)
				}
				return false
			})
		}
		for range 100 {
			change()
		}
		if asked["slow"] != 1 || asked["ordinary"] != 1000 {
			t.Errorf("asked %v", asked)
		}
		time.Sleep(2 * time.Second)
		r.rested(time.Now())
		if r.missed.count != 10 {
			t.Errorf("%d pods are to be looked at", r.missed.count)
		}
		change()
		if asked["slow"] != 2 {
			t.Errorf("asked %v after a while", asked)
		}
	})
}
