// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package later

import (
	"strings"
	"testing"

	"tenon.invalid/clients/public"
	"tenon.invalid/clients/session"
)

// gang submits one whose placeholders want two cores together, asked for in one request, so that its time begins for both.
func (r *rm) gang(style string, timeoutMs int64) {
	r.t.Helper()
	r.application("gang", func(a *public.AddApplicationRequest) {
		a.PlaceholderAsk, a.GangSchedulingStyle, a.ExecutionTimeoutMilliSeconds = resource(2000), style, timeoutMs
		a.Tags = map[string]string{"tenon/gang-start": "piecewise"}
	})
	request := &public.AllocationRequest{}
	for _, key := range []string{"holder-1", "holder-2"} {
		request.Allocations = append(request.Allocations, &public.Allocation{
			AllocationKey: key, ApplicationID: "gang", PartitionName: "default", ResourcePerAlloc: resource(1000),
			TaskGroupName: "group", Placeholder: true,
		})
	}
	r.allocations.Say(request)
}

// gangThatNeverFits waits until the time of one is over whose second placeholder finds no room, and confirms the end of
// the first.
func gangThatNeverFits(t *testing.T, style string) *rm {
	t.Helper()
	r := start(t, "")
	r.node("node", 1000)
	r.gang(style, 1000)
	first := session.Take(r.allocations, "a placeholder", placed, func(a *public.Allocation) bool { return a.Placeholder })
	// One that is still asked for comes back as what it was asked as: an allocation.
	for _, key := range []string{"holder-1", "holder-2"} {
		if gone := r.ends(key, public.TerminationType_TIMEOUT); gone.ApplicationID != "gang" || gone.PartitionName != "default" {
			t.Errorf("whose is it? %v", gone)
		}
	}
	r.release("gang", first.AllocationKey, public.TerminationType_TIMEOUT)
	return r
}

func TestPlaceholdersAreReplaced(t *testing.T) {
	r := start(t, "")
	r.node("node", 2000)
	r.gang("Hard", 3_600_000)
	holders := map[string]bool{}
	for _, key := range []string{"holder-1", "holder-2"} {
		holders[key] = true
		if placed := r.runs(key); !placed.Placeholder || placed.TaskGroupName != "group" {
			t.Errorf("no placeholder of the group: %v", placed)
		}
	}
	for _, key := range []string{"real-1", "real-2"} {
		r.ask("gang", key, func(a *public.Allocation) { a.TaskGroupName = "group" })
		gone := session.Take(r.allocations, "a replaced placeholder", released, func(a *public.AllocationRelease) bool {
			return a.TerminationType == public.TerminationType_PLACEHOLDER_REPLACED
		})
		if !holders[gone.AllocationKey] {
			t.Errorf("replaced is %v, which is none of %v", gone, holders)
		}
		delete(holders, gone.AllocationKey)
		r.release("gang", gone.AllocationKey, public.TerminationType_PLACEHOLDER_REPLACED)
		if real := r.runs(key); real.Placeholder || real.NodeID != "node" {
			t.Errorf("not in its place: %v", real)
		}
	}
}

func TestASoftGangThatNeverFitsRunsWithoutPlaceholders(t *testing.T) {
	r := gangThatNeverFits(t, "Soft")
	r.ask("gang", "real", func(a *public.Allocation) { a.TaskGroupName = "group" })
	if r.runs("real").Placeholder {
		t.Error("no real one")
	}
}

// The word is what shims look for.
func TestAHardGangThatNeverFitsFailsAndSaysWhy(t *testing.T) {
	r := gangThatNeverFits(t, "Hard")
	for _, state := range []string{"Failing", "Failed"} {
		if entered := r.state("gang", state); !strings.HasPrefix(entered.Message, "ResourceReservationTimeout: ") {
			t.Errorf("why? %v", entered)
		}
	}
}

// rivals are two queues, of which the poor one has a right to what the rich one took.
const rivals = `
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: rich
          - name: poor
            resources: { guaranteed: { vcore: 3 } }
            properties: { preemption.delay: 1ms }
`

// rivals submits an application to each.
func (r *rm) rivals() {
	r.t.Helper()
	for _, name := range []string{"rich", "poor"} {
		r.application(name, func(a *public.AddApplicationRequest) { a.QueueName = "root." + name })
	}
}

func (r *rm) rich(key string) {
	r.t.Helper()
	r.ask("rich", key, func(a *public.Allocation) { a.PreemptionPolicy = &public.PreemptionPolicy{AllowPreemptSelf: true} })
}

func (r *rm) poor(key string) {
	r.t.Helper()
	r.ask("poor", key, func(a *public.Allocation) { a.PreemptionPolicy = &public.PreemptionPolicy{AllowPreemptOther: true} })
}

// ended lets the next victim end.
func (r *rm) ended() {
	r.t.Helper()
	victim := session.Take(r.allocations, "a victim", released, func(a *public.AllocationRelease) bool {
		return a.TerminationType == public.TerminationType_PREEMPTED_BY_SCHEDULER
	})
	if victim.ApplicationID != "rich" {
		r.t.Errorf("preempted is %v", victim)
	}
	r.release("rich", victim.AllocationKey, public.TerminationType_PREEMPTED_BY_SCHEDULER)
}

func TestAVictimMakesRoom(t *testing.T) {
	r := start(t, rivals)
	r.node("node", 2000)
	r.rivals()
	for _, key := range []string{"rich-1", "rich-2"} {
		r.rich(key)
		r.runs(key)
	}
	r.poor("poor-1")
	r.ended()
	r.runs("poor-1")
}
