// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

const queuesOfKinds = `
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: work
            resources: { max: { example.com/bounded: 1 }, guaranteed: { example.com/guaranteed: 1 } }
            limits: [{ limit: all, users: ["*"], maxresources: { example.com/limited: 1 } }]
          - name: teams
            parent: true
            childtemplate: { resources: { max: { example.com/templated: 1 } } }
`

func wants(kind string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Containers[0].Resources.Requests[v1.ResourceName(kind)] = resource.MustParse("1")
	}
}

func TestPodsThatWantAKindThatOnlyAQueueNames_AreAskedFor_AndOthersAreToldThatItIsMissing(t *testing.T) {
	s, d := newAPIServer(t), serveQueues(t, queuesOfKinds)
	s.node("one", 4)
	bridged(t, s, d, controlled(d))
	s.pod("unknown", wants("example.com/unknown"))
	for _, kind := range []string{"bounded", "guaranteed", "limited", "templated"} {
		pod := s.pod(kind, wants("example.com/"+kind))
		s.until(kind+" is asked for", func() bool { return d.waits(pod.UID) })
		s.says(kind, fmt.Sprintf("0/1 nodes are available: 1 Insufficient example.com/%s.", kind))
	}
	s.says("unknown", "0/1 nodes are available: 1 Insufficient example.com/unknown. Tenon: No node has example.com/unknown; the pod is asked for when one has.")
	if d.waits(s.get("unknown").UID) {
		t.Error("the scheduler has an ask with a kind that nobody names")
	}
	s.node("two", 4, func(node *v1.Node) { node.Status.Allocatable["example.com/bounded"] = resource.MustParse("2") })
	s.on([]string{"two"}, "bounded")
	second := s.pod("second", wants("example.com/bounded")) // the queue may have one
	s.until("it is asked for", func() bool { return d.waits(second.UID) })
	s.stillWait("second", "guaranteed", "limited", "templated")
}

func TestAPodThatWantsAKindThatAQueueNamesLater_IsAskedForThen(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	bridged(t, s, d, controlled(d))
	pod := s.pod("early", wants("example.com/bounded"))
	s.says("early", "0/1 nodes are available: 1 Insufficient example.com/bounded. Tenon: No node has example.com/bounded; the pod is asked for when one has.")
	if d.waits(pod.UID) {
		t.Error("the scheduler has an ask with a kind that nobody names")
	}
	d.reload(queuesOfKinds)
	s.until("it is asked for", func() bool { return d.waits(pod.UID) })
}

func TestAPodThatWantsAKindOfALimit_IsAskedFor_IfTheQueuesAreOfItsResourceManagerAlone(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	bridged(t, s, d, controlled(d))
	d.send(queuesOfKinds)
	pod := s.pod("limited", wants("example.com/limited"))
	s.until("it is asked for", func() bool { return d.waits(pod.UID) })
}

func TestAGangThatWasAcceptedBeforeAQueueNamedAKind_IsHeldToIt(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	bridged(t, s, d, controlled(d))
	s.pod("first", queue("root.work", "gang"), func(pod *v1.Pod) {
		pod.Annotations = map[string]string{
			"yunikorn.apache.org/task-group-name": "workers",
			"yunikorn.apache.org/task-groups":     `[{"name":"workers","minMember":2,"minResource":{"cpu":"1","example.com/bounded":"1"}}]`,
		}
	})
	s.until("its placeholders wait", func() bool { return len(s.list()) == 3 })
	d.reload(queuesOfKinds) // root.work may have one
	s.until("it is refused", func() bool {
		for _, condition := range s.get("first").Status.Conditions {
			if condition.Type == v1.PodScheduled && strings.HasPrefix(condition.Message, "the scheduler refused the application team/gang: ") {
				return true
			}
		}
		return false
	})
}
