// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"maps"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"tenon.invalid/kubernetes/internal/translate"
)

func having(kinds ...v1.ResourceName) *v1.Node {
	room := v1.ResourceList{v1.ResourceCPU: resource.MustParse("1"), v1.ResourceHugePagesPrefix + "2Mi": resource.MustParse("0")}
	for _, kind := range kinds {
		room[kind] = resource.MustParse("2")
	}
	return &v1.Node{Status: v1.NodeStatus{Allocatable: room}}
}

func TestKnown_AreTheKindsThatNodesHave(t *testing.T) {
	b := New(Options{})
	wanted := translate.Amounts{translate.Vcore: 1, translate.Pods: 1, "memory": 1, "example.com/gpu": 1, "hugepages-2Mi": 1}
	knows := func(want ...string) {
		t.Helper()
		have := b.known(wanted)
		for _, kind := range append(want, translate.Vcore, translate.Pods, "memory") {
			if have[kind] != 1 {
				t.Errorf("%s is not known: %v", kind, have)
			}
		}
		if len(have) != len(want)+3 || b.lacks(wanted) != (len(want) < 2) || len(wanted) != 5 {
			t.Errorf("have %v of %v", have, wanted)
		}
	}
	knows()
	one, other := having("example.com/gpu"), having("example.com/gpu", "hugepages-2Mi")
	b.countKinds(nil, one)
	knows("example.com/gpu")
	b.countKinds(nil, other)
	knows("example.com/gpu", "hugepages-2Mi")
	b.countKinds(other, having())
	b.countKinds(one, one)
	knows("example.com/gpu")
	b.countKinds(one, nil)
	knows()
	b.countKinds(having(), nil)
	if len(b.kinds) != 0 {
		t.Errorf("left are %v", maps.Collect(maps.All(b.kinds)))
	}
}
