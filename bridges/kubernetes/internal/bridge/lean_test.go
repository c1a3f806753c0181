// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/filters"
	"tenon.invalid/kubernetes/internal/translate"
)

// fat is a pod with much that nobody here reads.
func fat() *v1.Pod {
	much, room := strings.Repeat("x", 1000), v1.ResourceList{v1.ResourceCPU: resource.MustParse("2"), v1.ResourceMemory: resource.MustParse("1Gi")}
	always := v1.ContainerRestartPolicyAlways
	container := v1.Container{
		Name: "main", Image: much, Command: []string{much}, Args: []string{much}, Env: []v1.EnvVar{{Name: "a", Value: much}},
		Resources: v1.ResourceRequirements{Requests: room}, Ports: []v1.ContainerPort{{HostPort: 80, Protocol: v1.ProtocolTCP}},
		VolumeMounts:       []v1.VolumeMount{{Name: "data", MountPath: much}},
		LivenessProbe:      &v1.Probe{ProbeHandler: v1.ProbeHandler{Exec: &v1.ExecAction{Command: []string{much}}}},
		RestartPolicyRules: []v1.ContainerRestartRule{{Action: v1.ContainerRestartRuleActionRestartAllContainers}},
	}
	sidecar := container
	sidecar.Name, sidecar.RestartPolicy = "side", &always
	one := "one"
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: "p", UID: "u", ResourceVersion: "7", Labels: map[string]string{"applicationId": "app", "queue": "root.work"},
			Annotations:     map[string]string{"example.com/note": much, "yunikorn.apache.org/task-group-name": "workers"},
			ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: much}},
			OwnerReferences: []metav1.OwnerReference{{Name: much}},
		},
		Spec: v1.PodSpec{
			NodeName: "one", Containers: []v1.Container{container}, InitContainers: []v1.Container{sidecar},
			Tolerations: []v1.Toleration{{Key: "a", Operator: v1.TolerationOpExists}}, NodeSelector: map[string]string{"disk": "ssd"},
			Volumes: []v1.Volume{
				{Name: "data", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}},
				{Name: "token", VolumeSource: v1.VolumeSource{Projected: &v1.ProjectedVolumeSource{Sources: []v1.VolumeProjection{{Secret: &v1.SecretProjection{}}}}}},
			},
			ResourceClaims: []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &one}},
		},
		Status: v1.PodStatus{
			Phase: v1.PodRunning, Conditions: []v1.PodCondition{{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Message: "m"}},
			ContainerStatuses: []v1.ContainerStatus{{Name: "main", Image: much, ImageID: much, ContainerID: much, AllocatedResources: v1.ResourceList{
				v1.ResourceCPU: resource.MustParse("3")}}},
		},
	}
}

func TestLean_LeavesWhatIsReadOfAPod(t *testing.T) {
	before, now := fat(), fat()
	if _, err := lean(now); err != nil {
		t.Fatal(err)
	}
	role := translate.Role{Application: "app"}
	told := func(p *v1.Pod) any { return translate.Allocation(p, role, translate.OfPod(p), "one", "u").String() }
	if have, want := told(now), told(before); have != want {
		t.Errorf("the scheduler would hear %v, want %v", have, want)
	}
	alike := func(p *v1.Pod) string { // of pods with claims nothing is alike
		p = p.DeepCopy()
		p.Spec.ResourceClaims = nil
		return filters.Alike(p)
	}
	if have, want := alike(now), alike(before); have != want {
		t.Errorf("filters would see %q, want %q", have, want)
	}
	if !reflect.DeepEqual(now.Spec.ResourceClaims, before.Spec.ResourceClaims) || !reflect.DeepEqual(now.Status.Conditions, before.Status.Conditions) {
		t.Error("claims or conditions are lost")
	}
	if now.Size() > 700 || before.Size() < 10_000 {
		t.Errorf("it has %d bytes of %d", now.Size(), before.Size())
	}
	if original := fat(); before.Spec.Containers[0].Image != original.Spec.Containers[0].Image {
		t.Error("another pod was changed")
	}
}

func TestLean_LeavesOfANodeNoImages(t *testing.T) {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "one", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"}},
		Status: v1.NodeStatus{Images: []v1.ContainerImage{{Names: []string{"large"}}}, DeclaredFeatures: []string{"F"}}}
	if _, err := lean(node); err != nil || len(node.Status.Images) > 0 || len(node.Annotations) > 0 || node.Labels["a"] != "b" || len(node.Status.DeclaredFeatures) != 1 {
		t.Errorf("have %v, %v", node, err)
	}
}

// What a pod that runs takes decides how large a cluster may be: 3 KB of the 600 MB for 50,000 pods, and as much again as room for
// garbage.
func TestMemory_APodThatRuns_IsKeptInFewBytes(t *testing.T) {
	const pods, most = 5000, 5000
	timedBridge(t, func(c *timed, _ *pod) {
		var shares sharing
		before := heap()
		for i := range pods {
			object := fat().DeepCopy()
			object.Name, object.UID, object.Spec.ResourceClaims = fmt.Sprintf("web-%d", i), types.UID(fmt.Sprintf("%036d", i)), nil
			object.Annotations["example.com/note"] = strings.Repeat("x", 4000)
			if _, err := shares.transform(object); err != nil {
				t.Fatal(err)
			}
			c.podChanged(object)
		}
		c.step()
		if have := (heap() - before) / pods; have > most {
			t.Errorf("%d bytes for each pod, want at most %d", have, most)
		} else {
			t.Logf("%d bytes", have)
		}
		if len(c.pods) != pods+1 {
			t.Errorf("%d pods are there", len(c.pods))
		}
	})
}

func heap() int64 {
	var now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}
