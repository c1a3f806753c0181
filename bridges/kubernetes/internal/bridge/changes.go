// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	scheduling "k8s.io/api/scheduling/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// namespaceChanged wakes pods whose affinity to other pods chooses namespaces by labels. The plugin has no hint for that.
func (b *Bridge) namespaceChanged(old, now *v1.Namespace) {
	if old != nil && maps.Equal(old.Labels, now.Labels) {
		return
	}
	for _, p := range sorted(b.refusals) {
		if slices.Contains(p.refusedBy, names.InterPodAffinity) {
			b.wake(p)
		}
	}
}

// classChanged asks again for the waiting pods of a priority class that wants them to be victims now, or no victims.
func (b *Bridge) classChanged(_, now *scheduling.PriorityClass) {
	for _, p := range b.pods {
		if p.mine && p.object.Spec.PriorityClassName == now.Name && p.guarded != b.protected(p.object) {
			p.outdated = true
			b.askAnew(p)
		}
	}
}
