// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/bridge"
)

// makesPods has the API server give each pod that the bridge makes a UID, and refuse pods whose names end so while it is to.
func (s *apiServer) makesPods(refused string, refuses *atomic.Bool) {
	s.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		made, ok := action.(clienttesting.CreateAction).GetObject().(*v1.Pod)
		if !ok {
			return false, nil, nil
		}
		if refuses.Load() && strings.HasSuffix(made.Name, refused) {
			return true, nil, errors.New("exceeded quota")
		}
		made = made.DeepCopy()
		made.UID, made.CreationTimestamp, made.Status.Phase = s.uid(), metav1.Now(), v1.PodPending
		return true, made, s.Tracker.Create(podsResource, made, made.Namespace)
	})
}

// member makes a pod of a hard gang of so many.
func member(members int) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		queue("root.work", "gang")(pod)
		pod.Annotations = map[string]string{
			"yunikorn.apache.org/task-group-name":            "workers",
			"yunikorn.apache.org/task-groups":                fmt.Sprintf(`[{"name":"workers","minMember":%d,"minResource":{"cpu":"1"}}]`, members),
			"yunikorn.apache.org/schedulingPolicyParameters": "gangSchedulingStyle=Hard",
		}
	}
}

func TestAHardGang_OfWhichAPlaceholderIsNotMade_HoldsNothing_AndRunsAsAWholeAfterwards(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	var refuses atomic.Bool
	refuses.Store(true)
	s.makesPods("-2", &refuses)
	s.node("one", 2)
	bridged(t, s, d, func(options *bridge.Options) {
		options.Repeat, options.PlaceholderImage = 100*time.Millisecond, "pause"
	})
	placeholders := func() []v1.Pod {
		var all []v1.Pod
		for _, pod := range s.list() {
			if pod.Annotations["yunikorn.apache.org/placeholder"] == "true" {
				all = append(all, pod)
			}
		}
		return all
	}
	for i := range 3 {
		s.pod(fmt.Sprintf("p%d", i), member(3))
	}
	s.until("two placeholders are there", func() bool { return len(placeholders()) == 2 })
	names := placeholders()
	s.says(names[0].Name, "not placed: the placeholders of a hard gang are asked for together, and others cannot be asked for yet")
	s.says("p0", fmt.Sprintf("not placed: the placeholder %s-2 of the pod's task groups cannot be made: exceeded quota", names[0].Name[:len(names[0].Name)-2]))
	s.pod("beside", queue("root.work", "other"), cores("2"))
	s.on([]string{"one"}, "beside")
	for _, one := range placeholders() {
		s.stillWait(one.Name)
	}
	refuses.Store(false)
	s.until("three placeholders are there", func() bool { return len(placeholders()) == 3 })
	s.node("two", 3)
	s.on([]string{"two"}, "p0", "p1", "p2")
	s.noneOver()
}
