// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// shared gives a fat pod of this name as an informer keeps it.
func shared(t *testing.T, s *sharing, name string, change ...func(*v1.Pod)) *v1.Pod {
	t.Helper()
	pod := fat().DeepCopy()
	pod.Name, pod.UID, pod.Spec.NodeName = name, types.UID(name), "node-of-"+name
	for _, change := range change {
		change(pod)
	}
	if _, err := s.transform(pod); err != nil {
		t.Fatal(err)
	}
	return pod
}

func TestSharing_PodsThatAreAlikeHaveOneSpec(t *testing.T) {
	var s sharing
	one, other := shared(t, &s, "one"), shared(t, &s, "other")
	if &one.Spec.Containers[0] != &other.Spec.Containers[0] || reflect.ValueOf(one.Labels).Pointer() != reflect.ValueOf(other.Labels).Pointer() {
		t.Error("they share nothing")
	}
	if one.Spec.NodeName != "node-of-one" || other.Spec.NodeName != "node-of-other" || other.Name != "other" {
		t.Errorf("have %v and %v", one, other)
	}
	alone := fat()
	if _, err := lean(alone); err != nil {
		t.Fatal(err)
	}
	alone.Name, alone.UID, alone.Spec.NodeName = "other", "other", "node-of-other"
	if !reflect.DeepEqual(alone, other) {
		t.Errorf("have %v, want %v", other, alone)
	}
}

func TestSharing_PodsThatDifferKeepWhatIsTheirs(t *testing.T) {
	var s sharing
	one := shared(t, &s, "one")
	larger := shared(t, &s, "larger", func(pod *v1.Pod) { pod.Spec.Containers[0].Ports[0].HostPort = 81 })
	numbered := shared(t, &s, "numbered", func(pod *v1.Pod) { pod.Labels["index"] = "7" })
	fewer := shared(t, &s, "fewer", func(pod *v1.Pod) { delete(pod.Labels, "queue") })
	if larger.Spec.Containers[0].Ports[0].HostPort != 81 || one.Spec.Containers[0].Ports[0].HostPort != 80 {
		t.Errorf("have %v and %v", larger.Spec, one.Spec)
	}
	for pod, labels := range map[*v1.Pod]map[string]string{
		one: fat().Labels, numbered: {"applicationId": "app", "queue": "root.work", "index": "7"}, fewer: {"applicationId": "app"},
	} {
		if !reflect.DeepEqual(pod.Labels, labels) {
			t.Errorf("%s has %v, want %v", pod.Name, pod.Labels, labels)
		}
	}
	if unsafe.StringData(numbered.Labels["queue"]) != unsafe.StringData(one.Labels["queue"]) {
		t.Error("equal texts are there twice")
	}
}

func TestSharing_ForgetsWhatNoPodHad(t *testing.T) {
	var s sharing
	for i := range 5 * mostShared {
		shared(t, &s, fmt.Sprint(i), func(pod *v1.Pod) { pod.Spec.Containers[0].Ports[0].HostPort = int32(i) })
		shared(t, &s, "again")
	}
	if len(s.now)+len(s.old) > 2*mostShared {
		t.Errorf("%d and %d are kept", len(s.now), len(s.old))
	}
	if one, other := shared(t, &s, "one"), shared(t, &s, "other"); &one.Spec.Containers[0] != &other.Spec.Containers[0] {
		t.Error("one that came all the time is forgotten")
	}
}
