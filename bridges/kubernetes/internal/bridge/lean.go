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
		object.Annotations, object.OwnerReferences, object.Finalizers = nil, nil, nil
		object.Status.Images, object.Status.Addresses, object.Status.NodeInfo = nil, nil, v1.NodeSystemInfo{}
		conditions := make([]v1.NodeCondition, len(object.Status.Conditions)) // that one changed may help a pod
		for i, one := range object.Status.Conditions {
			conditions[i] = v1.NodeCondition{Type: one.Type, Status: one.Status}
		}
		object.Status.Conditions = conditions
	}
	return object, nil
}

// leanPod leaves of a pod what the scheduler is told of, what filters look at, and conditions. Slices are made anew, since
// those of the object may be another's too.
func leanPod(pod *v1.Pod) {
	pod.Annotations = maps.Clone(pod.Annotations)
	maps.DeleteFunc(pod.Annotations, func(name, _ string) bool { return !strings.HasPrefix(name, translate.Domain) })
	if len(pod.Annotations) == 0 {
		pod.Annotations = nil
	}
	pod.OwnerReferences, pod.Finalizers = nil, nil
	spec, status := &pod.Spec, &pod.Status
	spec.Containers, spec.InitContainers, spec.EphemeralContainers = leanContainers(spec.Containers), leanContainers(spec.InitContainers), nil
	spec.Volumes = slices.DeleteFunc(slices.Clone(spec.Volumes), ofAnyNode)
	if len(spec.Volumes) == 0 {
		spec.Volumes = nil
	}
	spec.Hostname, spec.Subdomain, spec.HostnameOverride, spec.DNSPolicy, spec.ServiceAccountName, spec.DeprecatedServiceAccount = "", "", nil, "", "", ""
	spec.SecurityContext, spec.HostAliases, spec.ImagePullSecrets, spec.DNSConfig, spec.ReadinessGates = nil, nil, nil, nil, nil
	status.ContainerStatuses, status.InitContainerStatuses = leanStatuses(status.ContainerStatuses), leanStatuses(status.InitContainerStatuses)
	status.Conditions = slices.DeleteFunc(slices.Clone(status.Conditions), nobodyReads)
	if len(status.Conditions) == 0 {
		status.Conditions = nil
	}
	status.EphemeralContainerStatuses, status.PodIPs, status.HostIPs, status.Message = nil, nil, nil, ""
	status.PodIP, status.HostIP, status.StartTime, status.QOSClass = "", "", nil, ""
}

// nobodyReads is true of conditions but these: why a pod has no node, whether it ends for another one, and how a resize stands.
func nobodyReads(one v1.PodCondition) bool {
	read := []v1.PodConditionType{v1.PodScheduled, v1.DisruptionTarget, v1.PodResizePending, v1.PodResizeInProgress}
	return !slices.Contains(read, one.Type) || one.Type == v1.PodScheduled && one.Status == v1.ConditionTrue
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
