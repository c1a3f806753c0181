// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"tenon.invalid/kubernetes/internal/tenon"
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

func TestKnown_AreTheKindsThatQueuesName(t *testing.T) {
	b := New(Options{})
	wanted := translate.Amounts{translate.Vcore: 1, "example.com/gpu": 1}
	if have := b.known(wanted); len(have) != 1 || !b.lacks(wanted) || b.nobodyHas(wanted) != "example.com/gpu" {
		t.Errorf("have %v of %v", have, wanted)
	}
	b.queuesName(map[string]bool{"example.com/gpu": true, translate.Vcore: true})
	if have := b.known(wanted); len(have) != 2 || b.lacks(wanted) || b.nobodyHas(wanted) != "" {
		t.Errorf("have %v of %v", have, wanted)
	}
	b.queuesName(nil)
	if !b.lacks(wanted) {
		t.Error("no queue names it any more")
	}
}

func TestClock_WhatRunsIsReportedAgain_OnceAQueueNamesAKindOfIt(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		wants := p.object.DeepCopy()
		wants.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("1")
		wants.Spec.NodeName = "one"
		c.allocate(p)
		c.podChanged(wants)
		c.step()
		c.told = nil
		c.queuesName(map[string]bool{translate.Vcore: true})
		c.step()
		if len(c.told) > 0 {
			t.Errorf("told %v", c.told)
		}
		c.queuesName(map[string]bool{"example.com/gpu": true})
		c.step()
		c.want(c.said(), "ask p")
		c.told = nil
		c.queuesName(nil)
		c.podChanged(wants.DeepCopy())
		c.step()
		c.want(c.said())
	})
}

func TestClock_WhatRunsIsReportedBeforeOthersAreAskedFor_OnceAQueueNamesAKind(t *testing.T) {
	timedBridge(t, func(c *timed, p *pod) {
		runs := p.object.DeepCopy()
		runs.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("1")
		waits := runs.DeepCopy()
		waits.Name, waits.UID = "waits", "waits"
		runs.Spec.NodeName = "one"
		c.allocate(p)
		c.podChanged(runs)
		c.want(c.hears(waits))
		c.queuesName(map[string]bool{"example.com/gpu": true})
		c.step()
		c.want(c.said(), "ask p", "ask waits")
	})
}

func TestClock_AGangIsToldWithKindsThatQueuesName_AfterTheFirstAnswerOfASession(t *testing.T) {
	for name, one := range map[string]struct {
		named map[string]bool
		err   error
	}{
		"it names the kind": {named: map[string]bool{"example.com/gpu": true}},
		"there is none":     {err: errors.New("the scheduler does not answer")},
	} {
		t.Run(name, func(t *testing.T) {
			timedBridge(t, func(c *timed, p *pod) {
				c.Control.Socket = "never asked"
				c.queues.named, c.queues.open = map[string]bool{"example.com/gpu": true}, true
				c.registered(&tenon.Link{}) // of a scheduler with other queues, as far as is known
				c.podChanged(&v1.Pod{
					ObjectMeta: metav1.ObjectMeta{
						Namespace: "team", Name: "first", UID: "first", Labels: map[string]string{"applicationId": "gang"}, Annotations: map[string]string{
							"yunikorn.apache.org/task-group-name": "workers",
							"yunikorn.apache.org/task-groups":     `[{"name":"workers","minMember":2,"minResource":{"cpu":"1","example.com/gpu":"1"}}]`,
						},
					},
					Spec: v1.PodSpec{SchedulerName: "tenon"},
				})
				if have := c.applications[p.application].standing; have != said {
					c.Errorf("an application without a gang stands at %d", have)
				}
				c.step()
				if have := c.applications["team/gang"].standing; have != unknown || c.queues.named != nil {
					c.Fatalf("the gang stands at %d, queues name %v", have, c.queues.named)
				}
				c.queuesAnswered(c.link, one.named, 0, one.err)
				if len(c.outbox.applications) != 1 || c.applications["team/gang"].standing != said {
					c.Fatalf("told %v", c.outbox.applications)
				}
				if have := c.outbox.applications[0].PlaceholderAsk.Resources["example.com/gpu"].GetValue(); (have == 2) != (one.err == nil) {
					c.Errorf("the gang asks for %d", have)
				}
				c.queuesAnswered(c.link, one.named, 0, nil)
				if len(c.outbox.applications) != 1 {
					c.Errorf("told %v", c.outbox.applications)
				}
			})
		})
	}
}

func TestKeep_LeavesKindsForTheQueues(t *testing.T) {
	b := New(Options{})
	var many []v1.ResourceName
	for i := range 60 {
		many = append(many, v1.ResourceName(fmt.Sprintf("example.com/kind-%02d", i)))
	}
	b.countKinds(nil, having(many...))
	if len(b.kept) != 47 || b.unheardOf("example.com/kind-46") || !b.unheardOf("example.com/kind-47") {
		t.Errorf("%d kinds are kept", len(b.kept))
	}
}

func TestClock_APodThatWantsAKindThatNoNodeHas_IsToldSo_AndIsAskedForOnceANodeHasSome(t *testing.T) {
	timedBridge(t, func(c *timed, _ *pod) {
		object := c.pods["p"].object.DeepCopy()
		object.Name, object.UID, object.Labels = "wants", "wants", map[string]string{"applicationId": "yunikorn-team-autogen"}
		object.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("1")
		if err := c.server.Tracker.Add(object); err != nil {
			t.Fatal(err)
		}
		c.want(c.hears(object))
		c.pass(c.Patience + 2*beat)
		want := "0/1 nodes are available: 1 Insufficient example.com/gpu. Tenon: No node has example.com/gpu; the pod is asked for when one has."
		if have := c.pods["wants"].waitsFor; have != want || len(c.kept) != 0 {
			t.Errorf("have %q, kept %v", have, c.kept)
		}
		c.want(c.said())
		node := having("example.com/gpu")
		node.Name, node.UID = "two", "two"
		c.nodeChanged(node)
		c.step()
		c.want(c.said(), "ask wants")
	})
}
