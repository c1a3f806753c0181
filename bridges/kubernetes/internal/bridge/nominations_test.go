// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	si "tenon.invalid/proto/tenon/si/v1later"
)

const forWaits types.UID = "waits"

// nominations is a bridge with a pod that waits and one that ends for it on the node one.
func newNominations(t *testing.T, change ...func(*v1.Pod)) (g *gangs, waits, victim *pod) {
	g = newGangs(t)
	pods := map[string]*pod{}
	for _, name := range []string{"waits", "victim"} {
		object := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID(name)}, Spec: v1.PodSpec{SchedulerName: "tenon"}}
		if name == "waits" {
			for _, change := range change {
				change(object)
			}
		}
		if err := g.server.Tracker.Add(object); err != nil {
			t.Fatal(err)
		}
		pods[name] = g.heard(object)
	}
	victim = pods["victim"]
	victim.node, victim.ending = "one", si.TerminationType_PREEMPTED_BY_SCHEDULER
	return g, pods["waits"], victim
}

// patched gives the nominated nodes that were written; "none" where one was taken back.
func (g *gangs) patched() []string {
	var all []string
	for _, action := range g.server.Actions() {
		patch, ok := action.(clienttesting.PatchAction)
		if !ok {
			continue
		}
		var said struct{ Status map[string]any }
		if err := json.Unmarshal(patch.GetPatch(), &said); err != nil {
			g.Fatal(err)
		}
		if node, found := said.Status["nominatedNodeName"]; found {
			name, ok := node.(string)
			if !ok {
				name = "none"
			}
			all = append(all, name)
		}
	}
	return all
}

func (g *gangs) wrote(want ...string) {
	g.Helper()
	g.over()
	have := g.patched()
	if len(have) != len(want) {
		g.Fatalf("have %v, want %v", have, want)
	}
	for i := range want {
		if have[i] != want[i] {
			g.Fatalf("have %v, want %v", have, want)
		}
	}
}

func TestNomination_IsWrittenOnce_AndStaysWhileVictimsEnd(t *testing.T) {
	g, _, victim := newNominations(t)
	g.nominate(victim, forWaits)
	g.nominate(victim, forWaits)
	g.wrote("one")
	now := time.Now()
	for range 10 {
		now = now.Add(time.Hour)
		g.watchNominations(now)
	}
	g.wrote("one")
	delete(g.pods, victim.object.UID)
	g.watchNominations(now.Add(nominatedFor / 2)) // it is about to be placed
	g.wrote("one")
	g.watchNominations(now.Add(2 * nominatedFor))
	g.wrote("one", "none")
	g.watchNominations(now.Add(3 * nominatedFor))
	if len(g.nominations) > 0 {
		t.Error("it is remembered")
	}
}

func TestNomination_OfAPodThatIsPlaced_IsTheAPIServersToEnd(t *testing.T) {
	g, waits, victim := newNominations(t)
	g.nominate(victim, forWaits)
	g.wrote("one")
	delete(g.pods, victim.object.UID)
	waits.node, waits.binding = "one", true
	g.watchNominations(time.Now().Add(time.Hour))
	g.wrote("one")
	if len(g.nominations) != 1 {
		t.Error("the binding may fail")
	}
	waits.object = waits.object.DeepCopy()
	waits.object.Spec.NodeName = "one"
	g.watchNominations(time.Now().Add(time.Hour))
	g.wrote("one")
	if len(g.nominations) > 0 {
		t.Error("it is remembered")
	}
}

func TestNomination_ThatCannotBeWritten_IsTriedAgain(t *testing.T) {
	g, _, victim := newNominations(t)
	refusals := 1
	g.server.PrependReactor("patch", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		if refusals > 0 {
			refusals--
			return true, nil, errors.New("busy")
		}
		return false, nil, nil
	})
	g.nominate(victim, forWaits)
	g.wrote("one")
	g.watchNominations(time.Now())
	g.wrote("one", "one")
	g.watchNominations(time.Now())
	g.wrote("one", "one")
}

func TestNomination_IsForPodsThatWaitAlone(t *testing.T) {
	g, waits, victim := newNominations(t)
	g.nominate(victim, "")
	g.nominate(victim, "gone")
	victim.bound = true
	g.nominate(victim, victim.object.UID)
	waits.mine = false
	g.nominate(victim, forWaits)
	g.wrote()
}

func TestNomination_OfAnEarlierBridge_Ends_AndThatOfAnotherStays(t *testing.T) {
	for manager, want := range map[string][]string{"tenon-kubernetes": {"none"}, "autoscaler": nil} {
		g, _, _ := newNominations(t, func(pod *v1.Pod) {
			pod.Status.NominatedNodeName = "one"
			pod.ManagedFields = []metav1.ManagedFieldsEntry{
				{Manager: manager, FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:nominatedNodeName":{}}}`)},
				{Manager: "tenon-kubernetes", FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:conditions":{}}}`)},
			}
			if kept, err := lean(pod); err != nil || len(kept.(*v1.Pod).ManagedFields) == 0 {
				t.Error("who wrote it is not known any more")
			}
		})
		g.watchNominations(time.Now())
		g.wrote()
		g.watchNominations(time.Now().Add(2 * nominatedFor))
		g.wrote(want...)
	}
}
