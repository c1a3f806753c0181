// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"tenon.invalid/kubernetes/internal/translate"
)

// lean drops what nobody here reads and takes much room: informers keep each object for as long as it is there. Of a nominated
// node is read who wrote it.
func lean(object any) (any, error) {
	meta, ok := object.(metav1.Object)
	if !ok {
		return object, nil
	}
	if pod, ok := object.(*v1.Pod); !ok || pod.Status.NominatedNodeName == "" {
		meta.SetManagedFields(nil)
	}
	switch object := object.(type) {
	case *v1.Pod:
		leanPod(object)
	case *v1.Node:
		object.Annotations, object.Status.Images = nil, nil
	}
	return object, nil
}

// leanPod leaves of a pod what the scheduler is told of, what filters look at, and conditions. Slices are made anew, since
// those of the object may be another's too.
func leanPod(pod *v1.Pod) {
	pod.Annotations = maps.Clone(pod.Annotations)
	maps.DeleteFunc(pod.Annotations, func(name, _ string) bool { return !strings.HasPrefix(name, translate.Domain) })
	pod.OwnerReferences, pod.Finalizers = nil, nil
	spec, status := &pod.Spec, &pod.Status
	spec.Containers, spec.InitContainers, spec.EphemeralContainers = leanContainers(spec.Containers), leanContainers(spec.InitContainers), nil
	spec.Volumes = slices.DeleteFunc(slices.Clone(spec.Volumes), ofAnyNode)
	spec.SecurityContext, spec.HostAliases, spec.ImagePullSecrets, spec.DNSConfig, spec.ReadinessGates = nil, nil, nil, nil, nil
	status.ContainerStatuses, status.InitContainerStatuses = leanStatuses(status.ContainerStatuses), leanStatuses(status.InitContainerStatuses)
	status.EphemeralContainerStatuses, status.PodIPs, status.HostIPs, status.Message = nil, nil, nil, ""
}

// ofAnyNode is true of volumes that each node has.
func ofAnyNode(volume v1.Volume) bool {
	return volume.Projected != nil || volume.ConfigMap != nil || volume.Secret != nil || volume.EmptyDir != nil || volume.DownwardAPI != nil
}

// leanContainers leaves what containers take of a node, and what they need it to be able to.
func leanContainers(containers []v1.Container) []v1.Container {
	if len(containers) == 0 {
		return nil
	}
	all := make([]v1.Container, len(containers))
	for i, one := range containers {
		all[i] = v1.Container{
			Name: one.Name, Resources: one.Resources, Ports: one.Ports, RestartPolicy: one.RestartPolicy, RestartPolicyRules: one.RestartPolicyRules,
		}
		for _, mount := range one.VolumeMounts {
			if len(mount.BindMountOptions) > 0 {
				all[i].VolumeMounts = append(all[i].VolumeMounts, mount)
			}
		}
	}
	return all
}

// leanStatuses leaves what containers have, which counts while a pod is resized.
func leanStatuses(statuses []v1.ContainerStatus) []v1.ContainerStatus {
	var all []v1.ContainerStatus
	for _, one := range statuses {
		if one.Resources != nil || one.AllocatedResources != nil {
			all = append(all, v1.ContainerStatus{Name: one.Name, Resources: one.Resources, AllocatedResources: one.AllocatedResources})
		}
	}
	return all
}
