// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/bridge"
	"tenon.invalid/kubernetes/internal/translate"
)

// What one tenant does to others. In each case the ordinary pods of the namespace "bystander" have to run meanwhile.

const bystander = "bystander"

// attacked starts a cluster with room of its own for bystanders, a scheduler and a bridge.
func attacked(t *testing.T, queues string, change ...func(*bridge.Options)) (*apiServer, *running) {
	t.Helper()
	s, d := newAPIServer(t), serveQueues(t, queues)
	s.namespace(bystander, nil)
	s.node("bystanders", 100, tainted(bystander))
	return s, bridged(t, s, d, append([]func(*bridge.Options){func(options *bridge.Options) { options.PlaceholderImage = "pause" }}, change...)...)
}

// passesBy makes an ordinary pod and waits until it runs. It logs how long that took.
func (s *apiServer) passesBy(name string) {
	s.t.Helper()
	begun := time.Now()
	pod := s.pod(name, of(bystander), queue("root.work", "ordinary"), tolerates(bystander), selector(v1.LabelHostname, "bystanders"), cores("10m"))
	said := ""
	defer func() {
		if s.t.Failed() {
			s.t.Logf("%s says %q", name, said)
		}
	}()
	s.until(name+" runs", func() bool {
		object, err := s.Tracker.Get(podsResource, bystander, pod.Name)
		must(s.t, err)
		said = translate.WaitsFor(object.(*v1.Pod))
		return object.(*v1.Pod).Spec.NodeName == "bystanders"
	})
	s.t.Logf("%s waited for %v", name, time.Since(begun).Round(time.Millisecond))
}

// paced makes so many things, not faster than the fake API server can tell of them.
func paced(count int, make func(int)) {
	for i := range count {
		make(i)
		if i%20 == 19 {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func gangOf(application string, members int, style string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		queue("root.work", application)(pod)
		pod.Annotations = map[string]string{
			"yunikorn.apache.org/task-group-name":            "workers",
			"yunikorn.apache.org/task-groups":                fmt.Sprintf(`[{"name":"workers","minMember":%d,"minResource":{"cpu":"1"}}]`, members),
			"yunikorn.apache.org/schedulingPolicyParameters": "gangSchedulingStyle=" + style,
		}
	}
}

// count is how often the bridge did this to pods.
func (s *apiServer) count(verb string) int {
	count := 0
	for _, action := range s.Actions() {
		if action.Matches(verb, "pods") && action.GetSubresource() == "" {
			count++
		}
	}
	return count
}

func TestAttack_AGangOfHundredsWhosePodIsDeleted_CostsOneDeletionEach(t *testing.T) {
	s, r := attacked(t, queues)
	s.makesPods("", new(atomic.Bool))
	s.pod("first", gangOf("gang", 300, "Soft"))
	s.until("all placeholders are there", func() bool { return len(s.list()) == 301 })
	s.deletePod("first")
	s.passesBy("beside")
	s.until("no placeholder is there", func() bool { return len(s.list()) == 1 })
	s.passesBy("after")
	if have := s.count("delete"); have > 300 {
		t.Errorf("%d deletions of 300 placeholders", have)
	}
	r.registeredOnce(t)
}

func TestAttack_AQuotaThatRefusesThousandsOfPlaceholders_DelaysNoOtherGang(t *testing.T) {
	s, r := attacked(t, queues, func(options *bridge.Options) { options.Repeat = time.Second }) // the first reason may be an earlier one
	s.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if made, ok := action.(clienttesting.CreateAction).GetObject().(*v1.Pod); ok && made.Namespace == namespace {
			return true, nil, errors.New("exceeded quota")
		}
		return false, nil, nil
	})
	for i := range 5 {
		s.pod(fmt.Sprintf("first%d", i), gangOf(fmt.Sprintf("gang%d", i), 10_000, "Soft"))
	}
	s.until("it says why it waits", func() bool { // any of those that were tried first
		said := translate.WaitsFor(s.get("first0"))
		return strings.HasPrefix(said, "not placed: the placeholder tg-") && strings.HasSuffix(said, " of the pod's task groups cannot be made: exceeded quota")
	})
	before := s.count("create")
	s.passesBy("beside")
	time.Sleep(3 * time.Second)
	if have := s.count("create") - before; have > 30 {
		t.Errorf("%d tries in some seconds", have)
	}
	r.registeredOnce(t)
}

func TestAttack_HundredsOfGangsThatHoldAPartOfTheRoom_StopNobody(t *testing.T) {
	s, r := attacked(t, queues)
	s.makesPods("", new(atomic.Bool))
	s.node("one", 200)
	paced(300, func(i int) { s.pod(fmt.Sprintf("first%d", i), gangOf(fmt.Sprintf("gang%d", i), 3, "Soft")) })
	s.until("the room is taken", func() bool { return s.running() >= 100 })
	for i := range 25 { // while gangs give way to each other
		s.passesBy(fmt.Sprintf("p%d", i))
		time.Sleep(time.Second)
	}
	r.registeredOnce(t)
}

func TestAttack_AGroupOfThousands_StopsNobody(t *testing.T) {
	s, r := attacked(t, queues)
	s.node("one", 5000, func(node *v1.Node) { node.Status.Allocatable[v1.ResourcePods] = resource.MustParse("5000") })
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "group", UID: s.uid()}}
	group.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: 1}
	must(t, s.Tracker.Add(group))
	paced(3000, func(i int) {
		s.pod(fmt.Sprintf("m%d", i), cores("100m"), func(pod *v1.Pod) { pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &group.Name} })
		if i%300 == 299 {
			s.passesBy(fmt.Sprintf("p%d", i))
		}
	})
	s.until("all members run", func() bool { return s.runningIn(namespace) == 3000 })
	r.registeredOnce(t)
}

func TestAttack_ManyAsksWithLongSelectors_LeaveOthersTheirExplanation(t *testing.T) {
	s, r := attacked(t, strings.Replace(queues, "vcore: 1", "vcore: 0", 1), func(options *bridge.Options) { options.Explain = 100 * time.Millisecond })
	s.node("one", 8, labelsOf(400))
	paced(30, func(i int) {
		s.pod(fmt.Sprintf("long%d", i), queue("root.small", "long"), func(pod *v1.Pod) {
			pod.Spec.NodeSelector = map[string]string{}
			for label := range 400 {
				pod.Spec.NodeSelector[fmt.Sprintf("example.com/l%d", label)] = "yes"
			}
		})
	})
	s.pod("bystander", queue("root.small", "ordinary"))
	said := ""
	defer func() { t.Logf("it says %q", said) }()
	s.until("it is explained", func() bool {
		said = translate.WaitsFor(s.get("bystander"))
		return strings.Contains(said, "Tenon: ")
	})
	r.registeredOnce(t)
}

func TestAttack_ThousandsOfPodsThatFitNowhere_AndEachChange_StopNobody(t *testing.T) {
	s, r := attacked(t, queues)
	for i := range 20 {
		s.node(fmt.Sprintf("n%d", i), 8)
	}
	paced(3000, func(i int) {
		s.pod(fmt.Sprintf("follows%d", i), queue("root.work", fmt.Sprintf("app%d", i%10)), func(pod *v1.Pod) {
			pod.Labels["own"] = fmt.Sprint(i)
			pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
				TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprintf("absent%d", i)}}}}}}
		})
		if i%300 == 299 {
			s.passesBy(fmt.Sprintf("p%d", i))
		}
	})
	for i := range 10 {
		s.passesBy(fmt.Sprintf("q%d", i))
	}
	r.registeredOnce(t)
}

func TestAttack_PodsThatFitOnNoneOfHundredsOfNodes_EachForItself_StopNobody(t *testing.T) {
	s, r := attacked(t, queues)
	paced(300, func(i int) { s.node(fmt.Sprintf("n%d", i), 8) })
	paced(1500, func(i int) {
		s.pod(fmt.Sprintf("follows%d", i), queue("root.work", fmt.Sprintf("app%d", i)), cores("1m"), func(pod *v1.Pod) {
			pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
				TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprintf("absent%d", i)}}}}}}
		})
		if i%300 == 299 {
			s.passesBy(fmt.Sprintf("p%d", i))
		}
	})
	for i := range 10 {
		s.passesBy(fmt.Sprintf("q%d", i))
	}
	r.registeredOnce(t)
}

func TestAttack_AClaimThatTakesForEverToAllocate_StopsNobody(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.hasDevices("")
	s.namespace(bystander, nil)
	s.node("bystanders", 100, tainted(bystander))
	for n := range 5 { // each has four kinds of twenty devices, and no twenty-one of one kind
		name := fmt.Sprintf("devices%d", n)
		s.node(name, 8)
		slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name, UID: s.uid(), ResourceVersion: "1"}, Spec: resourcev1.ResourceSliceSpec{
			Driver: "example.com", NodeName: &name, Pool: resourcev1.ResourcePool{Name: name, Generation: 1, ResourceSliceCount: 1}}}
		for i := range 80 {
			kind := fmt.Sprint(i % 4)
			slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: fmt.Sprintf("d%d", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
				"example.com/kind": {StringValue: &kind}}})
		}
		must(t, s.Tracker.Add(slice))
	}
	r := bridged(t, s, d)
	kind := resourcev1.FullyQualifiedName("example.com/kind")
	for i := range 3 {
		name := fmt.Sprintf("hard%d", i)
		s.claim(name, func(claim *resourcev1.ResourceClaim) {
			claim.Spec.Devices.Requests[0].Exactly.Count = 21
			claim.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &kind}}
		})
		s.pod(name, claiming(name))
	}
	for i := range 10 {
		s.passesBy(fmt.Sprintf("p%d", i))
		time.Sleep(500 * time.Millisecond)
	}
	must(t, r.Alive())
	r.registeredOnce(t)
}

func TestAttack_AQuotaOfOneNamespace_NeverCountsForAnother(t *testing.T) {
	s, r := attacked(t, deployedQueues(t))
	s.namespace("attacker", map[string]string{"yunikorn.apache.org/namespace.quota": `{"cpu":"1m"}`})
	s.pod("before", of(bystander), queue("", "before"), tolerates(bystander))
	s.until("it runs", func() bool { return s.runningIn(bystander) == 1 })
	s.pod("attack", of("attacker"), queue("root."+bystander, "attack"), tolerates(bystander), cores("1m"))
	time.Sleep(time.Second)
	s.pod("after", of(bystander), queue("", "after"), tolerates(bystander))
	s.until("it runs", func() bool { return s.runningIn(bystander) == 2 })
	s.pod("large", of("attacker"), queue("root."+bystander, "large"), tolerates(bystander), cores("5"))
	time.Sleep(time.Second)
	if have := s.runningIn("attacker"); have > 1 {
		t.Errorf("a namespace with a quota of 0.001 cpu runs %d pods, one of 5 cpu", have)
	}
	r.registeredOnce(t)
}

// deployedQueues are those of the config map that is delivered.
func deployedQueues(t *testing.T) string {
	t.Helper()
	objects, err := manifests()
	must(t, err)
	for _, object := range objects {
		if config, ok := object.(*v1.ConfigMap); ok && config.Data["queues.yaml"] != "" {
			return config.Data["queues.yaml"]
		}
	}
	t.Fatal("no config map has queues")
	return ""
}

func TestAttack_ValuesWithBarsAndNone_AreThemselves(t *testing.T) {
	s, r := attacked(t, queues)
	s.node("bar", 8, labelled("example.com/l", "a"))
	s.node("empty", 8, labelled("example.com/empty", ""))
	wants := func(key string, values ...string) func(*v1.Pod) {
		return func(pod *v1.Pod) {
			pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
				NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: v1.NodeSelectorOpIn, Values: values}}}}}}}
		}
	}
	s.pod("barred", wants("example.com/l", "a|b"))
	s.pod("none", wants("example.com/empty", ""))
	s.pod("any", wants("example.com/l", "", "a"))
	s.on([]string{"empty"}, "none")
	s.on([]string{"bar"}, "any")
	s.says("barred", "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match Pod's node affinity/selector.")
	r.registeredOnce(t)
}

func TestAttack_APodOnANodeThatIsNotThere_OrMoreThanANodeHas_HarmsNobody(t *testing.T) {
	s, r := attacked(t, queues)
	s.node("small", 2)
	paced(50, func(i int) {
		s.pod(fmt.Sprintf("elsewhere%d", i), func(pod *v1.Pod) { pod.Spec.NodeName = fmt.Sprintf("nowhere%d", i) })
	})
	for i := range 3 {
		s.pod(fmt.Sprintf("huge%d", i), cores("9000000000000"), func(pod *v1.Pod) { pod.Spec.NodeName = "small" })
	}
	s.passesBy("beside")
	s.pod("wants", selector(v1.LabelHostname, "small"))
	s.says("wants", "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s).")
	for i := range 3 {
		s.deletePod(fmt.Sprintf("huge%d", i))
	}
	s.on([]string{"small"}, "wants")
	s.node("nowhere0", 4)
	s.passesBy("after")
	r.registeredOnce(t)
}

func TestAttack_APodMadeAndDeletedUnderOneNameHundredsOfTimes_LeavesNothing(t *testing.T) {
	s, r := attacked(t, queues)
	s.node("one", 1)
	paced(300, func(int) {
		s.pod("again", selector(v1.LabelHostname, "one"))
		s.deletePod("again")
	})
	s.passesBy("beside")
	s.pod("last", selector(v1.LabelHostname, "one"))
	s.on([]string{"one"}, "last")
	r.registeredOnce(t)
}

// If nodes were kept for pods that wait for room, a tenant with a quota of one node could keep all nodes from others: each application
// may have a node kept for it, and a tenant may have any number of applications.
func TestAttack_PodsThatWaitForRoom_KeepNoNodesFromOthers(t *testing.T) {
	const nodes = 5
	s, r := attacked(t, deployedQueues(t))
	s.namespace("tenant", map[string]string{"yunikorn.apache.org/namespace.max.cpu": "8"})
	for i := range nodes {
		s.node(fmt.Sprintf("n%d", i), 8)
		s.pod(fmt.Sprintf("runs%d", i), queue("", "runs"), cores("4"), selector(v1.LabelHostname, fmt.Sprintf("n%d", i)))
	}
	s.until("others run", func() bool { return s.runningIn(namespace) == nodes })
	for i := range 2 * nodes {
		s.pod(fmt.Sprintf("large%d", i), of("tenant"), queue("", fmt.Sprintf("app%d", i)), cores("8"))
	}
	time.Sleep(3 * time.Second) // by default, an ask waits for 2 s before a node is kept for it
	s.pod("ordinary", of(bystander), queue("", "ordinary"))
	s.until("an ordinary pod runs", func() bool { return s.runningIn(bystander) == 1 })
	r.registeredOnce(t)
}
