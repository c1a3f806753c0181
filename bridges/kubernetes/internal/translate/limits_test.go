// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package translate

import (
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestWrong(t *testing.T) {
	fits, long := strings.Repeat("x", longestName), strings.Repeat("x", longestName+1)
	const application, queue, group = "yunikorn.apache.org/app-id", "yunikorn.apache.org/queue", "yunikorn.apache.org/task-group-name"
	for name, c := range map[string]struct {
		annotations map[string]string
		want        string
	}{
		"nothing said":            {},
		"all as long as may be":   {annotations: map[string]string{application: fits, queue: fits, group: fits}},
		"an application too long": {map[string]string{application: long}, "the application has a name of 1025 bytes, want at most 1024"},
		"a queue too long":        {map[string]string{queue: long}, "the queue has a name of 1025 bytes"},
		"a task group too long":   {map[string]string{group: long}, "the task group has a name of 1025 bytes"},
		"a line break":            {map[string]string{queue: "root\nwork"}, "the queue has a name with bytes that are no text"},
		"no text":                 {map[string]string{application: "\xff"}, "the application has a name with bytes that are no text"},
	} {
		t.Run(name, func(t *testing.T) { said(t, Wrong(pod(nil, c.annotations)), c.want) })
	}
}

func said(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("have %v, want %q", err, want)
	}
}

// kinds are so many resources that nobody has heard of.
func kinds(count int) v1.ResourceList {
	list := v1.ResourceList{}
	for i := range count {
		list[v1.ResourceName(fmt.Sprintf("example.com/kind-%d", i))] = resource.MustParse("1")
	}
	return list
}

func TestWrong_KindsOfResources(t *testing.T) {
	p := pod(nil, nil)
	p.Spec.Containers = []v1.Container{{Resources: v1.ResourceRequirements{Requests: kinds(mostEntries - 1)}}}
	said(t, Wrong(p), "")
	p.Spec.Containers[0].Resources.Requests = kinds(mostEntries)
	said(t, Wrong(p), "4097 kinds of resources, want at most 4096")
}

func TestAmounts_BeyondWhatCanBeCounted(t *testing.T) {
	for cpu, want := range map[string]int64{
		"9223372036854775807": uncounted, "9e18": uncounted, "9223372036854776": uncounted, "1e15": 1e18, "1n": 1,
	} {
		if have := OfList(v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)})[Vcore]; have != want {
			t.Errorf("%s: have %d, want %d", cpu, have, want)
		}
	}
	p := pod(nil, nil)
	for range 2 {
		p.Spec.Containers = append(p.Spec.Containers, v1.Container{Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
			v1.ResourceMemory: resource.MustParse("9e18")}}})
	}
	said(t, Wrong(p), "the pod wants more memory than can be counted")
	sum := Amounts{"a": 1 << 62, "b": 5}
	sum.Add(Amounts{"a": 1 << 61, "b": -1}, 3)
	if sum["a"] != uncounted || sum["b"] != 2 {
		t.Errorf("have %v", sum)
	}
}

func TestApplicationTags_NameTheAnnotationThatCannotBeRead(t *testing.T) {
	for annotation, text := range map[string]string{
		annotationQuota: `{"cpu":"-1"}`, annotationCPUQuota: "many", annotationMemQuota: "-1", annotationGuarantee: "{", annotationMaxApps: "-1",
		annotationParent: strings.Repeat("x", longestName+1),
	} {
		n := &v1.Namespace{}
		n.Annotations = map[string]string{annotation: text}
		tags, wrong := ApplicationTags("team", n)
		if len(tags) != 1 || len(wrong) != 1 {
			t.Fatalf("%s: have %v, %v", annotation, tags, wrong)
		}
		said(t, wrong[0], "annotation "+annotation+" of namespace team: ")
	}
}

func TestWrongNode(t *testing.T) {
	n := &v1.Node{}
	n.Labels = map[string]string{}
	for i := range mostEntries {
		n.Labels[fmt.Sprintf("label-%d", i)] = "x"
	}
	said(t, WrongNode(n), "4096 labels, want at most 4080")
	n.Labels, n.Status.Allocatable = nil, kinds(mostEntries)
	said(t, WrongNode(n), "")
	n.Status.Allocatable = kinds(mostEntries + 1)
	said(t, WrongNode(n), "4097 kinds of resources")
}

func TestTags_WithoutWhatIsTooLong(t *testing.T) {
	p := pod(nil, nil)
	p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: "name", Operator: v1.NodeSelectorOpIn, Values: strings.Split(strings.Repeat("x,", longestText), ",")}}}}}}}
	if have := tags(p); have["si/label/disk"] != "ssd" || have["si/label/name"] != "" {
		t.Errorf("have disk %q and %d bytes of names", have["si/label/disk"], len(have["si/label/name"]))
	}
	for i := range 10_000 {
		p.Spec.NodeSelector[fmt.Sprintf("label-%d", i)] = "x"
	}
	bytes := 0
	for name, value := range tags(p) {
		bytes += len(name) + len(value)
	}
	if have := tags(p); have["si/label/disk"] != "ssd" || bytes > requiredBytes+1000 {
		t.Errorf("have %d tags of %d bytes", len(have), bytes)
	}
}

func TestGangOf_NamesAndKindsThatTheSchedulerTakes(t *testing.T) {
	group := func(name, resources string) *v1.Pod {
		return pod(nil, map[string]string{annotationTaskGroups: fmt.Sprintf(`[{"name":%q,"minMember":1,"minResource":{%s}}]`, name, resources)})
	}
	_, err := GangOf(group(strings.Repeat("x", longestName+1), `"cpu":"1"`))
	said(t, err, "a group has a name of 1025 bytes")
	var all []string
	for i := range mostEntries {
		all = append(all, fmt.Sprintf(`"example.com/kind-%d":"1"`, i))
	}
	_, err = GangOf(group("workers", strings.Join(all, ",")))
	said(t, err, "4097 kinds of resources")
}

func TestUser_GroupsThatTheSchedulerDoesNotTake(t *testing.T) {
	const key = "yunikorn.apache.org/user.info"
	for _, groups := range []string{`["` + strings.Repeat("x", longestName+1) + `"]`, "[" + strings.Repeat(`"a",`, mostEntries) + `"a"]`,
		"[" + strings.Repeat(`"`+strings.Repeat("x", 100)+`",`, 1000) + `"a"]`} {
		name, have, err := User(pod(nil, map[string]string{key: `{"user":"ann","groups":` + groups + `}`}), true)
		if err == nil || name != "team" || len(have) != 1 {
			t.Errorf("have %q, %d groups, %v", name, len(have), err)
		}
	}
	if ValidUser(strings.Repeat("x", longestName+1)) {
		t.Error("a user with a name too long is valid")
	}
}

func TestSameAsk_TolerationsAndAmounts(t *testing.T) {
	one := pod(map[string]string{"a": "b"}, nil)
	one.Spec.Containers = []v1.Container{container("1")}
	other := one.DeepCopy()
	other.Labels["a"] = "c"
	if !SameAsk(one, other) {
		t.Error("a label of its own is told")
	}
	other.Spec.Tolerations = []v1.Toleration{{Key: "dedicated", Operator: v1.TolerationOpExists}}
	if SameAsk(one, other) {
		t.Error("a toleration is not told")
	}
	other = one.DeepCopy()
	other.Spec.Containers = []v1.Container{container("2")}
	if SameAsk(one, other) {
		t.Error("an amount is not told")
	}
	other = one.DeepCopy()
	other.Annotations = map[string]string{annotationTaskGroup: "workers"}
	if SameAsk(one, other) {
		t.Error("a task group is not told")
	}
}
