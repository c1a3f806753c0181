// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"tenon.invalid/kubernetes/internal/filters"
)

func TestWhy_OfPodsThatAreAlikeOneIsLookedAt(t *testing.T) {
	g := newGangs(t)
	var err error
	if g.filters, err = filters.New(g.context, informers.NewSharedInformerFactory(g.server, 0), filters.Options{Client: g.server}); err != nil {
		t.Fatal(err)
	}
	add := func(name string) {
		g.nodeChanged(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Status: v1.NodeStatus{
			Allocatable: v1.ResourceList{v1.ResourceCPU: resource.MustParse("1"), v1.ResourcePods: resource.MustParse("9")}}})
	}
	waits := func(name, cpu string) *pod {
		return &pod{object: &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID(name)}, Spec: v1.PodSpec{
			Containers: []v1.Container{{Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}}}}}}}
	}
	said := func(p *pod, alike verdicts, want string) {
		t.Helper()
		if have := g.why(p, alike).words(); !strings.HasPrefix(have, want) {
			t.Errorf("have %q, want %q", have, want)
		}
	}
	add("one")
	alike := verdicts{}
	said(waits("first", "2"), alike, "0/1 nodes are available: 1 Insufficient cpu.")
	said(waits("fits", "1"), alike, "1/1 nodes have room")
	add("two") // within one beat nothing comes: by this is seen who was looked at
	said(waits("second", "2"), alike, "0/1 nodes")
	said(waits("third", "3"), alike, "0/2 nodes")
	said(waits("second", "2"), nil, "0/2 nodes")
}
