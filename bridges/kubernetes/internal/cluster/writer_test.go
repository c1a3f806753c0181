// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"tenon.invalid/kubernetes/internal/fakeapi"
)

func setup(t *testing.T, objects ...runtime.Object) (*fakeapi.Clientset, *Writer) {
	client, err := fakeapi.New(objects...)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := NewWriter(t.Context(), client, client, "tenon")
	if err != nil {
		t.Fatal(err)
	}
	return client, writer
}

func pod() *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p", UID: "uid-of-p", Generation: 3}}
}

func TestBinding_NamesTheUID(t *testing.T) {
	client, writer := setup(t, pod())
	var bound *v1.Binding
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		bound = action.(clienttesting.CreateAction).GetObject().(*v1.Binding)
		return true, nil, nil
	})
	if err := writer.Bind(t.Context(), pod(), "one"); err != nil {
		t.Fatal(err)
	}
	if bound.UID != "uid-of-p" || bound.Target.Name != "one" || bound.Target.Kind != "Node" {
		t.Errorf("have %v", bound)
	}
}

func TestBindingThatArrivedThoughItFailed_IsNoError(t *testing.T) {
	there := pod()
	there.Spec.NodeName = "one"
	client, writer := setup(t, there)
	client.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewTimeoutError("lost on the way", 1)
	})
	if err := writer.Bind(t.Context(), pod(), "one"); err != nil {
		t.Errorf("it is there: %v", err)
	}
	if err := writer.Bind(t.Context(), pod(), "two"); err == nil {
		t.Error("it is elsewhere")
	}
	other := pod()
	other.UID = "of-another"
	if err := writer.Bind(t.Context(), other, "one"); err == nil {
		t.Error("that is another pod")
	}
}

// slow is an API server whose answer to a binding comes when the time for it is over, and that answers no call that is too late.
type slow struct{ *fakeapi.Clientset }

func (s slow) CoreV1() corev1.CoreV1Interface { return slowCore{s.Clientset.CoreV1()} }

type slowCore struct{ corev1.CoreV1Interface }

func (c slowCore) Pods(namespace string) corev1.PodInterface {
	return slowPods{c.CoreV1Interface.Pods(namespace)}
}

type slowPods struct{ corev1.PodInterface }

func (p slowPods) Bind(ctx context.Context, _ *v1.Binding, _ metav1.CreateOptions) error {
	<-ctx.Done()
	return ctx.Err()
}

func (p slowPods) Get(ctx context.Context, name string, options metav1.GetOptions) (*v1.Pod, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return p.PodInterface.Get(ctx, name, options)
}

func TestBindingWhoseTimeIsOver_IsLookedInto(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		there := pod()
		there.Spec.NodeName = "one"
		client, _ := setup(t, there)
		if err := (&Writer{client: slow{client}}).Bind(t.Context(), pod(), "one"); err != nil {
			t.Errorf("it is there: %v", err)
		}
	})
}

func TestConditionOfAPodThatWasChangedMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		now  func(*v1.Pod)
		want []string // versions that are named
	}{
		"a pod that still waits":    {func(p *v1.Pod) { p.ResourceVersion = "8" }, []string{"7", "8"}},
		"a pod that has a node":     {func(p *v1.Pod) { p.ResourceVersion, p.Spec.NodeName = "8", "one" }, []string{"7"}},
		"another pod of that name":  {func(p *v1.Pod) { p.ResourceVersion, p.UID = "8", "of-another" }, []string{"7"}},
		"a pod that is as it was":   {func(p *v1.Pod) { p.ResourceVersion = "7" }, []string{"7"}},
		"a pod that is gone by now": {nil, []string{"7"}},
	} {
		t.Run(name, func(t *testing.T) {
			now := pod()
			objects := []runtime.Object{}
			if c.now != nil {
				c.now(now)
				objects = append(objects, now)
			}
			client, writer := setup(t, objects...)
			var named []string
			client.PrependReactor("patch", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
				var patch struct{ Metadata metav1.ObjectMeta }
				if err := json.Unmarshal(action.(clienttesting.PatchAction).GetPatch(), &patch); err != nil {
					t.Fatal(err)
				}
				named = append(named, patch.Metadata.ResourceVersion)
				if c.now != nil && patch.Metadata.ResourceVersion != now.ResourceVersion {
					return true, nil, apierrors.NewConflict(v1.Resource("pods"), "p", errors.New("it is another by now"))
				}
				return false, nil, nil
			})
			known := pod()
			known.ResourceVersion = "7"
			if err := writer.NotScheduled(t.Context(), known, v1.PodReasonUnschedulable, "0/0 nodes"); err != nil {
				t.Error(err)
			}
			if !slices.Equal(named, c.want) {
				t.Errorf("have %v, want %v", named, c.want)
			}
		})
	}
}

func TestCondition_NamesUIDAndGeneration(t *testing.T) {
	client, writer := setup(t, pod())
	if err := writer.NotScheduled(t.Context(), pod(), v1.PodReasonUnschedulable, "0/0 nodes"); err != nil {
		t.Fatal(err)
	}
	var patch struct {
		Metadata metav1.ObjectMeta
		Status   v1.PodStatus
	}
	for _, action := range client.Actions() {
		if patched, ok := action.(clienttesting.PatchAction); ok && patched.GetSubresource() == "status" {
			if err := json.Unmarshal(patched.GetPatch(), &patch); err != nil {
				t.Fatal(err)
			}
		}
	}
	if patch.Metadata.UID != "uid-of-p" || len(patch.Status.Conditions) != 1 {
		t.Fatalf("have %+v", patch)
	}
	if c := patch.Status.Conditions[0]; c.Type != v1.PodScheduled || c.Status != v1.ConditionFalse || c.Reason != "Unschedulable" ||
		c.Message != "0/0 nodes" || c.ObservedGeneration != 3 || c.LastTransitionTime.IsZero() {
		t.Errorf("have %+v", c)
	}
}

func TestEviction_NamesTheUID_AndSaysWhyAfterwards(t *testing.T) {
	client, writer := setup(t, pod())
	var evicted *policyv1.Eviction
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		evicted = action.(clienttesting.CreateAction).GetObject().(*policyv1.Eviction)
		return true, nil, nil
	})
	if err := writer.Evict(t.Context(), pod(), "for another"); err != nil {
		t.Fatal(err)
	}
	if evicted.Name != "p" || *evicted.DeleteOptions.Preconditions.UID != "uid-of-p" {
		t.Errorf("have %v", evicted)
	}
	actions := client.Actions()
	if patch, ok := actions[len(actions)-1].(clienttesting.PatchAction); !ok || !strings.Contains(string(patch.GetPatch()), "PreemptionByScheduler") {
		t.Errorf("have %v", actions)
	}
}

func TestEvictionThatABudgetHolds_IsToldInItsWords(t *testing.T) {
	client, writer := setup(t, pod())
	refusal := apierrors.NewTooManyRequests("not now", 0)
	client.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, refusal })
	if err := writer.Evict(t.Context(), pod(), "for another"); err == nil || BudgetHolds(err) != "" {
		t.Errorf("a server that is busy is no budget: %v", err)
	}
	refusal.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: policyv1.DisruptionBudgetCause, Message: "two are needed"}}
	if err := writer.Evict(t.Context(), pod(), "for another"); BudgetHolds(err) != "two are needed" {
		t.Errorf("have %v", err)
	}
}

func TestEvictionAnyway_SaysWhy_AndDeletesJustThisPod(t *testing.T) {
	client, writer := setup(t, pod())
	if err := writer.EvictAnyway(t.Context(), pod(), "for another"); err != nil {
		t.Fatal(err)
	}
	var condition, deleted bool
	for _, action := range client.Actions() {
		switch action := action.(type) {
		case clienttesting.PatchAction:
			condition = strings.Contains(string(action.GetPatch()), "DisruptionTarget")
		case clienttesting.DeleteActionImpl:
			deleted = condition && *action.DeleteOptions.Preconditions.UID == "uid-of-p"
		}
	}
	if !deleted {
		t.Errorf("first the condition, then the deletion by UID; have %v", client.Actions())
	}
	if err := writer.EvictAnyway(t.Context(), pod(), "for another"); err != nil {
		t.Errorf("gone already is no error: %v", err)
	}
}
