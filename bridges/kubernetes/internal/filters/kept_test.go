// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package filters

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// counting counts how often the plugins looked at all nodes.
type counting struct {
	framework.Framework
	counted int
}

func (c *counting) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string]) {
	c.counted++
	return c.Framework.RunPreFilterPlugins(ctx, state, pod)
}

const zone = v1.LabelTopologyZone

func spreadOf(app string) []v1.TopologySpreadConstraint {
	return []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: zone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: ofApp(app)}}
}

func ofApp(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

func numbered(number int, namespace, app string) *v1.Pod {
	name := fmt.Sprintf("p%d", number)
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), Labels: map[string]string{"app": app}}}
}

func zoned(name, in string) *v1.Node {
	one := node(map[string]string{v1.LabelHostname: name, zone: in})
	one.Name = name
	return one
}

func TestPodsThatAreAlike_AreCountedForOnce_UntilWhatTheyCountChanges(t *testing.T) {
	f := filters(t)
	counts := &counting{Framework: f.framework}
	f.framework = counts
	f.Node(zoned("a", "one"))
	f.Node(zoned("b", "two"))
	web := numbered(0, "team", "web")
	f.Pod(web, "a")
	waits := func(number int) *v1.Pod {
		pod := numbered(number, "team", "web")
		pod.Spec.TopologySpreadConstraints = spreadOf("web")
		return pod
	}
	want := func(what string, all int, onA, onB bool) {
		t.Helper()
		for i := range 10 {
			attempt := f.Attempt(t.Context(), waits(100+i))
			if a, b := attempt.On(t.Context(), "a") == nil, attempt.On(t.Context(), "b") == nil; a != onA || b != onB {
				t.Errorf("%s: have %t and %t, want %t and %t", what, a, b, onA, onB)
			}
		}
		if counts.counted != all {
			t.Errorf("%s: counted %d times, want %d", what, counts.counted, all)
		}
	}
	want("one runs", 1, false, true)
	f.Pod(numbered(1, "other", "web"), "b")
	f.Pod(numbered(2, "team", "shop"), "b")
	want("others came", 1, false, true)
	bound := *web
	bound.Spec.NodeName = "a"
	f.PodChanged(web, &bound, "a")
	grown := zoned("a", "one")
	grown.Status.Allocatable[v1.ResourceCPU] = *grown.Status.Allocatable.Pods()
	f.Node(grown)
	want("it was bound, and a node grew", 1, false, true)
	f.Pod(numbered(3, "team", "web"), "b")
	want("one more runs", 2, true, true)
	f.PodGone(&bound, "a")
	want("one ended", 3, true, false)
	f.Node(zoned("b", "one"))
	want("a node is elsewhere", 4, true, true)
}

// Whatever happens, an attempt says the same as one that counts anew.
func TestAttempt_SaysTheSameAsOneThatCountsAnew(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			playCounts(t, rand.New(rand.NewPCG(seed, 36)))
		})
	}
}

func playCounts(t *testing.T, random *rand.Rand) {
	f := filters(t)
	counts := &counting{Framework: f.framework}
	f.framework = counts
	namespaces := f.factory.Core().V1().Namespaces().Informer().GetStore()
	apps, teams, zones := []string{"web", "shop", "mail"}, []string{"red", "blue"}, []string{"one", "two", "three"}
	any := func(of []string) string { return of[random.IntN(len(of))] }
	type placed struct {
		pod  *v1.Pod
		node string
	}
	made, nodes, running, asked := 0, map[string]*v1.Node{}, map[string]placed{}, 0
	term := func() v1.PodAffinityTerm {
		one := v1.PodAffinityTerm{TopologyKey: any([]string{zone, v1.LabelHostname}), LabelSelector: ofApp(any(apps))}
		if random.IntN(2) == 0 {
			one.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"kind": any(apps)}}
		}
		return one
	}
	shape := func() *v1.Pod {
		one := numbered(0, any(teams), any(apps))
		switch random.IntN(5) {
		case 0:
			one.Spec.TopologySpreadConstraints = spreadOf(any(apps))
			honor := v1.NodeInclusionPolicyHonor
			one.Spec.TopologySpreadConstraints[0].NodeTaintsPolicy = &honor
		case 1:
			one.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term()}}}
		case 2:
			one.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term()}}}
		case 3:
			one.Spec.NodeSelector = map[string]string{zone: any(zones)}
			one.Spec.TopologySpreadConstraints = append(spreadOf(any(apps)), spreadOf(any(apps))...)
			one.Spec.TopologySpreadConstraints[1].TopologyKey = v1.LabelHostname
		}
		return one
	}
	var shapes []*v1.Pod
	for range 16 {
		shapes = append(shapes, shape())
	}
	pod := func() *v1.Pod {
		made++
		one := shapes[random.IntN(len(shapes))].DeepCopy()
		one.Name, one.UID = fmt.Sprint(made), types.UID(fmt.Sprint(made))
		return one
	}
	for range 300 {
		switch random.IntN(9) {
		case 0:
			name := fmt.Sprintf("n%d", random.IntN(6))
			nodes[name] = zoned(name, any(zones))
			if random.IntN(3) == 0 {
				nodes[name].Spec.Taints = []v1.Taint{{Key: "off", Effect: v1.TaintEffectNoSchedule}}
			}
			nodes[name].Spec.Unschedulable = random.IntN(6) == 0
			f.Node(nodes[name])
		case 1:
			for name := range nodes {
				if random.IntN(4) == 0 {
					f.NodeGone(name)
					delete(nodes, name)
				}
				break
			}
		case 2, 3:
			one := placed{pod(), fmt.Sprintf("n%d", random.IntN(6))}
			running[one.pod.Name] = one
			f.Pod(one.pod, one.node)
		case 4:
			for name, one := range running {
				f.PodGone(one.pod, one.node)
				delete(running, name)
				break
			}
		case 5, 6:
			for name, one := range running {
				now := one.pod.DeepCopy()
				switch random.IntN(2) {
				case 0:
					now.DeletionTimestamp = &metav1.Time{}
				case 1:
					now.Labels["app"] = any(apps)
				}
				f.PodChanged(one.pod, now, one.node)
				running[name] = placed{now, one.node}
				break
			}
		case 7:
			if err := namespaces.Add(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: any(teams), Labels: map[string]string{"kind": any(apps)}}}); err != nil {
				t.Fatal(err)
			}
			f.NamespacesChanged()
		}
		for range 10 {
			asked++
			one := pod()
			have, want := f.Attempt(t.Context(), one), f.attempt(t.Context(), counts.Framework, one)
			f.Attempt(t.Context(), one).NowhereNow(t.Context()) // it leaves plugins out, for itself alone
			for name := range nodes {
				if have, want := have.On(t.Context(), name), want.On(t.Context(), name); !reflect.DeepEqual(have, want) {
					t.Fatalf("%+v on %s: have %v, want %v", one.Labels, name, have, want)
				}
			}
		}
	}
	if counts.counted > asked {
		t.Errorf("counted %d times for %d pods", counts.counted, asked)
	}
}
