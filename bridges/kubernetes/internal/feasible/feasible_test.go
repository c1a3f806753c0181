// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package feasible

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func node(labels map[string]string, taints ...v1.Taint) *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "one", Labels: labels}, Spec: v1.NodeSpec{Taints: taints}}
}

func affinity(operator v1.NodeSelectorOperator, key string, values ...string) v1.PodSpec {
	return v1.PodSpec{Affinity: &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: operator, Values: values}}}}}}}}
}

func port(number int32, address string, protocol v1.Protocol) v1.PodSpec {
	return v1.PodSpec{Containers: []v1.Container{{Ports: []v1.ContainerPort{{HostPort: number, HostIP: address, Protocol: protocol}}}}}
}

func TestRefusal(t *testing.T) {
	const unmatched, ports = "node(s) didn't match Pod's node affinity/selector", "node(s) didn't have free ports for the requested pod ports"
	soft := v1.Taint{Key: "soft", Effect: v1.TaintEffectPreferNoSchedule}
	gone := v1.Taint{Key: "gone", Value: "x", Effect: v1.TaintEffectNoExecute}
	closed := node(nil)
	closed.Spec.Unschedulable = true
	for name, c := range map[string]struct {
		pod    v1.PodSpec
		node   *v1.Node
		others []v1.PodSpec
		want   string
	}{
		"nothing wanted":                  {node: node(nil)},
		"selector matches":                {pod: v1.PodSpec{NodeSelector: map[string]string{"a": "b"}}, node: node(map[string]string{"a": "b"})},
		"selector does not":               {pod: v1.PodSpec{NodeSelector: map[string]string{"a": "b"}}, node: node(map[string]string{"a": "c"}), want: unmatched},
		"affinity exists":                 {pod: affinity(v1.NodeSelectorOpExists, "a"), node: node(nil), want: unmatched},
		"affinity greater":                {pod: affinity(v1.NodeSelectorOpGt, "a", "3"), node: node(map[string]string{"a": "4"})},
		"affinity not greater":            {pod: affinity(v1.NodeSelectorOpGt, "a", "4"), node: node(map[string]string{"a": "4"}), want: unmatched},
		"taint that only asks":            {node: node(nil, soft)},
		"taint":                           {node: node(nil, soft, gone), want: "node(s) had untolerated taint {gone: x}"},
		"taint that is tolerated":         {pod: v1.PodSpec{Tolerations: []v1.Toleration{{Operator: v1.TolerationOpExists}}}, node: node(nil, gone)},
		"cordoned":                        {node: closed, want: "node(s) were unschedulable"},
		"cordoned, and that is tolerated": {pod: v1.PodSpec{Tolerations: []v1.Toleration{{Key: v1.TaintNodeUnschedulable, Operator: v1.TolerationOpExists}}}, node: closed},
		"port is taken":                   {pod: port(80, "", ""), node: node(nil), others: []v1.PodSpec{port(80, "10.0.0.1", v1.ProtocolTCP)}, want: ports},
		"port of another protocol":        {pod: port(80, "", v1.ProtocolUDP), node: node(nil), others: []v1.PodSpec{port(80, "", "")}},
		"port of another address":         {pod: port(80, "10.0.0.1", ""), node: node(nil), others: []v1.PodSpec{port(80, "10.0.0.2", "")}},
		"another port":                    {pod: port(80, "", ""), node: node(nil), others: []v1.PodSpec{port(81, "", "")}},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "asked"}, Spec: c.pod}
			others := func(yield func(*v1.Pod) bool) {
				for _, spec := range c.others {
					if !yield(&v1.Pod{Spec: spec}) {
						return
					}
				}
			}
			if have := Refusal(pod, c.node, others); have != c.want {
				t.Errorf("want %q, have %q", c.want, have)
			}
		})
	}
}
