// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package translate

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
)

const workers = `[{"name":"workers","minMember":3,"minResource":{"cpu":"500m","example.com/gpu":"1"},"labels":{"team":"a","applicationId":"other","queue":"other"}}]`

func grouped(groups, policy string) *v1.Pod {
	p := pod(map[string]string{"applicationId": "gang", "queue": "root.work"}, map[string]string{annotationTaskGroup: "workers"})
	p.Spec.SchedulerName, p.Spec.PriorityClassName = "tenon", "high"
	if groups != "" {
		p.Annotations[annotationTaskGroups] = groups
	}
	if policy != "" {
		p.Annotations[annotationPolicy] = policy
	}
	return p
}

func read(t *testing.T, p *v1.Pod) *Gang {
	t.Helper()
	gang, err := GangOf(p)
	if err != nil || gang == nil {
		t.Fatalf("have %v %v", gang, err)
	}
	return gang
}

func TestGangOf_PodsThatNameNoGroupsHaveNone(t *testing.T) {
	placeholder := grouped(workers, "")
	placeholder.Annotations[annotationPlaceholder] = "true"
	for name, p := range map[string]*v1.Pod{"nothing": pod(nil, nil), "a member": grouped("", ""), "a placeholder": placeholder} {
		if gang, err := GangOf(p); gang != nil || err != nil {
			t.Errorf("%s: have %v %v", name, gang, err)
		}
	}
}

func TestGangOf_StyleAndTime(t *testing.T) {
	for policy, want := range map[string]Gang{
		"":                               {Style: Soft},
		"gangSchedulingStyle=Hard":       {Style: Hard},
		"placeholderTimeoutInSeconds=30": {Style: Soft, Timeout: 30 * time.Second},
		"placeholderTimeoutInSeconds=7 gangSchedulingStyle=Hard other=1": {Style: Hard, Timeout: 7 * time.Second},
	} {
		if have := read(t, grouped(workers, policy)); have.Style != want.Style || have.Timeout != want.Timeout {
			t.Errorf("%q: have %s %s", policy, have.Style, have.Timeout)
		}
	}
}

func TestGangOf_WhatCannotBeReadIsSaid(t *testing.T) {
	group := func(name string, members int, resource string) string {
		return fmt.Sprintf(`{"name":%q,"minMember":%d,"minResource":%s}`, name, members, resource)
	}
	const cpu = `{"cpu":"1"}`
	for _, c := range []struct{ groups, policy, want string }{
		{"groups", "", "annotation yunikorn.apache.org/task-groups: invalid character"},
		{"[]", "", "no groups"},
		{"[" + group("", 1, cpu) + "]", "", "a group has no name"},
		{"[" + group("a", 1, cpu) + "," + group("a", 1, cpu) + "]", "", `two groups are called "a"`},
		{"[" + group("a", 0, cpu) + "]", "", `group "a": minMember is 0, want 1 or more`},
		{"[" + group("a", 1, "{}") + "]", "", `group "a" has no minResource`},
		{"[" + group("a", 1, `{"cpu":"-1"}`) + "]", "", `group "a": minResource cpu is below 0`},
		{"[" + group("a", 6000, cpu) + "," + group("b", 6000, cpu) + "]", "", "more than 10000 members"},
		{workers, "placeholderTimeoutInSeconds=soon", "placeholderTimeoutInSeconds=soon: want whole seconds"},
		{workers, "placeholderTimeoutInSeconds=-1", "want whole seconds"},
		{workers, "gangSchedulingStyle=hard", "gangSchedulingStyle=hard: want Soft or Hard"},
	} {
		if gang, err := GangOf(grouped(c.groups, c.policy)); gang != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: want %q, have %v %v", c.groups, c.policy, c.want, gang, err)
		}
	}
}

func TestAsk_IsWhatAllPlaceholdersTakeTogether(t *testing.T) {
	two := `[{"name":"a","minMember":3,"minResource":{"cpu":"500m"}},{"name":"b","minMember":2,"minResource":{"cpu":"2","memory":"1Gi"}}]`
	want := Amounts{"vcore": 5500, "memory": 2 << 30, Pods: 5}
	if have := read(t, grouped(two, "")).Ask(); !reflect.DeepEqual(have, want) {
		t.Errorf("want %v, have %v", want, have)
	}
}

func TestPlaceholders_AreWhatTheirGroupAndFirstPodSay(t *testing.T) {
	first := grouped(workers, "")
	first.Annotations[annotationUser] = `{"user":"ada"}`
	all := read(t, first).Placeholders(first, "pause")
	if len(all) != 3 {
		t.Fatalf("have %d", len(all))
	}
	for _, p := range all {
		if !IsPlaceholder(p) || ApplicationID(p) != "gang" || Queue(p) != "root.work" || GroupOf(p) != "workers" || p.Labels["team"] != "a" {
			t.Errorf("labels %v, annotations %v", p.Labels, p.Annotations)
		}
		if user, _, err := User(p, true); user != "ada" || err != nil {
			t.Errorf("user %s %v", user, err)
		}
		if owner := p.OwnerReferences[0]; owner.UID != first.UID || p.Namespace != first.Namespace {
			t.Errorf("owner %v", owner)
		}
		if p.Spec.SchedulerName != "tenon" || p.Spec.PriorityClassName != "high" || p.Spec.Containers[0].Image != "pause" {
			t.Errorf("spec %v", p.Spec)
		}
		resources := p.Spec.Containers[0].Resources
		if gpu := resources.Limits["example.com/gpu"]; len(resources.Limits) != 1 || gpu.Value() != 1 || resources.Requests.Cpu().MilliValue() != 500 {
			t.Errorf("resources %v", resources)
		}
	}
}

func TestPlaceholders_HaveTheUserOfTheirFirstPodWhateverTheirGroupSays(t *testing.T) {
	const forged = `[{"name":"workers","minMember":1,"minResource":{"cpu":"1"},` +
		`"annotations":{"yunikorn.apache.org/user.info":"{\"user\":\"root\"}"},"labels":{"yunikorn.apache.org/username":"root"}}]`
	nobody, ada := grouped(forged, ""), grouped(forged, "")
	ada.Labels[labelUser] = "ada"
	for _, first := range []*v1.Pod{nobody, ada} {
		p := read(t, first).Placeholders(first, "pause")[0]
		want, _, _ := User(first, true)
		if have, _, err := User(p, true); have != want || err != nil {
			t.Errorf("want %s, have %s %v", want, have, err)
		}
	}
}

func TestPlaceholder_IsTheOneOfThatName(t *testing.T) {
	first := grouped(workers, "")
	gang := read(t, first)
	for _, p := range gang.Placeholders(first, "pause") {
		if have := gang.Placeholder(first, p.Name, "pause"); !reflect.DeepEqual(have, p) {
			t.Errorf("want %v, have %v", p, have)
		}
		for _, name := range []string{p.Name + "0", strings.TrimRight(p.Name, "0123456789") + "3", "x" + p.Name} {
			if have := gang.Placeholder(first, name, "pause"); have != nil {
				t.Errorf("%s: have %v", name, have.Name)
			}
		}
	}
}

func TestPlaceholders_HaveTheSameNamesWheneverTheyAreMade(t *testing.T) {
	names := func(application string) map[string]bool {
		first := grouped(workers, "")
		first.Labels["applicationId"] = application
		all := map[string]bool{}
		for _, p := range read(t, first).Placeholders(first, "pause") {
			all[p.Name] = true
		}
		return all
	}
	one, again, other := names("one"), names("one"), names("other")
	if len(one) != 3 || !reflect.DeepEqual(one, again) {
		t.Errorf("have %v, then %v", one, again)
	}
	for name := range other {
		if one[name] {
			t.Errorf("%s is of two applications", name)
		}
	}
}
