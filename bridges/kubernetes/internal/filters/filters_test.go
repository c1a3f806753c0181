// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package filters

import (
	"context"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"tenon.invalid/kubernetes/internal/fakeapi"
)

func filters(t *testing.T, ignore ...string) *Filters {
	t.Helper()
	client, err := fakeapi.New()
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(t.Context(), informers.NewSharedInformerFactory(client, 0), Options{Client: client, Ignore: ignore})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func node(labels map[string]string, taints ...v1.Taint) *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "one", Labels: labels}, Spec: v1.NodeSpec{Taints: taints},
		Status: v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourcePods: resource.MustParse("10")}},
	}
}

func affinity(operator v1.NodeSelectorOperator, key string, values ...string) v1.PodSpec {
	return v1.PodSpec{Affinity: &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: operator, Values: values}}}}}}}}
}

func port(number int32, address string, protocol v1.Protocol) v1.PodSpec {
	return v1.PodSpec{Containers: []v1.Container{{Ports: []v1.ContainerPort{{HostPort: number, HostIP: address, Protocol: protocol}}}}}
}

// panicking is a framework of which no plugin can say anything.
type panicking struct{ framework.Framework }

func (panicking) RunPreFilterPlugins(context.Context, fwk.CycleState, *v1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string]) {
	panic("as this test wants it")
}

func (panicking) RunFilterPlugins(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status {
	panic("as this test wants it")
}

func TestAttempt_APluginThatPanicsRefusesThatPodAlone(t *testing.T) {
	const want = "a plugin of the scheduler failed on this pod"
	f := filters(t)
	f.Node(node(nil))
	whole := f.framework
	f.framework = panicking{whole}
	if refusal := f.Attempt(t.Context(), &v1.Pod{}).On(t.Context(), "one"); refusal == nil || refusal.Reasons[0] != want {
		t.Errorf("before all nodes: have %v", refusal)
	}
	f.framework = whole
	a := f.Attempt(t.Context(), &v1.Pod{})
	a.by = panicking{whole}
	if refusal := a.On(t.Context(), "one"); refusal == nil || refusal.Reasons[0] != want {
		t.Errorf("on a node: have %v", refusal)
	}
}

func TestRefusal(t *testing.T) {
	const unmatched, ports = "node(s) didn't match Pod's node affinity/selector", "node(s) didn't have free ports for the requested pod ports"
	soft := v1.Taint{Key: "soft", Effect: v1.TaintEffectPreferNoSchedule}
	gone := v1.Taint{Key: "gone", Value: "x", Effect: v1.TaintEffectNoExecute}
	restarts := v1.PodSpec{Containers: []v1.Container{{RestartPolicyRules: []v1.ContainerRestartRule{{Action: v1.ContainerRestartRuleActionRestartAllContainers}}}}}
	able := node(nil)
	able.Status.DeclaredFeatures = []string{"RestartAllContainersOnContainerExits"}
	closed := node(nil)
	closed.Spec.Unschedulable = true
	for name, c := range map[string]struct {
		pod    v1.PodSpec
		node   *v1.Node
		others []v1.PodSpec
		want   string
	}{
		"nothing wanted":                  {node: node(nil)},
		"selector matches":                {pod: v1.PodSpec{NodeSelector: map[string]string{"a": "b"}}, node: node(map[string]string{"a": "b"})},
		"selector does not":               {pod: v1.PodSpec{NodeSelector: map[string]string{"a": "b"}}, node: node(map[string]string{"a": "c"}), want: unmatched},
		"affinity exists":                 {pod: affinity(v1.NodeSelectorOpExists, "a"), node: node(nil), want: unmatched},
		"affinity greater":                {pod: affinity(v1.NodeSelectorOpGt, "a", "3"), node: node(map[string]string{"a": "4"})},
		"affinity not greater":            {pod: affinity(v1.NodeSelectorOpGt, "a", "4"), node: node(map[string]string{"a": "4"}), want: unmatched},
		"taint that only asks":            {node: node(nil, soft)},
		"taint":                           {node: node(nil, soft, gone), want: "node(s) had untolerated taint(s)"},
		"taint that is tolerated":         {pod: v1.PodSpec{Tolerations: []v1.Toleration{{Operator: v1.TolerationOpExists}}}, node: node(nil, gone)},
		"cordoned":                        {node: closed, want: "node(s) were unschedulable"},
		"cordoned, and that is tolerated": {pod: v1.PodSpec{Tolerations: []v1.Toleration{{Key: v1.TaintNodeUnschedulable, Operator: v1.TolerationOpExists}}}, node: closed},
		"port is taken":                   {pod: port(80, "", ""), node: node(nil), others: []v1.PodSpec{port(80, "10.0.0.1", v1.ProtocolTCP)}, want: ports},
		"port of another protocol":        {pod: port(80, "", v1.ProtocolUDP), node: node(nil), others: []v1.PodSpec{port(80, "", "")}},
		"port of another address":         {pod: port(80, "10.0.0.1", ""), node: node(nil), others: []v1.PodSpec{port(80, "10.0.0.2", "")}},
		"feature that the node declares":  {pod: restarts, node: able},
		"feature that it does not":        {pod: restarts, node: node(nil), want: "node(s) didn't match Pod's required features"},
		"another port":                    {pod: port(80, "", ""), node: node(nil), others: []v1.PodSpec{port(81, "", "")}},
	} {
		t.Run(name, func(t *testing.T) {
			f := filters(t)
			f.Node(c.node)
			for i, spec := range c.others {
				f.Pod(&v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: types.UID(rune('a' + i))}, Spec: protocols(spec)}, "one")
			}
			have, refused := "", f.Attempt(t.Context(), &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "asked"}, Spec: protocols(c.pod)}).On(t.Context(), "one")
			if refused != nil {
				have = strings.Join(refused.Reasons, ", ")
			}
			if have != c.want {
				t.Errorf("want %q, have %q", c.want, have)
			}
		})
	}
}

// protocols are those that the API server would have put in.
func protocols(spec v1.PodSpec) v1.PodSpec {
	for _, container := range spec.Containers {
		for i := range container.Ports {
			if container.Ports[i].Protocol == "" {
				container.Ports[i].Protocol = v1.ProtocolTCP
			}
		}
	}
	return spec
}

func TestPodsThatKeepApart_AreSeenUntilTheyAreGone(t *testing.T) {
	f := filters(t)
	f.Node(node(nil))
	apart := func(uid types.UID) *v1.Pod {
		return &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid, Namespace: "team", Labels: map[string]string{"app": "a"}}, Spec: v1.PodSpec{
			Affinity: &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
				TopologyKey: "host", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}}}}}}}
	}
	labelled := node(map[string]string{"host": "one"})
	f.Node(labelled)
	first, second := apart("first"), apart("second")
	f.Pod(first, "one")
	refused := f.Attempt(t.Context(), second).On(t.Context(), "one")
	if refused == nil || refused.Plugins[0] != "InterPodAffinity" {
		t.Fatalf("have %v", refused)
	}
	if !f.MayHelp(refused.Plugins, second, OfPod(first, nil, "one")) {
		t.Error("the end of the first one helps")
	}
	other := &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "other", Namespace: "team"}}
	if f.MayHelp(refused.Plugins, second, OfPod(other, nil, "one")) {
		t.Error("the end of another one does not help")
	}
	f.PodGone(first, "one")
	if refused := f.Attempt(t.Context(), second).On(t.Context(), "one"); refused != nil {
		t.Errorf("have %v", refused)
	}
	f.NodeGone("one")
	if refused := f.Attempt(t.Context(), second).On(t.Context(), "one"); refused == nil {
		t.Error("the node is gone")
	}
	if len(f.cluster.nodes) > 0 {
		t.Errorf("have %v", f.cluster.nodes)
	}
}

func TestChangesOfNodes_HelpThoseWhomTheyAreAbout(t *testing.T) {
	f := filters(t)
	blue, green := v1.Taint{Key: "blue", Effect: v1.TaintEffectNoSchedule}, v1.Taint{Key: "green", Effect: v1.TaintEffectNoSchedule}
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "asked"}, Spec: v1.PodSpec{Tolerations: []v1.Toleration{{Key: "green", Operator: v1.TolerationOpExists}}}}
	for name, c := range map[string]struct {
		change Change
		want   bool
	}{
		"its taint instead of another": {OfNode(node(nil, blue), node(nil, green)), true},
		"a taint less":                 {OfNode(node(nil, blue), node(nil)), true},
		"still another":                {OfNode(node(nil, blue), node(nil, blue, green)), false},
		"a label":                      {OfNode(node(nil, blue), node(map[string]string{"a": "b"}, blue)), false},
		"a node":                       {OfNode(nil, node(nil)), true},
		"a node less":                  {OfNode(node(nil), nil), false},
	} {
		if have := f.MayHelp([]string{"TaintToleration"}, pod, c.change); have != c.want {
			t.Errorf("%s: want %t", name, c.want)
		}
	}
}

func TestKindsThatAreIgnored_AreNotLookedAt(t *testing.T) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "asked", Namespace: "team"}, Spec: v1.PodSpec{Volumes: []v1.Volume{{VolumeSource: v1.VolumeSource{
		PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "none"}}}}}}
	for _, c := range []struct {
		ignore []string
		want   bool
	}{{nil, true}, {[]string{PodAffinity, TopologySpread, ResourceClaims}, true}, {[]string{Volumes}, false}} {
		f := filters(t, c.ignore...)
		f.Node(node(nil))
		attempt := f.Attempt(t.Context(), pod)
		if have := attempt.On(t.Context(), "one") != nil; have != c.want || have != (attempt.Nowhere() != nil) {
			t.Errorf("%v: want %t", c.ignore, c.want)
		}
	}
}

// elsewhere are the plugins of kube-scheduler's default profile that this package leaves out, and what does their work.
var elsewhere = map[string]string{
	"SchedulingGates":                 "the bridge asks for no pod that has gates",
	"PrioritySort":                    "the scheduler orders what waits",
	"DefaultPreemption":               "the scheduler preempts",
	"NodeResourcesBalancedAllocation": "the scheduler orders nodes",
	"ImageLocality":                   "the scheduler orders nodes",
	"DefaultBinder":                   "the bridge binds",
}

// A plugin that the next version of Kubernetes has on by default has to be enabled here, or to be named as left out.
func TestEveryPluginOfTheDefaultProfile_IsEnabledOrLeftOutWithAReason(t *testing.T) {
	defaults, err := latest.Default()
	if err != nil {
		t.Fatal(err)
	}
	theirs := map[string]bool{}
	for _, plugin := range defaults.Profiles[0].Plugins.MultiPoint.Enabled {
		theirs[plugin.Name] = true
		if slices.Contains(enabled, plugin.Name) == (elsewhere[plugin.Name] != "") {
			t.Errorf("%s is on by default in kube-scheduler: it has to be enabled here, or left out with a reason", plugin.Name)
		}
	}
	for _, name := range enabled {
		if !theirs[name] {
			t.Errorf("%s is not on by default in kube-scheduler", name)
		}
	}
}
