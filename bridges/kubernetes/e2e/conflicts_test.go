// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	corev1 "k8s.io/component-helpers/scheduling/corev1"
)

// unreserved are queues whose partition reserves no nodes: a pod that waits for room keeps others from a node for an hour, and would
// keep it where another pod is in its way, too.
var unreserved = strings.Replace(queuesOfPriorities, "- name: default\n", "- name: default\n    reservation: { enabled: false }\n", 1)

// conflicting returns whether two pods may not share a node, whatever is free there.
func conflicting(one, other *v1.Pod) bool {
	for _, a := range one.Spec.Containers[0].Ports {
		for _, b := range other.Spec.Containers[0].Ports {
			if a.HostPort == b.HostPort {
				return true
			}
		}
	}
	avoids := func(one, other *v1.Pod) bool {
		return one.Spec.Affinity != nil &&
			one.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector.MatchLabels["app"] == other.Labels["app"]
	}
	return avoids(one, other) || avoids(other, one)
}

// couldRun names a node on which a pod that waits could run if only pods of lower priority ended; empty if there is none.
func (s *apiServer) couldRun(waits *v1.Pod, nodes []string, cores int64) string {
	for _, node := range nodes {
		left, may := cores*1000-waits.Spec.Containers[0].Resources.Requests.Cpu().MilliValue(), true
		for _, other := range s.list() {
			if other.Spec.NodeName == node && corev1.PodPriority(&other) >= corev1.PodPriority(waits) {
				may = may && !conflicting(waits, &other)
				left -= other.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()
			}
		}
		if may && left >= 0 {
			return node
		}
	}
	return ""
}

// Pods with host ports, anti-affinity and amounts by chance come and go. In the end each of them runs, unless pods of its priority or
// a higher one are in its way everywhere; and nothing conflicts.
func TestPodsWithConflictsByChance_RunByTheirPriorities(t *testing.T) {
	seed := uint64(20261129)
	if text := os.Getenv("TENON_FUZZ_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		must(t, err)
		seed = given
	}
	for round := range 3 {
		t.Run(fmt.Sprintf("TENON_FUZZ_SEED=%d", seed+uint64(round)), func(t *testing.T) {
			h := &hostile{Rand: rand.New(rand.NewPCG(seed+uint64(round), 0))}
			s, d := newAPIServer(t), serveQueues(t, unreserved)
			for _, name := range s.nodeNames(4) {
				s.node(name, 4)
			}
			bridged(t, s, d)
			for made := range 36 {
				s.pod(fmt.Sprintf("p%d", made), priority(pick(h, int32(0), 0, 100, 1000)), cores(pick(h, "100m", "500m", "1", "2")), app(pick(h, "a", "b", "c")), func(pod *v1.Pod) {
					switch h.IntN(3) {
					case 0:
						pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: pick(h, int32(80), 81, 82)}}
					case 1:
						apartOnNode(pick(h, "a", "b", "c", "d"))(pod)
					}
				})
				if h.IntN(4) == 0 {
					if name := fmt.Sprintf("p%d", h.IntN(made+1)); s.get(name) != nil {
						s.deletePod(name)
					}
				}
			}
			said := ""
			defer func() {
				if t.Failed() {
					t.Log(said)
					for _, pod := range s.list() {
						t.Logf("%s on %q priority %d cpu %v app %s ports %v affinity %v: %v", pod.Name, pod.Spec.NodeName, corev1.PodPriority(&pod),
							pod.Spec.Containers[0].Resources.Requests.Cpu(), pod.Labels["app"], pod.Spec.Containers[0].Ports, pod.Spec.Affinity, pod.Status.Conditions)
					}
				}
			}()
			s.until("all that could run do", func() bool {
				var could []string
				for _, pod := range s.list() {
					if pod.Spec.NodeName == "" {
						if node := s.couldRun(&pod, s.nodeNames(4), 4); node != "" {
							could = append(could, fmt.Sprintf("%s could run on %s", pod.Name, node))
						}
					}
				}
				said = strings.Join(could, ", ")
				return len(could) == 0
			})
			s.noneOver()
			all := s.list()
			for i := range all {
				for j := range i {
					if all[i].Spec.NodeName != "" && all[i].Spec.NodeName == all[j].Spec.NodeName && conflicting(&all[i], &all[j]) {
						t.Errorf("%s and %s are both on %s", all[i].Name, all[j].Name, all[i].Spec.NodeName)
					}
				}
			}
		})
	}
}
