// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package translate

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Attributes of nodes and tags of asks that the predicate tenon.node-attributes compares: where it is configured the
// scheduler itself leaves out nodes that a selector or a taint excludes, and asks the bridge about the others only.
const (
	attributeLabel = "si/label/"
	attributeTaint = "si/tainted"
	attributeClass = "si/class/"
)

// ClassAttribute is what nodes have on which pods of a class may run, and what such pods require, with the value Fits.
func ClassAttribute(class string) string { return attributeClass + class }

// Fits is the value of ClassAttribute.
const Fits = "yes"

// NodeAttributes are what a node says of itself: each label, and the names that policies know.
func NodeAttributes(node *v1.Node) map[string]string {
	attributes := make(map[string]string, len(node.Labels)+6)
	for name, value := range node.Labels {
		attributes[attributeLabel+name] = value
	}
	for name, label := range map[string]string{
		"si/hostname": v1.LabelHostname, "si/zone": v1.LabelTopologyZone, "si/region": v1.LabelTopologyRegion,
		"si/arch": v1.LabelArchStable, "si/os": v1.LabelOSStable, "si/instance-type": v1.LabelInstanceTypeStable,
	} {
		if value := node.Labels[label]; value != "" {
			attributes[name] = value
		}
	}
	attributes["si/hostname"] = node.Name
	attributes[attributeTaint] = "no"
	for _, taint := range node.Spec.Taints {
		if keepsOrdinaryAway(taint) {
			attributes[attributeTaint] = "yes"
		}
	}
	return attributes
}

// keepsOrdinaryAway is true of taints that pods without tolerations of their own do not tolerate. Every pod has those of
// nodes that are not ready or not reachable for a while, with the effect NoExecute.
func keepsOrdinaryAway(taint v1.Taint) bool {
	switch taint.Effect {
	case v1.TaintEffectNoSchedule:
		return true
	case v1.TaintEffectNoExecute:
		return !ordinary(taint.Key)
	}
	return false
}

func ordinary(key string) bool { return key == v1.TaintNodeNotReady || key == v1.TaintNodeUnreachable }

// requiredBytes is how much of the labels that a pod requires its ask names. Each waiting ask keeps them in the scheduler.
const requiredBytes = 16 << 10

// requirements are the tags by which an ask leaves out nodes: those parts of selector, affinity and tolerations that
// equality can say, as many of them as fit. A check by the bridge says the rest, so a pod that requires
// more than requiredBytes is placed as any other.
func requirements(pod *v1.Pod, tags map[string]string) {
	tolerates := false
	for _, toleration := range pod.Spec.Tolerations {
		tolerates = tolerates || toleration.Effect != v1.TaintEffectNoExecute || !ordinary(toleration.Key)
	}
	if !tolerates {
		tags[attributeTaint] = "no"
	}
	wanted, left := labels(pod), requiredBytes
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if bytes := len(attributeLabel) + len(name) + len(wanted[name]); bytes <= left {
			left -= bytes
			tags[attributeLabel+name] = wanted[name]
		}
	}
}

// labels are those of a node that a pod requires, with their values.
func labels(pod *v1.Pod) map[string]string {
	wanted := map[string]string{}
	if terms := requiredTerms(pod); len(terms) == 1 {
		for _, expression := range terms[0].MatchExpressions {
			if expression.Operator == v1.NodeSelectorOpIn && len(expression.Values) > 0 {
				wanted[expression.Key] = anyOf(expression.Values)
			}
		}
	}
	maps.Copy(wanted, pod.Spec.NodeSelector)
	return wanted
}

func requiredTerms(pod *v1.Pod) []v1.NodeSelectorTerm {
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	return affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
}

// RequiredNode is the one node on which a pod may run, as the controller of DaemonSets says it; empty: any.
func RequiredNode(pod *v1.Pod) string {
	name := ""
	for i, term := range requiredTerms(pod) {
		if len(term.MatchFields) != 1 || term.MatchFields[0].Key != "metadata.name" ||
			term.MatchFields[0].Operator != v1.NodeSelectorOpIn || len(term.MatchFields[0].Values) != 1 {
			return ""
		}
		if one := term.MatchFields[0].Values[0]; i > 0 && one != name {
			return ""
		} else {
			name = one
		}
	}
	return name
}
