// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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

func TestCondition_NamesUIDAndGeneration(t *testing.T) {
	client, writer := setup(t, pod())
	if err := writer.Unschedulable(t.Context(), pod(), "0/0 nodes"); err != nil {
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
