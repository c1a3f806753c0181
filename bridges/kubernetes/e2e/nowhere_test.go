// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func matching(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

// beside requires a pod of the app in the same zone.
func beside(app string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{TopologyKey: v1.LabelTopologyZone, LabelSelector: matching(app)}}}}
	}
}

// apart forbids a pod of the app in the same zone.
func apart(app string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{TopologyKey: v1.LabelTopologyZone, LabelSelector: matching(app)}}}}
	}
}

// spread lets racks have one pod of the app more than others.
func spread(app string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: "rack", WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: matching(app)}}
	}
}

func mounting(name string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}}}
	}
}

func app(name string) func(*v1.Pod) { return func(pod *v1.Pod) { pod.Labels["app"] = name } }

// boundClaim makes a claim that has its volume.
func (s *apiServer) boundClaim(name string) {
	s.t.Helper()
	must(s.t, s.Tracker.Add(&v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: s.uid(), Annotations: map[string]string{"pv.kubernetes.io/bound-by-controller": "yes"}},
		Spec: v1.PersistentVolumeSpec{
			Capacity: v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			ClaimRef:               &v1.ObjectReference{Namespace: namespace, Name: name},
			PersistentVolumeSource: v1.PersistentVolumeSource{HostPath: &v1.HostPathVolumeSource{Path: "/data"}},
		},
	}))
	must(s.t, s.Tracker.Add(&v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: s.uid(), Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
		Spec:       v1.PersistentVolumeClaimSpec{VolumeName: name, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}},
		Status:     v1.PersistentVolumeClaimStatus{Phase: v1.ClaimBound},
	}))
}

func TestPodsThatFitNowhereForNow_CostOneAnswer_AndRunOnceAChangeHelps(t *testing.T) {
	const nodes, pods = 60, 10
	for name, one := range map[string]struct {
		demand func(*v1.Pod)
		before func(*apiServer)
		says   string
		helps  func(*apiServer)
	}{
		"affinity": {
			demand: beside("leader"), says: "60 node(s) didn't match pod affinity rules",
			helps: func(s *apiServer) { s.pod("leader", app("leader")) },
		},
		"anti-affinity": {
			demand: apart("loner"), says: "60 node(s) didn't match pod anti-affinity rules",
			before: func(s *apiServer) {
				s.pod("loner0", app("loner"), selector(v1.LabelTopologyZone, "z0"))
				s.pod("loner1", app("loner"), selector(v1.LabelTopologyZone, "z1"))
				s.until("both run", func() bool { return s.running() == 2 })
			},
			helps: func(s *apiServer) { s.deletePod("loner1") },
		},
		"spread": {
			demand: spread("none"), says: "60 node(s) didn't match pod topology spread constraints (missing required label)",
			helps: func(s *apiServer) { s.changeNode("n07", func(node *v1.Node) { node.Labels["rack"] = "one" }) },
		},
		"claim": {
			demand: mounting("data"), says: `persistentvolumeclaim "data" not found`,
			helps: func(s *apiServer) { s.boundClaim("data") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, d := newAPIServer(t), serve(t)
			for i := range nodes {
				s.node(fmt.Sprintf("n%02d", i), 8, labelled(v1.LabelTopologyZone, fmt.Sprintf("z%d", i%2)))
			}
			r := bridged(t, s, d)
			if one.before != nil {
				one.before(s)
			}
			for i := range pods {
				s.pod(fmt.Sprintf("p%d", i), cores("100m"), one.demand)
			}
			for i := range pods {
				s.says(fmt.Sprintf("p%d", i), fmt.Sprintf("0/%d nodes are available: %s.", nodes, one.says))
			}
			s.pod("ordinary") // whatever was proposed before is answered by then
			s.on(s.nodeNames(nodes), "ordinary")
			if refused := r.refusedChecks(); refused > 5*pods { // some are proposed before the answer is there; there are 60 nodes
				t.Errorf("%d nodes were refused", refused)
			}
			one.helps(s)
			for i := range pods {
				s.on(s.nodeNames(nodes), fmt.Sprintf("p%d", i))
			}
			s.noneOver()
		})
	}
}

func TestAPodThatFitsNowhereForNow_CountsAsPendingInItsQueue(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	for i := range 20 {
		s.node(fmt.Sprintf("n%02d", i), 8, labelled(v1.LabelTopologyZone, "z"))
	}
	bridged(t, s, d)
	pod := s.pod("follower", beside("leader"))
	s.says("follower", "0/20 nodes are available: 20 node(s) didn't match pod affinity rules.")
	s.until("the scheduler has it", func() bool { return d.waits(pod.UID) })
	s.change("follower", func(pod *v1.Pod) { pod.Labels["app"] = "leader" }) // it may begin the group that it wants
	s.on(s.nodeNames(20), "follower")
}

func (s *apiServer) nodeNames(count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf("n%02d", i)
	}
	return names
}
