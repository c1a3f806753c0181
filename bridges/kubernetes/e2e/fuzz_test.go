// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// hostile makes what an API server might take and nobody would expect.
type hostile struct {
	*rand.Rand
	left int // bytes of the object: etcd takes 1.5 MiB
}

func pick[T any](h *hostile, some ...T) T { return some[h.IntN(len(some))] }

// text is short mostly, and sometimes longer than anything takes.
func (h *hostile) text() string {
	if h.IntN(40) == 0 {
		if bytes := pick(h, 1025, 70_000, 600_000); bytes < h.left {
			h.left -= 2 * bytes
			return strings.Repeat(pick(h, "x", "ü", "\x00", "\xff", "|", "\n"), bytes)
		}
	}
	h.left -= 50
	if h.left < 0 {
		return "x"
	}
	return pick(h, "", "a", "root.work", "root..", "root.@recovery@", "../..", "a b", "[x]", "ü", "\xff", "\x00", "-", "true", "{", `{"user":"root"}`, "9999999999999999999",
		strings.Repeat("y", 63), strings.Repeat("z", 253))
}

func (h *hostile) quantity() resource.Quantity {
	return resource.MustParse(pick(h, "0", "1", "1n", "-1", "100m", "3", "1e18", "9e18", "9223372036854775807", "1e30", "-9e18", "16Ei", "0.1", "1.0000001"))
}

func (h *hostile) kind() v1.ResourceName {
	return v1.ResourceName(pick(h, "cpu", "memory", "pods", "vcore", "ephemeral-storage", "hugepages-2Mi", "", "\xff", "example.com/gpu",
		fmt.Sprintf("example.com/kind-%d", h.IntN(5000)), strings.Repeat("k", pick(h, 300, 2000, 70_000))))
}

func (h *hostile) list() v1.ResourceList {
	list := v1.ResourceList{}
	for range pick(h, 0, 1, 2, 3, 3, 30, pick(h, 1, 5000)) {
		list[h.kind()] = h.quantity()
	}
	return list
}

func (h *hostile) map_() map[string]string {
	all := map[string]string{}
	for i := range pick(h, 0, 0, 1, 3, 100, pick(h, 1, 5000, 9000)) {
		all[fmt.Sprintf("example.com/%d", i)] = h.text()
	}
	return all
}

var meant = []string{
	"yunikorn.apache.org/app-id", "yunikorn.apache.org/queue", "yunikorn.apache.org/user.info", "yunikorn.apache.org/username", "applicationId", "queue",
	"yunikorn.apache.org/task-groups", "yunikorn.apache.org/task-group-name", "yunikorn.apache.org/placeholder",
	"yunikorn.apache.org/schedulingPolicyParameters", "spark-app-selector",
}

func (h *hostile) meaning(all map[string]string) map[string]string {
	for range h.IntN(4) {
		all[meant[h.IntN(len(meant))]] = h.text()
	}
	if h.IntN(20) == 0 {
		all["yunikorn.apache.org/user.info"] = `{"user":"ann","groups":["` + strings.Repeat(`g","`, pick(h, 100, 20_000)) + `g"]}`
	}
	if h.IntN(20) == 0 {
		all["yunikorn.apache.org/task-groups"] = fmt.Sprintf(`[{"name":"g","minMember":%d,"minResource":{"cpu":"%s"}}]`, pick(h, -1, 0, 1, 2, 20_000), pick(h, "1", "-1", "1e30"))
	}
	return all
}

func (h *hostile) terms() []v1.NodeSelectorTerm {
	var terms []v1.NodeSelectorTerm
	for range pick(h, 0, 1, 1, 1, 2) {
		var one v1.NodeSelectorTerm
		for i := range pick(h, 0, 1, 2, 50) {
			expression := v1.NodeSelectorRequirement{Key: fmt.Sprintf("example.com/%d", i), Operator: pick(h, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn,
				v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist, v1.NodeSelectorOpGt, v1.NodeSelectorOpLt)}
			for range pick(h, 0, 1, 2, 1000) {
				expression.Values = append(expression.Values, h.text())
			}
			one.MatchExpressions = append(one.MatchExpressions, expression)
		}
		if h.IntN(5) == 0 {
			one.MatchFields = []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{h.text()}}}
		}
		terms = append(terms, one)
	}
	return terms
}

func (h *hostile) pod(pod *v1.Pod) {
	h.left = pick(h, 1<<14, 1<<16, 1<<16, 1<<18, 1<<20)
	pod.Labels, pod.Annotations = h.meaning(h.map_()), h.meaning(h.map_())
	for range h.IntN(4) {
		pod.Spec.Containers = append(pod.Spec.Containers, v1.Container{Resources: v1.ResourceRequirements{Requests: h.list()}})
	}
	pod.Spec.Overhead = h.list()
	pod.Spec.NodeSelector = pick(h, nil, h.map_())
	if h.IntN(2) == 0 {
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: h.terms()}}}
	}
	for range h.IntN(3) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: "dedicated", Operator: pick(h, v1.TolerationOpExists, v1.TolerationOpEqual), Value: h.text()})
	}
	priority := int32(h.Uint32())
	pod.Spec.Priority = pick(h, nil, &priority)
	pod.Spec.PriorityClassName = h.text()
	pod.Spec.NodeName = pick(h, "", "", "", "", "elsewhere", h.text())
	pod.Spec.SchedulerName = pick(h, "tenon", "tenon", "tenon", "other")
	if h.IntN(10) == 0 {
		name := h.text()
		pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: pick(h, nil, &name)}
	}
	if h.IntN(10) == 0 {
		pod.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: h.text()}}}}
	}
	if h.IntN(10) == 0 {
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: int32(h.IntN(3)), TopologyKey: h.text(),
			WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: h.map_()}}}
	}
}

func (h *hostile) node(node *v1.Node) {
	h.left = pick(h, 1<<14, 1<<16, 1<<16, 1<<18, 1<<20)
	node.Labels, node.Annotations = h.map_(), h.map_()
	node.Status.Allocatable = h.list()
	for range h.IntN(3) {
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: h.text(), Value: h.text(), Effect: pick(h, v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, "")})
	}
	node.Spec.Unschedulable = h.IntN(4) == 0
}

// Pods and nodes of any size and content come, change and go. Ordinary pods are placed meanwhile, in one session.
func TestThousandHostileObjects_EndNoSession_AndHoldUpNobody(t *testing.T) {
	seed, objects := uint64(20261129), 1000
	if text := os.Getenv("TENON_FUZZ_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		must(t, err)
		seed = given
	}
	t.Logf("TENON_FUZZ_SEED=%d", seed)
	h := &hostile{Rand: rand.New(rand.NewPCG(seed, 0))}
	s, d := newAPIServer(t), serve(t)
	sane := func(node *v1.Node) { tainted("sane")(node) }
	s.node("sane", 1000, sane)
	r := bridged(t, s, d)
	ordinary, last := 0, ""
	for made := range objects {
		switch name := fmt.Sprintf("h%d", made); h.IntN(6) {
		case 0:
			s.node(name, 1, h.node)
		default:
			s.pod(name, h.pod)
		}
		if name := fmt.Sprintf("h%d", h.IntN(made+1)); h.IntN(3) == 0 && s.get(name) != nil {
			switch h.IntN(3) {
			case 0:
				s.deletePod(name)
			default:
				s.change(name, func(pod *v1.Pod) {
					node, scheduler := pod.Spec.NodeName, pod.Spec.SchedulerName
					h.pod(pod)
					pod.Spec.NodeName, pod.Spec.SchedulerName = node, scheduler
				})
			}
		}
		if made%25 == 24 {
			last = fmt.Sprintf("ordinary%d", ordinary)
			ordinary++
			s.pod(last, tolerates("sane"), cores("10m"), queue("root.work", "ordinary"))
			s.on([]string{"sane"}, last)
		}
	}
	r.registeredOnce(t)
}
