// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package filters

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-helpers/nodedeclaredfeatures"
)

// Alike gives pods the same text of which the plugins say the same wherever they look at the same time; an empty text means
// that the pod is like no other. Controllers make pods that differ in names alone.
func Alike(pod *v1.Pod) string {
	ephemeral := func(volume v1.Volume) bool { return volume.Ephemeral != nil } // its claim has the pod's name
	if slices.ContainsFunc(pod.Spec.Volumes, ephemeral) || len(pod.Spec.ResourceClaims) > 0 {
		return ""
	}
	spec := pod.Spec
	spec.Volumes = slices.DeleteFunc(slices.Clone(spec.Volumes), harmless)
	spec.Containers, spec.InitContainers = lean(spec.Containers), lean(spec.InitContainers)
	spec.Hostname, spec.Subdomain, spec.HostnameOverride, spec.SchedulingGroup = "", "", nil, nil
	text, err := (&v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Labels: pod.Labels}, Spec: spec}).Marshal()
	if err != nil {
		return ""
	}
	features, err := nodedeclaredfeatures.DefaultFramework.InferForPodScheduling(&nodedeclaredfeatures.PodInfo{Spec: &pod.Spec}, noVersion)
	if err != nil {
		return ""
	}
	return features.String() + " " + string(text)
}

// noVersion is before those from which on all nodes have a feature.
var noVersion = version.MajorMinor(0, 0)

// harmless are volumes that any node has; that with a pod's token has a name of its own.
func harmless(volume v1.Volume) bool {
	return volume.Projected != nil || volume.ConfigMap != nil || volume.Secret != nil || volume.EmptyDir != nil || volume.DownwardAPI != nil
}

// lean leaves of containers what they take of a node.
func lean(containers []v1.Container) []v1.Container {
	all := make([]v1.Container, len(containers))
	for i, one := range containers {
		all[i] = v1.Container{Resources: one.Resources, Ports: one.Ports, RestartPolicy: one.RestartPolicy}
	}
	return all
}
