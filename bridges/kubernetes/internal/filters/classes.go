// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package filters

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/nodedeclaredfeatures"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// ofNodes are the plugins whose verdict depends on the pod's spec and the node's object alone: neither on other pods nor on what
// is free.
var ofNodes = []string{names.NodeName, names.TaintToleration, names.NodeAffinity, names.NodeDeclaredFeatures}

// OfNodes is true where one of these plugins looks at nothing but the node's own object.
func OfNodes(plugins []string) bool {
	return slices.ContainsFunc(plugins, func(plugin string) bool { return slices.Contains(ofNodes, plugin) })
}

// Class is the same for pods that demand the same of the objects of nodes, in more than labels that are equal: such pods may run
// on the same nodes as far as the plugins of OfNodes look. It is empty for pods that demand no more than that, and for those that
// name their node.
func Class(pod *v1.Pod) string {
	spec := v1.PodSpec{NodeSelector: pod.Spec.NodeSelector, Tolerations: pod.Spec.Tolerations}
	complex := slices.ContainsFunc(pod.Spec.Tolerations, func(one v1.Toleration) bool {
		return one.Effect != v1.TaintEffectNoExecute || one.Key != v1.TaintNodeNotReady && one.Key != v1.TaintNodeUnreachable
	})
	if affinity := pod.Spec.Affinity; affinity != nil && affinity.NodeAffinity != nil && affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		required := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required}}
		complex = complex || len(required.NodeSelectorTerms) > 1
		for _, term := range required.NodeSelectorTerms {
			if len(term.MatchFields) > 0 {
				return ""
			}
			complex = complex || slices.ContainsFunc(term.MatchExpressions, func(one v1.NodeSelectorRequirement) bool { return one.Operator != v1.NodeSelectorOpIn })
		}
	}
	features, err := nodedeclaredfeatures.DefaultFramework.InferForPodScheduling(&nodedeclaredfeatures.PodInfo{Spec: &pod.Spec}, noVersion)
	if err != nil || !complex && features.IsEmpty() {
		return ""
	}
	text, err := spec.Marshal()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(features.String() + " " + string(text)))
	return hex.EncodeToString(sum[:10])
}

// AttemptOfNodes is one that asks the plugins of OfNodes alone. It holds however the cluster changes.
func (f *Filters) AttemptOfNodes(ctx context.Context, pod *v1.Pod) *Attempt {
	return f.attempt(ctx, f.ofNodes, pod)
}
