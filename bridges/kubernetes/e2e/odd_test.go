// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/translate"
)

func annotated(key, value string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations[key] = value
	}
}

// inApplication names an application as an annotation, which may be any text.
func inApplication(name string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Labels = map[string]string{"queue": "root.work"}
		annotated("yunikorn.apache.org/app-id", name)(pod)
	}
}

func inGroup(name string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &name} }
}

func (s *apiServer) podGroup(namespace, name string, count int32) {
	s.t.Helper()
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: s.uid()}}
	group.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: count}
	must(s.t, s.Tracker.Add(group))
}

// fails has bindings in the namespace "team" end with this error. It returns how often that was.
func (s *apiServer) fails(err error) *atomic.Int32 {
	var count atomic.Int32
	s.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "binding" || action.GetNamespace() != namespace {
			return false, nil, nil
		}
		count.Add(1)
		return true, nil, err
	})
	return &count
}

// runsIn waits until so many pods of a namespace run.
func (s *apiServer) runsIn(namespace string, count int) {
	s.t.Helper()
	s.until(fmt.Sprintf("%d pods of %s run", count, namespace), func() bool { return s.runningIn(namespace) == count })
}

// withdrawn waits until the scheduler has no ask of the pod.
func (d *daemon) withdrawn(s *apiServer, pod *v1.Pod) {
	s.t.Helper()
	s.until("the scheduler does not have it", func() bool { return !d.waits(pod.UID) })
}

// asked returns the applications in which the scheduler has asks of the pod.
func (d *daemon) asked(pod *v1.Pod) string {
	d.t.Helper()
	held, err := d.control().Held(d.t.Context(), nil)
	must(d.t, err)
	all := []string{}
	for _, application := range held.Applications {
		for _, ask := range application.Asks {
			if ask.Key == string(pod.UID) {
				all = append(all, application.ID)
			}
		}
	}
	return strings.Join(all, " ")
}

// What nobody expects and somebody does. After each case an ordinary pod of another namespace runs, in the first session.
func TestOdd(t *testing.T) {
	for name, play := range map[string]func(*testing.T, *apiServer, *daemon, *running){
		"applications with names of any kind run": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			names := []string{"a/b", "..", "ü", " ", "a b", "[x]default", "-", strings.Repeat("n", 900), `{"a":1}`, "a|b", "*", "%s", "root.work"}
			for i, name := range names {
				s.pod(fmt.Sprintf("p%d", i), inApplication(name), cores("100m"))
			}
			s.runsIn(namespace, len(names))
		},
		"an application whose name is too long with its namespace is refused alone": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.pod("long", inApplication(strings.Repeat("n", 1022)))
			s.until("it says why", func() bool {
				return strings.HasPrefix(translate.WaitsFor(s.get("long")), "the scheduler refused the application team/nnn")
			})
		},
		"namespaces of any name have queues": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			for _, name := range []string{"root", "default", "1234", "0", strings.Repeat("n", 63), "xn--ls8h", "a--b", "recovery"} {
				s.namespace(name, nil)
				s.pod("p", of(name), cores("100m"))
				s.runsIn(name, 1)
			}
		},
		"an amount of zero of what no node has is none": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.pod("zero", func(pod *v1.Pod) {
				pod.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("0")
			})
			s.runsIn(namespace, 1)
		},
		"priorities of any size": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			for i, value := range []int32{math.MinInt32, -1, 0, 2_000_001_000, math.MaxInt32} {
				s.pod(fmt.Sprintf("p%d", i), priority(value), cores("100m"))
			}
			s.runsIn(namespace, 5)
		},
		"pods made at any time": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			for i, year := range []int{1, 1969, 1970, 2038, 2600, 9999} {
				s.pod(fmt.Sprintf("p%d", i), cores("100m"), func(pod *v1.Pod) { pod.CreationTimestamp = metav1.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) })
			}
			s.pod("never", cores("100m"), func(pod *v1.Pod) { pod.CreationTimestamp = metav1.Time{} })
			s.runsIn(namespace, 7)
		},
		"a pod without containers": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.pod("empty", func(pod *v1.Pod) { pod.Spec.Containers = nil })
			s.runsIn(namespace, 1)
		},
		"a node without anything, and one with less than nothing": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.node("nothing", 1, func(node *v1.Node) { node.Status = v1.NodeStatus{} })
			s.node("less", 1, func(node *v1.Node) { node.Status.Allocatable[v1.ResourceCPU] = resource.MustParse("-4") })
			s.pod("p")
			s.runsIn(namespace, 1)
			if have := s.get("p").Spec.NodeName; have != "one" {
				t.Errorf("it runs on %q", have)
			}
		},
		"a node of thousands of kinds of resources takes the place of none that another has had": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.node("gpu", 4, func(node *v1.Node) { node.Status.Allocatable["nvidia.com/gpu"] = resource.MustParse("4") })
			s.pod("first", func(pod *v1.Pod) {
				pod.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = resource.MustParse("1")
			})
			s.on([]string{"gpu"}, "first")
			s.node("many", 4, func(node *v1.Node) {
				for i := range 4000 {
					node.Status.Allocatable[v1.ResourceName(fmt.Sprintf("example.com/k%d", i))] = resource.MustParse("1")
				}
			})
			s.pod("second", func(pod *v1.Pod) {
				pod.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = resource.MustParse("1")
			})
			s.on([]string{"gpu"}, "second")
		},
		"a pod that says it is a placeholder, and is of no gang": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.pod("false", annotated("yunikorn.apache.org/placeholder", "true"), annotated("yunikorn.apache.org/task-group-name", "none"))
			s.pod("real")
			s.until("the other one runs", func() bool { return s.get("real").Spec.NodeName != "" })
		},
		"a pod of a task group that nobody names": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.pod("lost", annotated("yunikorn.apache.org/task-group-name", "none"))
			s.runsIn(namespace, 1)
		},
		"task groups that are no groups": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			for i, text := range []string{"null", "[]", "{}", "[null]", strings.Repeat("[", 50_000), `[{"name":"a","minMember":2147483648}]`, `[{"name":"a","minMember":1.5}]`,
				`[{"name":"a","minMember":1,"minResource":{"cpu":"x"}}]`, `[{"name":"a","minMember":1,"minResource":{"cpu":"1"},"nodeSelector":[]}]`, "\x00"} {
				s.pod(fmt.Sprintf("p%d", i), queue("root.work", fmt.Sprintf("a%d", i)), cores("100m"), annotated("yunikorn.apache.org/task-groups", text))
			}
			s.runsIn(namespace, 10)
		},
		"groups of one name in two namespaces are two": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.podGroup(namespace, "gang", 2)
			s.podGroup(bystander, "gang", 1)
			s.pod("one", inGroup("gang"))
			s.pod("other", of(bystander), inGroup("gang"))
			s.runsIn(bystander, 1)
			s.says("one", "not placed: the pod group team/gang has 1 of the 2 pods that have to run together")
			s.stillWait("one")
		},
		"a group of more pods than there can be": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.podGroup(namespace, "gang", math.MaxInt32)
			s.pod("one", inGroup("gang"))
			s.says("one", fmt.Sprintf("not placed: the pod group team/gang has 1 of the %d pods that have to run together", math.MaxInt32))
		},
		"a waiting pod of another application by now counts there": func(t *testing.T, s *apiServer, d *daemon, _ *running) {
			s.pod("first", queue("root.small", "full"))
			s.runsIn(namespace, 1)
			second := s.pod("second", queue("root.small", "full"))
			s.until("the scheduler has it", func() bool { return d.waits(second.UID) })
			s.change("second", func(pod *v1.Pod) { pod.Labels = map[string]string{"applicationId": "another", "queue": "root.work"} })
			s.runsIn(namespace, 2)
		},
		"a waiting pod that is deleted, and has finalizers, holds nothing": func(t *testing.T, s *apiServer, d *daemon, _ *running) {
			pod := s.pod("ends", cores("5000"), func(pod *v1.Pod) { pod.Finalizers = []string{"example.com/stays"} })
			s.until("the scheduler has it", func() bool { return d.waits(pod.UID) })
			s.change("ends", func(pod *v1.Pod) { now := metav1.Now(); pod.DeletionTimestamp = &now })
			d.withdrawn(s, pod)
		},
		"a waiting pod that is gated again holds nothing": func(t *testing.T, s *apiServer, d *daemon, _ *running) {
			pod := s.pod("gated", cores("5000"))
			s.until("the scheduler has it", func() bool { return d.waits(pod.UID) })
			s.change("gated", func(pod *v1.Pod) { pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/gate"}} })
			d.withdrawn(s, pod)
		},
		"a waiting pod that fails holds nothing": func(t *testing.T, s *apiServer, d *daemon, _ *running) {
			pod := s.pod("fails", cores("5000"))
			s.until("the scheduler has it", func() bool { return d.waits(pod.UID) })
			s.change("fails", func(pod *v1.Pod) { pod.Status.Phase = v1.PodFailed })
			d.withdrawn(s, pod)
		},
		"a pod that ended and runs again takes its room again": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.pod("large", cores("7"))
			s.runsIn(namespace, 1)
			s.change("large", func(pod *v1.Pod) { pod.Status.Phase = v1.PodFailed })
			s.pod("between", cores("1"))
			s.runsIn(namespace, 2)
			s.change("large", func(pod *v1.Pod) { pod.Status.Phase = v1.PodRunning })
			s.pod("late", cores("1"))
			s.says("late", "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s).")
		},
		"a node that goes and comes again and again has its pods counted": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.pod("large", cores("7"))
			s.on([]string{"one"}, "large")
			paced(100, func(int) {
				s.deleteNode("one")
				s.node("one", 8)
			})
			s.pod("fits", cores("1"))
			s.on([]string{"one"}, "fits")
			s.pod("late", cores("1"))
			s.says("late", "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s).")
			s.noneOver()
		},
		"a node that is tainted and open again and again takes pods": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			for i := range 50 {
				s.changeNode("one", func(node *v1.Node) {
					node.Spec.Taints = []v1.Taint{{Key: fmt.Sprint("t", i), Effect: v1.TaintEffectNoSchedule}}
				})
				s.pod(fmt.Sprintf("p%d", i), cores("100m"))
				s.changeNode("one", func(node *v1.Node) { node.Spec.Taints = nil })
			}
			s.runsIn(namespace, 50)
		},
		"bindings that are refused for ever delay no others": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			tries := s.fails(apierrors.NewForbidden(podsResource.GroupResource(), "p", fmt.Errorf("as this test wants it")))
			for i := range 20 {
				s.pod(fmt.Sprintf("p%d", i), cores("100m"))
			}
			s.until("each was tried", func() bool { return tries.Load() >= 20 })
			for i := range 20 {
				s.passesBy(fmt.Sprintf("q%d", i))
			}
		},
		"a node that the API server does not know is another one's": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			var once sync.Once
			s.PrependReactor("create", "pods", func(action clienttesting.Action) (handled bool, _ runtime.Object, err error) {
				if action.GetSubresource() == "binding" && action.GetNamespace() == namespace {
					once.Do(func() { handled, err = true, apierrors.NewNotFound(nodesResource.GroupResource(), "one") })
				}
				return handled, nil, err
			})
			s.pod("p")
			s.runsIn(namespace, 1)
		},
		"labels that select nothing, everything and each other": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			for i, selector := range []*metav1.LabelSelector{nil, {}, matching("odd")} {
				s.pod(fmt.Sprintf("p%d", i), cores("100m"), app("odd"), func(pod *v1.Pod) {
					pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 5, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: selector}}
					pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
						{TopologyKey: v1.LabelHostname, LabelSelector: matching("odd")}}}}
				})
			}
			s.runsIn(namespace, 3)
		},
		"a pod that tolerates a thousand taints": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.node("tainted", 8, tainted("t999"))
			s.pod("tolerant", selector(v1.LabelHostname, "tainted"), func(pod *v1.Pod) {
				for i := range 1000 {
					pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: fmt.Sprint("t", i), Operator: v1.TolerationOpExists})
				}
			})
			s.on([]string{"tainted"}, "tolerant")
		},
		"a host port on one address and on all": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			on := func(address string) func(*v1.Pod) {
				return func(pod *v1.Pod) {
					cores("100m")(pod)
					pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80, HostIP: address, Protocol: v1.ProtocolTCP}}
				}
			}
			s.pod("local", on("127.0.0.1"))
			s.pod("wide", on("10.0.0.1"))
			s.runsIn(namespace, 2)
			s.pod("all", on("0.0.0.0"))
			s.says("all", "0/2 nodes are available: 1 node(s) didn't have free ports for the requested pod ports, 1 node(s) had untolerated taint(s).")
			s.deletePod("local")
			s.deletePod("wide")
			s.on([]string{"one"}, "all")
		},
		"a namespace whose annotations change hundreds of times": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			for i := range 200 {
				object, err := s.Tracker.Get(v1.SchemeGroupVersion.WithResource("namespaces"), "", namespace)
				must(t, err)
				changed := object.(*v1.Namespace).DeepCopy()
				changed.Labels = map[string]string{"number": fmt.Sprint(i)}
				changed.Annotations = map[string]string{"yunikorn.apache.org/namespace.quota": strings.Repeat("{", i)}
				must(t, s.Tracker.Update(v1.SchemeGroupVersion.WithResource("namespaces"), changed, ""))
			}
			s.pod("p")
			s.runsIn(namespace, 1)
		},
		"a pod of a priority class that is not there": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.pod("odd", func(pod *v1.Pod) { pod.Spec.PriorityClassName = "not-there" })
			s.runsIn(namespace, 1)
		},
		"a waiting pod whose application changes hundreds of times is asked for once": func(t *testing.T, s *apiServer, d *daemon, _ *running) {
			pod := s.pod("changes", cores("5000"))
			paced(300, func(i int) {
				s.change("changes", func(pod *v1.Pod) { pod.Labels["applicationId"] = fmt.Sprint("app", i) })
			})
			s.until("the scheduler has it in the last one", func() bool { return d.asked(pod) == "team/app299" })
		},
		"a waiting pod that says it is a placeholder by now": func(t *testing.T, s *apiServer, d *daemon, _ *running) {
			pod := s.pod("false", cores("5000"))
			s.until("the scheduler has it", func() bool { return d.waits(pod.UID) })
			s.change("false", func(pod *v1.Pod) {
				pod.Annotations = map[string]string{"yunikorn.apache.org/placeholder": "true", "yunikorn.apache.org/task-group-name": "none"}
			})
			s.pod("real")
			s.until("the other one runs", func() bool { return s.get("real").Spec.NodeName != "" })
		},
		"a pod that names its scheduler's name in all fields": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.pod("tenon", inApplication("tenon"), func(pod *v1.Pod) { pod.Spec.PriorityClassName = "tenon"; pod.Spec.ServiceAccountName = "tenon" })
			s.runsIn(namespace, 1)
		},
		"thousands of changes of a pod that waits": func(t *testing.T, s *apiServer, _ *daemon, _ *running) {
			s.pod("changes", cores("5000"))
			paced(1000, func(i int) { s.change("changes", func(pod *v1.Pod) { pod.Labels["number"] = fmt.Sprint(i) }) })
			s.change("changes", cores("1"))
			s.runsIn(namespace, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, d := newAPIServer(t), serve(t)
			s.namespace(bystander, nil)
			s.node("bystanders", 100, tainted(bystander))
			s.node("one", 8)
			r := bridged(t, s, d)
			play(t, s, d, r)
			s.passesBy("after")
			r.registeredOnce(t)
		})
	}
}
