// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package filters

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// made is the pod of that number of a controller.
func made(number int) *v1.Pod {
	name := fmt.Sprintf("web-%d", number)
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID(name), Labels: map[string]string{"app": "web", "tier": "front"}},
		Spec: v1.PodSpec{
			Hostname: name,
			Volumes: []v1.Volume{
				{Name: "token-" + name, VolumeSource: v1.VolumeSource{Projected: &v1.ProjectedVolumeSource{}}},
				{Name: "data", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "shared"}}},
			},
			Containers: []v1.Container{{
				Name: "main", Args: []string{name}, VolumeMounts: []v1.VolumeMount{{Name: "token-" + name}},
				Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("1"), v1.ResourceMemory: resource.MustParse("1Gi")}},
			}},
		},
	}
}

func TestAlike_ArePodsOfOneController(t *testing.T) {
	if one, other := Alike(made(1)), Alike(made(2)); one == "" || one != other {
		t.Errorf("%q and %q", one, other)
	}
	if have := made(3); Alike(have) == "" || len(have.Spec.Volumes) != 2 || have.Spec.Containers[0].Name != "main" {
		t.Errorf("it is another now: %v", have)
	}
}

func TestAlike_AreNotThoseOfWhichAPluginSaysSomethingElse(t *testing.T) {
	for name, change := range map[string]func(*v1.Pod){
		"namespace":  func(p *v1.Pod) { p.Namespace = "other" },
		"label":      func(p *v1.Pod) { p.Labels["app"] = "other" },
		"selector":   func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} },
		"affinity":   func(p *v1.Pod) { p.Spec.Affinity = affinity(v1.NodeSelectorOpExists, "a").Affinity },
		"toleration": func(p *v1.Pod) { p.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}} },
		"spread":     func(p *v1.Pod) { p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1}} },
		"claim":      func(p *v1.Pod) { p.Spec.Volumes[1].PersistentVolumeClaim.ClaimName = "other" },
		"port":       func(p *v1.Pod) { p.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80}} },
		"amount":     func(p *v1.Pod) { p.Spec.Containers[0].Resources.Requests[v1.ResourceCPU] = resource.MustParse("2") },
		"container":  func(p *v1.Pod) { p.Spec.Containers = append(p.Spec.Containers, p.Spec.Containers[0]) },
		"init":       func(p *v1.Pod) { p.Spec.InitContainers = p.Spec.Containers },
		"overhead":   func(p *v1.Pod) { p.Spec.Overhead = v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")} },
		"feature": func(p *v1.Pod) {
			p.Spec.Containers[0].RestartPolicyRules = []v1.ContainerRestartRule{{Action: v1.ContainerRestartRuleActionRestartAllContainers}}
		},
		"whole pod":  func(p *v1.Pod) { p.Spec.Resources = &p.Spec.Containers[0].Resources },
		"node":       func(p *v1.Pod) { p.Spec.NodeName = "one" },
		"preemption": func(p *v1.Pod) { p.Spec.PreemptionPolicy = new(v1.PreemptionPolicy) },
		"host's path": func(p *v1.Pod) {
			p.Spec.Volumes[0].VolumeSource = v1.VolumeSource{HostPath: &v1.HostPathVolumeSource{}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			one := made(1)
			change(one)
			if Alike(one) == Alike(made(1)) {
				t.Error("it is like the others")
			}
		})
	}
}

func TestAlike_NothingIsLikeAPodWhoseClaimsHaveItsName(t *testing.T) {
	one, other := made(1), made(1)
	one.Spec.Volumes[1].VolumeSource = v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}
	other.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu"}}
	if Alike(one) != "" || Alike(other) != "" {
		t.Error("it may have others")
	}
}
