// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulinglisters "k8s.io/client-go/listers/scheduling/v1"
	"k8s.io/client-go/tools/cache"
	"tenon.invalid/kubernetes/internal/cluster"
	"tenon.invalid/kubernetes/internal/metrics"
	"tenon.invalid/kubernetes/internal/tenon"
	"tenon.invalid/kubernetes/internal/translate"
	tenonv1 "tenon.invalid/proto/tenon/v1"
)

// asking is a bridge with pods that wait, and a scheduler that is asked why; time is the test's.
type asking struct {
	*Bridge
	asked  []*tenonv1.WhatIfRequest
	at     []time.Time
	takes  time.Duration // until a question is answered
	fails  error
	answer func(number int) *tenonv1.WhatIfResponse
}

func whyAsked(t *testing.T, pods int, test func(*asking)) {
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		b := New(Options{SchedulerName: "tenon", Explain: time.Second, Metrics: metrics.New("tenon"), Log: log})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		b.classes = schedulinglisters.NewPriorityClassLister(cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil))
		b.context, b.link, b.writer = ctx, &tenon.Link{}, cluster.NewDryWriter(log)
		a := &asking{Bridge: b, answer: func(number int) *tenonv1.WhatIfResponse { return waits(fmt.Sprintf("Number %d.", number)) }}
		b.questions.ask = func(_ *tenon.Link, ctx context.Context, question *tenonv1.WhatIfRequest) (*tenonv1.WhatIfResponse, error) {
			a.asked, a.at = append(a.asked, question), append(a.at, time.Now())
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(a.takes):
			}
			if a.fails != nil {
				return nil, a.fails
			}
			return a.answer(len(a.asked)), nil
		}
		app := &application{id: "app", standing: accepted, pods: map[types.UID]*pod{}}
		b.applications[app.id] = app
		for i := range pods {
			uid := types.UID(fmt.Sprintf("p%03d", i))
			p := &pod{mine: true, application: app.id, standing: asked, amounts: translate.Amounts{translate.Pods: 1}, object: &v1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: string(uid), UID: uid}, Spec: v1.PodSpec{SchedulerName: "tenon"}}}
			b.pods[uid], app.pods[uid] = p, p
		}
		b.kinds[translate.Pods] = 1
		test(a)
		cancel()
		synctest.Wait()
	})
}

func waits(lines ...string) *tenonv1.WhatIfResponse {
	text := strings.Join(append([]string{"Ask it waits for 1 allocation."}, lines...), "\n")
	return &tenonv1.WhatIfResponse{Asks: []*tenonv1.AskAnswer{{Outcome: "waits", Explanation: &structpb.Struct{
		Fields: map[string]*structpb.Value{"text": structpb.NewStringValue(text)}}}}}
}

var hasRoom = found{known: "1/1 nodes have room", guess: "; it waits"}

// pass lets time pass, in beats.
func (a *asking) pass(all time.Duration) {
	for end := time.Now().Add(all); time.Now().Before(end); {
		time.Sleep(beat)
		synctest.Wait()
		for _, do := range a.todo.Take() {
			do()
		}
		a.question(time.Now())
		synctest.Wait()
		for _, do := range a.todo.Take() {
			do()
		}
	}
}

func (a *asking) pod(number int) *pod { return a.pods[types.UID(fmt.Sprintf("p%03d", number))] }

func (a *asking) says(t *testing.T, number int, want string) {
	t.Helper()
	if have := a.pod(number).waitsFor; have != want {
		t.Errorf("p%d says %q, want %q", number, have, want)
	}
}

func TestQuestions_AreAskedOneAfterTheOther_InTurn(t *testing.T) {
	whyAsked(t, 3, func(a *asking) {
		for i, want := range []string{"", "1/1 nodes have room; it waits", "1/1 nodes have room; it waits"} {
			a.find(a.pod(i), hasRoom)
			a.find(a.pod(i), hasRoom)
			a.says(t, i, want)
		}
		a.pass(10 * time.Second)
		if len(a.asked) != 3 || a.at[1].Sub(a.at[0]) < time.Second {
			t.Errorf("%d questions at %v", len(a.asked), a.at)
		}
		for i := range 3 {
			a.says(t, i, fmt.Sprintf("1/1 nodes have room. Tenon: Number %d.", i+1))
		}
	})
}

func TestQuestions_ThatCostTheSchedulerMuch_AreFew(t *testing.T) {
	whyAsked(t, 2, func(a *asking) {
		a.takes = 3 * time.Second
		a.find(a.pod(0), hasRoom)
		a.find(a.pod(1), hasRoom)
		a.pass(4 * time.Minute)
		if len(a.asked) != 2 || a.at[1].Sub(a.at[0]) < share*a.takes {
			t.Errorf("%d questions at %v", len(a.asked), a.at)
		}
	})
}

func TestQuestionWithoutAnswer_LeavesTheBridgesWords_AndIsNotRepeatedSoon(t *testing.T) {
	whyAsked(t, 2, func(a *asking) {
		a.fails = errors.New("too large")
		a.find(a.pod(0), hasRoom)
		a.find(a.pod(1), hasRoom)
		a.pass(50 * time.Second)
		if len(a.asked) != 1 {
			t.Errorf("%d questions", len(a.asked))
		}
		a.says(t, 0, "1/1 nodes have room; it waits")
		a.fails = nil
		a.pass(20 * time.Second)
		a.says(t, 1, "1/1 nodes have room. Tenon: Number 2.")
	})
}

func TestQuestion_OfASchedulerThatSaysNothing_HasAnEnd(t *testing.T) {
	whyAsked(t, 1, func(a *asking) {
		a.takes = time.Hour
		a.find(a.pod(0), hasRoom)
		a.pass(answerWithin + 2*time.Second)
		if a.questions.open {
			t.Error("it is still open")
		}
	})
}

func TestQuestion_OfAPodThatIsPlacedMeanwhile_IsVoid(t *testing.T) {
	whyAsked(t, 2, func(a *asking) {
		a.takes = 4 * time.Second
		a.find(a.pod(0), hasRoom)
		a.pass(2 * time.Second)
		a.pod(0).standing = placed
		a.find(a.pod(1), hasRoom)
		a.pod(1).standing = placed
		a.pass(10 * time.Minute)
		a.says(t, 0, "")
		if len(a.asked) != 1 {
			t.Errorf("%d questions", len(a.asked))
		}
	})
}

func TestQuestion_ToASchedulerThatIsAnotherByNow_IsVoid(t *testing.T) {
	whyAsked(t, 1, func(a *asking) {
		a.takes = 4 * time.Second
		a.find(a.pod(0), hasRoom)
		a.pass(2 * time.Second)
		a.link = &tenon.Link{}
		a.pass(10 * time.Second)
		a.says(t, 0, "")
		a.find(a.pod(0), hasRoom)
		a.pass(10 * time.Second)
		a.says(t, 0, "1/1 nodes have room. Tenon: Number 2.")
	})
}

func TestQuestion_HasWhatIsBehindTheAsk_UnlessThatIsTooMuch(t *testing.T) {
	whyAsked(t, mostAsks+1, func(a *asking) {
		for i, want := range map[int]int{0: 1, 1: mostAsks, mostAsks: 1} {
			asks := a.about(a.pod(i), a.applications["app"]).Applications[0].Asks
			if len(asks) != want || asks[0].Key != string(a.pod(i).object.UID) {
				t.Errorf("of p%d: %d asks, want %d", i, len(asks), want)
			}
		}
	})
}

func TestQuestion_ThatTheSchedulerCannotTake_DelaysNoOther(t *testing.T) {
	whyAsked(t, 2, func(a *asking) {
		a.fails = status.Error(codes.InvalidArgument, "too many tags")
		a.find(a.pod(0), hasRoom)
		a.find(a.pod(1), hasRoom)
		a.pass(beat)
		a.fails = nil
		a.pass(5 * time.Second)
		a.says(t, 1, "1/1 nodes have room. Tenon: Number 2.")
	})
}

func TestQuestions_OfAnApplicationWithManyPods_DelayAnotherByOne(t *testing.T) {
	whyAsked(t, 20, func(a *asking) {
		other := a.pod(19)
		other.application = "other"
		a.applications["other"] = &application{id: "other", standing: accepted, pods: map[types.UID]*pod{other.object.UID: other}}
		for i := range 20 {
			a.find(a.pod(i), hasRoom)
		}
		a.pass(4 * time.Second)
		for i, question := range a.asked[:4] {
			if id := question.Applications[0].Application; (id == "other") != (i == 1) {
				t.Errorf("question %d is about %s", i, id)
			}
		}
	})
}

func TestQuestions_OfANamespaceWithManyApplications_DelayAnotherByOne(t *testing.T) {
	whyAsked(t, 20, func(a *asking) {
		for i := range 20 {
			p, id := a.pod(i), fmt.Sprint("application", i)
			if i == 19 {
				other := *p.object
				other.Namespace, p.object = "other", &other
			}
			p.application = id
			a.applications[id] = &application{id: id, standing: accepted, pods: map[types.UID]*pod{p.object.UID: p}}
			a.find(p, hasRoom)
		}
		a.pass(4 * time.Second)
		for i, question := range a.asked[:4] {
			if id := question.Applications[0].Application; (id == "application19") != (i == 1) {
				t.Errorf("question %d is about %s", i, id)
			}
		}
	})
}

func TestCondition_IsChangedWithTheExplanation_OrAloneWhereManyAreBefore(t *testing.T) {
	whyAsked(t, longLine+3, func(a *asking) {
		other := found{known: "0/1 nodes are available: it is full."}
		a.find(a.pod(0), hasRoom)
		a.pass(2 * time.Second)
		a.find(a.pod(0), other)
		a.says(t, 0, "1/1 nodes have room. Tenon: Number 1.")
		a.pass(2 * time.Second)
		a.says(t, 0, "0/1 nodes are available: it is full. Tenon: Number 2.")
		for i := range longLine + 3 {
			a.find(a.pod(i), other)
		}
		a.says(t, 0, "0/1 nodes are available: it is full. Tenon: Number 2.")
		a.find(a.pod(0), hasRoom)
		a.says(t, 0, "1/1 nodes have room; it waits")
	})
}

func TestExplanation_IsShort_AndKeepsTheChange(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for name, c := range map[string]struct {
		answer *tenonv1.WhatIfResponse
		want   string
	}{
		"as it is":        {waits("It is full.", "Nothing is before it.", "Add a node."), "It is full. Nothing is before it. Add a node."},
		"long":            {waits(long, "Add a node."), strings.Repeat("é", longestHolds/2) + " ... Add a node."},
		"a long change":   {waits("It is full.", long), "It is full. " + strings.Repeat("é", longestChange/2) + " ..."},
		"nothing":         {waits(), ""},
		"no answer":       {nil, ""},
		"no ask":          {&tenonv1.WhatIfResponse{}, ""},
		"no explanation":  {&tenonv1.WhatIfResponse{Asks: []*tenonv1.AskAnswer{{Outcome: "undecided"}}}, ""},
		"it has its turn": {&tenonv1.WhatIfResponse{Asks: []*tenonv1.AskAnswer{{Outcome: "placed"}}}, ""},
		"victims": {&tenonv1.WhatIfResponse{Asks: []*tenonv1.AskAnswer{{Outcome: "evicts", Victims: make([]*tenonv1.VictimIf, 2)}}},
			"It runs when 2 that give way to it are gone."},
		"refused": {&tenonv1.WhatIfResponse{Asks: []*tenonv1.AskAnswer{{Outcome: "refused", Message: "no such queue"}}}, "no such queue"},
	} {
		if have := explanation(c.answer); have != c.want {
			t.Errorf("%s: have %q, want %q", name, have, c.want)
		}
	}
}
