// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/translate"
)

// tolerating makes a pod that tolerates a taint of this name, and asks for it.
func (c *timed) tolerating(name, taint string) *pod {
	object := c.pods["p"].object.DeepCopy()
	object.Name, object.UID = name, types.UID(name)
	object.Spec.Tolerations = []v1.Toleration{{Key: taint, Operator: v1.TolerationOpExists}}
	if err := c.server.Tracker.Add(object); err != nil {
		c.Fatal(err)
	}
	c.podChanged(object)
	c.step()
	return c.pods[object.UID]
}

// refuse has as many nodes refused to the pod as are enough.
func (c *timed) refuse(p *pod) {
	for range enoughRefusals {
		c.classRefused(p, &filters.Refusal{Plugins: []string{"TaintToleration"}})
	}
	c.step()
}

func TestClasses_AreForgottenOnceOthersNeedTheirPlace_AndNotWhileTheirPodsWait(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		first := c.tolerating("first", "first")
		c.refuse(first)
		if have := c.nodes["one"].attributes[translate.ClassAttribute(first.class)]; have != translate.Fits {
			t.Fatalf("the node has %v", c.nodes["one"].attributes)
		}
		for i := range mostClasses - 1 {
			time.Sleep(classPause)
			c.refuse(c.tolerating(fmt.Sprintf("p%d", i), fmt.Sprintf("t%d", i)))
		}
		time.Sleep(classPause)
		last := c.tolerating("last", "last")
		c.refuse(last)
		if len(c.demands.told) != mostClasses || c.classOf(last) != "" {
			t.Errorf("%d classes are told", len(c.demands.told))
		}
		c.podDeleted(first.object)
		time.Sleep(beat)
		c.refuse(last)
		if len(c.demands.told) != mostClasses || c.classOf(last) == "" {
			t.Errorf("%d classes are told, and not the last one", len(c.demands.told))
		}
		attributes := c.nodes["one"].attributes
		if attributes[translate.ClassAttribute(first.class)] != "" || attributes[translate.ClassAttribute(last.class)] != translate.Fits {
			t.Errorf("the node has %v", attributes)
		}
	})
}

func TestClasses_ANamespaceGivesTheirPlaceToThoseOfAnother(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		for i := range mostClasses {
			c.refuse(c.tolerating(fmt.Sprintf("p%d", i), fmt.Sprintf("t%d", i)))
			time.Sleep(classPause)
		}
		other := c.tolerating("other", "other")
		object := *other.object
		object.Namespace, other.object = "other", &object
		c.told = nil
		c.refuse(other)
		if len(c.demands.told) != mostClasses || c.classOf(other) == "" {
			t.Errorf("%d classes are told, and not that of another namespace", len(c.demands.told))
		}
		said := c.said() // whoever loses its class is asked for without it
		if len(said) != 4 || said[0] == "release other" || said[1] != strings.Replace(said[0], "release", "ask", 1) || said[2] != "release other" {
			t.Errorf("the scheduler was told %q", said)
		}
		time.Sleep(beat)
		last := c.tolerating("last", "last")
		c.refuse(last)
		if len(c.demands.told) != mostClasses || c.classOf(last) != "" || c.classOf(other) == "" {
			t.Errorf("the class of one of many replaces that of one")
		}
	})
}

func TestClasses_OneAfterTheOtherIsTold(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		one, other := c.tolerating("one", "one"), c.tolerating("other", "other")
		c.refuse(one)
		c.refuse(other)
		if c.classOf(one) == "" || c.classOf(other) != "" {
			t.Errorf("told are %v", c.demands.told)
		}
		time.Sleep(classPause)
		c.refuse(other)
		if c.classOf(other) == "" {
			t.Errorf("told are %v", c.demands.told)
		}
	})
}

func TestClasses_FollowTheNodes(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		p := c.tolerating("tolerates", "a")
		c.refuse(p)
		fits := func(name string) bool {
			return c.nodes[name].attributes[translate.ClassAttribute(p.class)] == translate.Fits
		}
		node := c.nodes["one"].object.DeepCopy()
		node.Spec.Taints = []v1.Taint{{Key: "a", Effect: v1.TaintEffectNoSchedule}, {Key: "b", Effect: v1.TaintEffectNoSchedule}}
		c.nodeChanged(node)
		c.nodeChanged(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "two", UID: "two"}, Spec: v1.NodeSpec{Taints: node.Spec.Taints[:1]}})
		c.step()
		if fits("one") || !fits("two") {
			t.Errorf("have %v and %v", c.nodes["one"].attributes, c.nodes["two"].attributes)
		}
	})
}
