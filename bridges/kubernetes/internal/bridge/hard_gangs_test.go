// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/tenon"
)

// gangOf makes a pod that names these task groups, and tells the scheduler of its application. It returns the placeholders,
// which the API server does not show yet.
func (c *timed) gangOf(style, groups string) []*v1.Pod {
	c.Helper()
	c.podChanged(&v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: "first", UID: "first", Labels: map[string]string{"applicationId": "gang"}, Annotations: map[string]string{
				"yunikorn.apache.org/task-group-name":            "workers",
				"yunikorn.apache.org/task-groups":                groups,
				"yunikorn.apache.org/schedulingPolicyParameters": "gangSchedulingStyle=" + style,
			},
		},
		Spec: v1.PodSpec{SchedulerName: "tenon"},
	})
	c.step()
	c.applicationAccepted("team/gang")
	c.step()
	placeholders := c.gangs["team/gang"].Placeholders(c.gangs["team/gang"].first, "pause")
	for i, object := range placeholders {
		object.UID = types.UID(fmt.Sprintf("h%d", i))
	}
	return placeholders
}

func TestAHardGang_IsAskedForInOneRequest_OnceAllItsPlaceholdersAreThere(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		placeholders := c.gangOf("Hard", threeWorkers)
		c.want(c.hears(placeholders[1]))
		c.want(c.hears(placeholders[0]))
		want := "not placed: the placeholders of a hard gang are asked for together, and others cannot be asked for yet"
		if have := c.whyOutside(c.pods["h0"]); have != want {
			t.Errorf("a placeholder says %q", have)
		}
		c.want(c.hears(placeholders[2]), "together h0 h1 h2")
		if have := c.whyOutside(c.pods["h0"]); have != "" {
			t.Errorf("a placeholder says %q", have)
		}
	})
}

func TestASoftGang_IsAskedForOneByOne(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		for i, object := range c.gangOf("Soft", threeWorkers) {
			c.want(c.hears(object), fmt.Sprintf("ask h%d", i))
		}
	})
}

func TestAHardGang_WaitsForAPlaceholderThatIsMadeAgain(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		placeholders := c.gangOf("Hard", threeWorkers)
		c.want(c.hears(placeholders[0]))
		c.want(c.hears(placeholders[1]))
		c.podDeleted(placeholders[0])
		c.want(c.hears(placeholders[2]))
		again := placeholders[0].DeepCopy()
		again.UID = "h3"
		c.want(c.hears(again), "together h1 h2 h3")
	})
}

func TestAHardGang_AfterANewRegistration_ReportsWhatHoldsAndAsksForTheOthersTogether(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		placeholders := c.gangOf("Hard", `[{"name":"workers","minMember":4,"minResource":{"cpu":"1"}}]`)
		for _, i := range []int{0, 1} {
			placeholders[i].Spec.NodeName = "one"
			c.hears(placeholders[i])
		}
		c.hears(placeholders[2])
		c.registered(&tenon.Link{})
		c.step()
		c.told = nil
		c.nodeAccepted("one")
		c.applicationAccepted("team/gang")
		c.step()
		c.want(c.said(), "ask h0", "ask h1") // with their nodes
		c.want(c.hears(placeholders[3]), "together h2 h3")
	})
}

func TestAHardGang_OfWhichAPlaceholderWantsATypeThatNobodyHas_WaitsAsAWhole(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		for _, object := range c.gangOf("Hard", `[{"name":"driver","minMember":1,"minResource":{"cpu":"1"}},
			{"name":"workers","minMember":1,"minResource":{"cpu":"1","example.com/gpu":"1"}}]`) {
			c.want(c.hears(object))
		}
		object := having("example.com/gpu")
		object.Name, object.UID = "two", "two"
		c.nodeChanged(object)
		c.step()
		c.want(c.said(), "together h0 h1")
	})
}

func TestAHardGang_WhosePlaceholderTheSchedulerRefuses_AsksForThatOneAgain(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		for _, object := range c.gangOf("Hard", threeWorkers) {
			c.hears(object)
		}
		c.told = nil
		c.allocationRejected("h1", "too large")
		c.pass(retry + 3*beat)
		c.want(c.said(), "together h1")
	})
}

func TestAHardGang_WhoseGroupsNobodyNamesAnyMore_IsAskedForAsFarAsItIsThere(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		placeholders := c.gangOf("Hard", threeWorkers)
		c.want(c.hears(placeholders[0]))
		other := c.pods["first"].object.DeepCopy()
		other.Name, other.UID, other.Annotations = "other", "other", nil
		c.want(c.hears(other))
		c.podDeleted(c.pods["first"].object)
		c.step()
		c.want(c.said(), "ask h0")
	})
}
