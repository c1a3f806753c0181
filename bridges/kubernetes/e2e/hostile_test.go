// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"tenon.invalid/kubernetes/internal/bridge"
)

// wordy is required node affinity to one of so many values, each of so many bytes, of so many labels.
func wordy(labels, values, bytes int) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		var expressions []v1.NodeSelectorRequirement
		for label := range labels {
			one := v1.NodeSelectorRequirement{Key: fmt.Sprintf("example.com/l%d", label), Operator: v1.NodeSelectorOpIn, Values: []string{"yes"}}
			for value := range values {
				one.Values = append(one.Values, fmt.Sprintf("%0*d", bytes, value))
			}
			expressions = append(expressions, one)
		}
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: expressions}}}}}
	}
}

// registeredOnce fails where an object ended the session.
func (r *running) registeredOnce(t *testing.T) {
	t.Helper()
	if count := r.log.count("no session with the scheduler"); count > 0 {
		t.Errorf("the session ended %d times", count)
	}
}

func labelsOf(count int) func(*v1.Node) {
	return func(node *v1.Node) {
		for label := range count {
			node.Labels[fmt.Sprintf("example.com/l%d", label)] = "yes"
		}
	}
}

func TestAffinityOfHundredsOfKilobytes_EndsNoSession_AndIsRespected(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8, labelsOf(10))
	s.node("two", 8)
	r := bridged(t, s, d)
	s.pod("wordy", wordy(10, 900, 63))
	s.pod("ordinary")
	s.on([]string{"one", "two"}, "ordinary")
	s.on([]string{"one"}, "wordy")
	r.registeredOnce(t)
}

func TestSelectorOfThousandsOfLabels_EndsNoSession(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8)
	r := bridged(t, s, d)
	for i, labels := range []int{4000, 4090, 8300} {
		s.pod(fmt.Sprintf("picky%d", i), func(pod *v1.Pod) {
			pod.Spec.NodeSelector = map[string]string{}
			for label := range labels {
				pod.Spec.NodeSelector[fmt.Sprintf("example.com/label-%d", label)] = strings.Repeat("v", 63)
			}
		})
	}
	s.pod("ordinary")
	s.on([]string{"one"}, "ordinary")
	s.says("picky2", "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.")
	s.pod("another")
	s.on([]string{"one"}, "another")
	r.registeredOnce(t)
}

func TestUserOfThousandsOfGroups_EndsNoSession(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8)
	r := bridged(t, s, d)
	for i, count := range []int{4000, 20_000} {
		groups := make([]string, count)
		for group := range groups {
			groups[group] = fmt.Sprintf("group-%0200d", group)
		}
		text, err := json.Marshal(map[string]any{"user": "alice", "groups": groups})
		must(t, err)
		s.pod(fmt.Sprintf("grouped%d", i), queue("root.work", fmt.Sprintf("grouped%d", i)), func(pod *v1.Pod) {
			pod.Annotations = map[string]string{"yunikorn.apache.org/user.info": string(text)}
		})
	}
	s.pod("ordinary")
	s.on([]string{"one"}, "ordinary")
	s.on([]string{"one"}, "grouped0", "grouped1")
	r.registeredOnce(t)
}

func TestHundredsOfPodsWithLongAffinity_AreToldAgainAfterARestart(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 8, labelsOf(1))
	for i := range 400 {
		s.pod(fmt.Sprintf("p%d", i), queue("root.work", fmt.Sprintf("app%d", i%7)), wordy(1, 220, 63))
	}
	r := bridged(t, s, d)
	s.until("eight pods run", func() bool { return s.running() == 8 })
	r.registeredOnce(t)
	r.stop()
	s.node("two", 8, labelsOf(1))
	r = bridged(t, s, d, func(*bridge.Options) {})
	s.until("sixteen pods run", func() bool { return s.running() == 16 })
	r.registeredOnce(t)
	s.noneOver()
}
