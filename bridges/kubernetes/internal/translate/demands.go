// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package translate

import v1 "k8s.io/api/core/v1"

// Kinds of what a pod may demand that nobody here looks at.
const (
	Volumes        = "volumes"
	PodAffinity    = "pod-affinity"
	TopologySpread = "topology-spread"
	ResourceClaims = "resource-claims"
)

// Demands are all of them, and what they are called.
var Demands = map[string]string{
	Volumes:        "volume claims",
	PodAffinity:    "required affinity or anti-affinity to other pods",
	TopologySpread: "required topology spread",
	ResourceClaims: "resource claims",
}

// DemandsOf gives those kinds that a pod demands: placed without a look at them it would run where it must not, or never
// start.
func DemandsOf(pod *v1.Pod) []string {
	var kinds []string
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim != nil || volume.Ephemeral != nil {
			kinds = append(kinds, Volumes)
			break
		}
	}
	if affinity := pod.Spec.Affinity; affinity != nil {
		if with := affinity.PodAffinity; with != nil && len(with.RequiredDuringSchedulingIgnoredDuringExecution) > 0 {
			kinds = append(kinds, PodAffinity)
		} else if from := affinity.PodAntiAffinity; from != nil && len(from.RequiredDuringSchedulingIgnoredDuringExecution) > 0 {
			kinds = append(kinds, PodAffinity)
		}
	}
	for _, constraint := range pod.Spec.TopologySpreadConstraints {
		if constraint.WhenUnsatisfiable == v1.DoNotSchedule {
			kinds = append(kinds, TopologySpread)
			break
		}
	}
	if len(pod.Spec.ResourceClaims) > 0 {
		kinds = append(kinds, ResourceClaims)
	}
	return kinds
}
