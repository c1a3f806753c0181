// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package translate

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func pod(labels, annotations map[string]string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p", UID: "u", Labels: labels, Annotations: annotations}}
}

func container(cpu string) v1.Container {
	return v1.Container{Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}}}
}

func TestApplicationID_ByTheFieldsOrder(t *testing.T) {
	labels := map[string]string{"yunikorn.apache.org/app-id": "a", "applicationId": "c", "spark-app-selector": "d"}
	annotations := map[string]string{"yunikorn.apache.org/app-id": "b"}
	for _, want := range []string{"a", "b", "c", "d", "yunikorn-team-autogen"} {
		if have := ApplicationID(pod(labels, annotations)); have != want {
			t.Errorf("want %s, have %s", want, have)
		}
		switch want {
		case "a":
			delete(labels, "yunikorn.apache.org/app-id")
		case "b":
			clear(annotations)
		case "c":
			delete(labels, "applicationId")
		case "d":
			clear(labels)
		}
	}
}

func TestQueue_ByTheFieldsOrder(t *testing.T) {
	for want, p := range map[string]*v1.Pod{
		"a": pod(map[string]string{"yunikorn.apache.org/queue": "a", "queue": "c"}, map[string]string{"yunikorn.apache.org/queue": "b"}),
		"b": pod(map[string]string{"queue": "c"}, map[string]string{"yunikorn.apache.org/queue": "b"}),
		"c": pod(map[string]string{"queue": "c"}, nil),
		"":  pod(nil, nil),
	} {
		if have := Queue(p); have != want {
			t.Errorf("want %q, have %q", want, have)
		}
	}
}

func TestUser(t *testing.T) {
	const key = "yunikorn.apache.org/user.info"
	team := []string{"namespace:team"}
	for name, c := range map[string]struct {
		pod    *v1.Pod
		user   string
		groups []string
		wrong  bool
	}{
		"annotation":   {pod(nil, map[string]string{key: `{"user":"ada","groups":["dev","ops"]}`}), "ada", []string{"dev", "ops"}, false},
		"label":        {pod(map[string]string{"yunikorn.apache.org/username": "bob"}, nil), "bob", nil, false},
		"none":         {pod(nil, nil), "team", team, false},
		"without name": {pod(nil, map[string]string{key: `{"groups":["dev"]}`}), "team", team, false},
		"no JSON":      {pod(nil, map[string]string{key: "ada"}), "team", team, true},
		"no name":      {pod(nil, map[string]string{key: `{"user":"a b"}`}), "team", team, true},
	} {
		user, groups, err := User(c.pod, true)
		if user != c.user || !reflect.DeepEqual(groups, c.groups) || (err != nil) != c.wrong {
			t.Errorf("%s: have %s %v %v", name, user, groups, err)
		}
		if user, groups, err := User(c.pod, false); user != "team" || !reflect.DeepEqual(groups, team) || err != nil {
			t.Errorf("%s: nobody vouches for it, and it is %s %v %v", name, user, groups, err)
		}
	}
	p := pod(nil, nil)
	p.Namespace = "7-of-9"
	if user, _, _ := User(p, false); user != "_7-of-9" || !ValidUser(user) {
		t.Errorf("have %s", user)
	}
}

func TestAmounts_InitContainersSidecarsAndOverheadCount(t *testing.T) {
	always := v1.ContainerRestartPolicyAlways
	sidecar := container("250m")
	sidecar.RestartPolicy = &always
	p := pod(nil, nil)
	p.Spec = v1.PodSpec{
		InitContainers: []v1.Container{sidecar, container("3")},
		Containers:     []v1.Container{container("1"), container("500m")},
		Overhead:       v1.ResourceList{v1.ResourceMemory: resource.MustParse("1Mi")},
	}
	want := Amounts{Vcore: 3250, "memory": 1 << 20, Pods: 1}
	if have := OfPod(p); !maps.Equal(have, want) {
		t.Errorf("want %v, have %v", want, have)
	}
}

func TestNodeAttributes_LabelsZoneAndTaints(t *testing.T) {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "one", Labels: map[string]string{"disk": "ssd", v1.LabelTopologyZone: "north"}}}
	want := map[string]string{
		"si/label/disk": "ssd", "si/label/" + v1.LabelTopologyZone: "north", "si/zone": "north", "si/hostname": "one", "si/tainted": "no",
	}
	if have := NodeAttributes(node); !maps.Equal(have, want) {
		t.Errorf("want %v, have %v", want, have)
	}
	for effect, tainted := range map[v1.TaintEffect]string{
		v1.TaintEffectNoSchedule: "yes", v1.TaintEffectNoExecute: "yes", v1.TaintEffectPreferNoSchedule: "no",
	} {
		node.Spec.Taints = []v1.Taint{{Key: "k", Effect: effect}}
		if have := NodeAttributes(node)["si/tainted"]; have != tainted {
			t.Errorf("%s: want %s, have %s", effect, tainted, have)
		}
	}
}

func TestTags_SayWhatEqualityCanSay(t *testing.T) {
	p := pod(nil, nil)
	p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: []string{"a", "b"}}, {Key: "old", Operator: v1.NodeSelectorOpDoesNotExist}}}}}}}
	p.Spec.Tolerations = []v1.Toleration{{Key: v1.TaintNodeNotReady, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute}}
	have := requirementsOf(p)
	if want := map[string]string{"si/label/disk": "ssd", "si/label/zone": "a|b", "si/tainted": "no"}; !maps.Equal(have, want) {
		t.Errorf("want %v, have %v", want, have)
	}
	terms := &p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	*terms = append(*terms, v1.NodeSelectorTerm{}) // one term or another: no tag can say that
	p.Spec.Tolerations = append(p.Spec.Tolerations, v1.Toleration{Key: "dedicated", Operator: v1.TolerationOpExists})
	if have, want := requirementsOf(p), map[string]string{"si/label/disk": "ssd"}; !maps.Equal(have, want) {
		t.Errorf("want %v, have %v", want, have)
	}
}

func requirementsOf(p *v1.Pod) map[string]string {
	tags := map[string]string{}
	requirements(p, tags)
	return tags
}

func TestRequiredNode_IsWhatADaemonSetSays(t *testing.T) {
	field := func(names ...string) v1.NodeSelectorTerm {
		return v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: names}}}
	}
	for want, terms := range map[string][][]v1.NodeSelectorTerm{
		"one": {{field("one")}, {field("one"), field("one")}},
		"":    {nil, {field("one", "two")}, {field("one"), field("two")}, {field("one"), {}}},
	} {
		for _, each := range terms {
			p := pod(nil, nil)
			p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: each}}}
			if have := RequiredNode(p); have != want {
				t.Errorf("%v: want %q, have %q", each, want, have)
			}
		}
	}
}

func TestApplicationTags_OfNamespaces(t *testing.T) {
	namespace := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
		"yunikorn.apache.org/namespace.quota":      `{"cpu":"2","memory":"1Gi","nvidia.com/gpu":"1"}`,
		"yunikorn.apache.org/namespace.guaranteed": "no JSON",
		"yunikorn.apache.org/namespace.maxApps":    "7",
		"yunikorn.apache.org/parentqueue":          "root.teams",
	}}}
	tags, wrong := ApplicationTags("team", namespace)
	want := map[string]string{
		"namespace": "team", "namespace.resourcemaxapps": "7", "namespace.parentqueue": "root.teams",
		"namespace.resourcequota": `{"resources":{"memory":{"value":1073741824},"nvidia.com/gpu":{"value":1},"vcore":{"value":2000}}}`,
	}
	if !maps.Equal(tags, want) {
		t.Errorf("want %v, have %v", want, tags)
	}
	if len(wrong) != 1 || !strings.Contains(wrong[0].Error(), "namespace.guaranteed") {
		t.Errorf("one annotation is wrong; told was %v", wrong)
	}
}

func TestAllocation_HasPriorityAndPolicy(t *testing.T) {
	p := pod(nil, nil)
	priority, never := int32(7), v1.PreemptNever
	p.Spec.Priority, p.Spec.PreemptionPolicy = &priority, &never
	one := Allocation(p, Role{Application: "app", Originator: true, Protected: true}, OfPod(p), "node", "uuid")
	if one.Priority != 7 || !one.Originator || one.PreemptionPolicy.AllowPreemptSelf || one.PreemptionPolicy.AllowPreemptOther {
		t.Errorf("have %v", one)
	}
	if one.NodeID != "node" || one.UUID != "uuid" || one.AllocationKey != "u" || one.ApplicationID != "app" {
		t.Errorf("have %v", one)
	}
}
