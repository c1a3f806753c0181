// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package filters

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestClass_IsThatOfDemandsWhichEqualityCannotSay(t *testing.T) {
	ordinary := v1.PodSpec{Tolerations: []v1.Toleration{{Key: v1.TaintNodeNotReady, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute}}}
	named := affinity(v1.NodeSelectorOpNotIn, "a", "b")
	named.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields = []v1.NodeSelectorRequirement{{}}
	two := affinity(v1.NodeSelectorOpIn, "a", "b")
	terms := two.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	terms.NodeSelectorTerms = append(terms.NodeSelectorTerms, terms.NodeSelectorTerms[0])
	for name, c := range map[string]struct {
		pod  v1.PodSpec
		want bool
	}{
		"nothing":                        {v1.PodSpec{}, false},
		"a selector":                     {v1.PodSpec{NodeSelector: map[string]string{"a": "b"}}, false},
		"labels that are equal":          {affinity(v1.NodeSelectorOpIn, "a", "b", "c"), false},
		"the tolerations of every pod":   {ordinary, false},
		"a node by its name":             {named, false},
		"labels that are not":            {affinity(v1.NodeSelectorOpNotIn, "a", "b"), true},
		"a label that is there":          {affinity(v1.NodeSelectorOpExists, "a"), true},
		"one of two terms":               {two, true},
		"a taint that it tolerates":      {v1.PodSpec{Tolerations: []v1.Toleration{{Key: "a", Operator: v1.TolerationOpExists}}}, true},
		"a feature that not all have":    {v1.PodSpec{Containers: []v1.Container{{RestartPolicyRules: []v1.ContainerRestartRule{{Action: v1.ContainerRestartRuleActionRestartAllContainers}}}}}, true},
		"all that a cordoned node wants": {v1.PodSpec{Tolerations: []v1.Toleration{{Operator: v1.TolerationOpExists}}}, true},
	} {
		if class := Class(&v1.Pod{Spec: c.pod}); (class != "") != c.want {
			t.Errorf("%s: have %q", name, class)
		}
	}
	one, other, another := affinity(v1.NodeSelectorOpNotIn, "a", "b"), affinity(v1.NodeSelectorOpNotIn, "a", "b"), affinity(v1.NodeSelectorOpNotIn, "a", "c")
	other.Containers, other.Affinity.PodAffinity = []v1.Container{{Name: "large"}}, &v1.PodAffinity{}
	if Class(&v1.Pod{Spec: one}) != Class(&v1.Pod{Spec: other}) {
		t.Error("what else a pod has makes it one of another class")
	}
	if Class(&v1.Pod{Spec: one}) == Class(&v1.Pod{Spec: another}) {
		t.Error("pods with other demands are of one class")
	}
}
