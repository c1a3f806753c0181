// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"tenon.invalid/kubernetes/internal/filters"
)

// mostHints is how many kinds of refused pods of one namespace the plugins are asked about after one change: a question about
// affinity takes 6 µs, and thousands of pods of which each is of its own kind would take all time. If a namespace has more, each change
// asks about others of them, and what no change wakes is looked at again with its condition (Options.Repeat).
const mostHints = 64

// The plugins parse the selectors of a pod at each question, so whoever makes pods chooses how long the questions take. If the questions
// about one namespace after one change take more than longHints, the bridge asks none about the namespace for 50 times as long. Then it
// looks at the pods of the namespace.
const (
	longHints   = 20 * time.Millisecond // a busy machine answers slowly, too
	longestRest = 10 * time.Second
)

// refusals are the pods that were refused a node, which the scheduler remembers. After each change of the cluster the plugins are
// asked whether it may help them. They say the same of pods that are alike and were refused by the same plugins, so one of those is
// asked about.
type refusals struct {
	pods   map[types.UID]*pod
	groups map[string]refusedKinds // by namespace
	rests  map[string]time.Time    // until when the plugins are asked nothing about a namespace
	missed turns[*pod]             // pods to look at after such a rest, by namespace
}

// refusedKinds are pods by their refusalKey.
type refusedKinds map[string]map[types.UID]*pod

func newRefusals() refusals {
	return refusals{map[types.UID]*pod{}, map[string]refusedKinds{}, map[string]time.Time{}, turns[*pod]{}}
}

// put takes a pod in, or takes it in anew if other plugins refused it or its object is another by now.
func (r *refusals) put(p *pod) {
	key := refusalKey(p)
	if r.pods[p.object.UID] == p && p.refusal == key {
		return
	}
	alike, of := p.alike, p.alikeOf
	r.drop(p)
	p.refusal, p.alike, p.alikeOf, r.pods[p.object.UID] = key, alike, of, p
	kinds := r.groups[p.object.Namespace]
	if kinds == nil {
		kinds = refusedKinds{}
		r.groups[p.object.Namespace] = kinds
	}
	if kinds[key] == nil {
		kinds[key] = map[types.UID]*pod{}
	}
	kinds[key][p.object.UID] = p
}

func (r *refusals) has(p *pod) bool { return r.pods[p.object.UID] == p }

func (r *refusals) drop(p *pod) {
	if !r.has(p) {
		return
	}
	delete(r.pods, p.object.UID)
	kinds := r.groups[p.object.Namespace]
	delete(kinds[p.refusal], p.object.UID)
	if len(kinds[p.refusal]) == 0 {
		delete(kinds, p.refusal)
	}
	if len(kinds) == 0 {
		delete(r.groups, p.object.Namespace)
	}
	p.refusal, p.alike, p.alikeOf = "", "", nil // else it would keep its old object for as long as it runs
}

// helped returns the pods of which mayHelp is true. It asks about one of those that are alike.
func (r *refusals) helped(mayHelp func(*pod) bool) []*pod {
	var all []*pod
	for namespace, kinds := range r.groups {
		begun, asked := time.Now(), 0
		if _, rests := r.rests[namespace]; rests {
			continue
		}
		for _, group := range kinds { // in another order each time
			if took := time.Since(begun); took > longHints {
				r.rests[namespace] = time.Now().Add(min(share*took, longestRest))
				break
			}
			if asked++; asked > mostHints {
				break
			}
			for _, one := range group {
				if mayHelp(one) {
					all = slices.AppendSeq(all, maps.Values(group))
				}
				break
			}
		}
	}
	return all
}

// rested puts the refused pods of each namespace whose rest is over in line for lookAgain.
func (r *refusals) rested(now time.Time) {
	for namespace, until := range r.rests {
		if now.Before(until) || len(r.missed.of[namespace]) > 0 { // those of an earlier rest are still looked at
			continue
		}
		delete(r.rests, namespace)
		for _, group := range r.groups[namespace] {
			for _, p := range group {
				r.missed.put(namespace, p)
			}
		}
	}
}

// lookAgain looks at all nodes for pods in line, and wakes the pods that some node may take. It takes 50 ms and one look at the most.
func (b *Bridge) lookAgain(now time.Time) {
	b.refusals.rested(now)
	alike := map[string][]string{}
	for begun := time.Now(); time.Since(begun) < thinking; {
		_, p, some := b.refusals.missed.take(nil)
		if !some {
			return
		}
		if b.refusals.has(p) && !b.rests(p) && len(ofAlike(b, p, alike, b.keptBy)) == 0 {
			b.wake(p)
		}
	}
}

// of returns the pods that plugins refused of which this is true.
func (r *refusals) of(refusedBy func(*pod) bool) []*pod {
	var all []*pod
	for _, p := range r.pods {
		if refusedBy(p) {
			all = append(all, p)
		}
	}
	return all
}

// refusalKey is the same for pods that are alike and were refused by the same plugins.
func refusalKey(p *pod) string {
	if p.alikeOf != p.object {
		p.alike, p.alikeOf = alikeHash(p.object), p.object
	}
	plugins := slices.Clone(p.refusedBy)
	slices.Sort(plugins)
	return p.alike + strings.Join(plugins, " ")
}

func alikeHash(pod *v1.Pod) string {
	text := filters.Alike(pod)
	if text == "" {
		return string(pod.UID)
	}
	sum := sha256.Sum256([]byte(text))
	return string(sum[:16])
}
