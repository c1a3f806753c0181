// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package filters

import (
	"crypto/sha256"
	"maps"
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Before the plugins look at a node, those of spreading and affinity count pods on all nodes. The counts of an attempt are therefore
// kept for other attempts of pods that are alike, until a node or a pod changes that may have been counted.

// mostKept is how many kinds of pods have counts. With a topology of hosts, the counts of one kind have an entry for each node.
const mostKept = 32

// kept holds the counts for pods that are alike.
type kept struct {
	attempt Attempt
	others  []fwk.AffinityTerm // the pods near which these may run, or may not
	spread  []labels.Selector  // the pods from which these are spread
}

// likeness is a key that is the same for pods for which the counts are the same. It is nil if counting costs little, and if the plugins
// would find more than counts: volumes and devices of the pod.
func (f *Filters) likeness(pod *v1.Pod) *[sha256.Size]byte {
	if !counts(pod) && len(f.cluster.apart) == 0 || f.Claims(pod) || slices.ContainsFunc(pod.Spec.Volumes, func(one v1.Volume) bool { return !harmless(one) }) {
		return nil
	}
	text := Alike(pod)
	if text == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	return &sum
}

// counts returns true if the plugins count other pods for this pod.
func counts(pod *v1.Pod) bool {
	affinity := pod.Spec.Affinity
	return len(pod.Spec.TopologySpreadConstraints) > 0 || affinity != nil && (affinity.PodAffinity != nil || affinity.PodAntiAffinity != nil)
}

// keep stores the counts of an attempt for later attempts of pods that are alike.
func (f *Filters) keep(key [sha256.Size]byte, a *Attempt) {
	info, err := framework.NewPodInfo(a.pod)
	if err != nil || a.nowhere != nil {
		return
	}
	k := &kept{others: slices.Concat(info.GetRequiredAffinityTerms(), info.GetRequiredAntiAffinityTerms())}
	for _, constraint := range a.pod.Spec.TopologySpreadConstraints {
		selector, err := metav1.LabelSelectorAsSelector(constraint.LabelSelector)
		if err != nil {
			return
		}
		k.spread = append(k.spread, selector)
	}
	if len(f.kept) >= mostKept {
		for other := range f.kept { // any
			delete(f.kept, other)
			break
		}
	}
	k.attempt = Attempt{filters: f, by: a.by, pod: a.pod, state: a.state, only: a.only, onlyBy: a.onlyBy}
	f.kept[key] = k
}

// of begins an attempt with these counts. The pod must be like the one for which the plugins counted.
func (k *kept) of(pod *v1.Pod) *Attempt {
	shared := &k.attempt
	return &Attempt{filters: shared.filters, by: shared.by, pod: pod, state: shared.state, only: shared.only, onlyBy: shared.onlyBy, stop: make(chan struct{})}
}

// sees returns true if the counts may include a pod on a node. Apart has the terms by which that pod keeps others away.
func (k *kept) sees(pod *v1.Pod, apart []fwk.AffinityTerm) bool {
	its := labels.Set(pod.Labels)
	if pod.Namespace == k.attempt.pod.Namespace && slices.ContainsFunc(k.spread, func(one labels.Selector) bool { return one.Matches(its) }) {
		return true
	}
	return matchAny(k.others, its) || matchAny(apart, labels.Set(k.attempt.pod.Labels))
}

// matchAny returns true if one of the terms selects these labels. It ignores the namespaces of the terms.
func matchAny(terms []fwk.AffinityTerm, set labels.Set) bool {
	return slices.ContainsFunc(terms, func(one fwk.AffinityTerm) bool { return one.Selector.Matches(set) })
}

// moved drops the counts that may include a pod that came to a node or left it.
func (f *Filters) moved(pod *v1.Pod) {
	if len(f.kept) == 0 {
		return
	}
	var apart []fwk.AffinityTerm
	if affinity := pod.Spec.Affinity; affinity != nil && affinity.PodAntiAffinity != nil {
		if info, err := framework.NewPodInfo(pod); err == nil {
			apart = info.GetRequiredAntiAffinityTerms()
		}
	}
	maps.DeleteFunc(f.kept, func(_ [sha256.Size]byte, one *kept) bool { return one.sees(pod, apart) })
}

// NamespacesChanged says that a namespace has other labels, or is new: terms of affinity may name it by them.
func (f *Filters) NamespacesChanged() { clear(f.kept) }

// sameForCounts returns true if a change of a pod changes no counts.
func sameForCounts(old, now *v1.Pod) bool {
	return (old.DeletionTimestamp == nil) == (now.DeletionTimestamp == nil) && maps.Equal(old.Labels, now.Labels) &&
		reflect.DeepEqual(old.Spec.Affinity, now.Spec.Affinity)
}

// sameForPods returns true if a change of a node changes no counts of its pods.
func sameForPods(old, now *v1.Node) bool {
	return maps.Equal(old.Labels, now.Labels) && slices.Equal(old.Spec.Taints, now.Spec.Taints)
}
