// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	fwk "k8s.io/kube-scheduler/framework"
)

// Devices are the matter of the API server's objects alone: of claims, which the plugin DynamicResources allocates. The scheduler
// hears neither of devices nor of resources that a class of devices provides.

// claimless are pods whose claims are not all there, by NAMESPACE/NAME of each claim that they name. The claim of a template has no
// name before the pod's status names it, and then the pod is looked at because it changed.
type claimless map[string]map[types.UID]*pod

func (c claimless) put(p *pod) {
	c.drop(p)
	for i := range p.object.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(p.object, &p.object.Spec.ResourceClaims[i])
		if err != nil || name == nil {
			continue
		}
		key := p.object.Namespace + "/" + *name
		if c[key] == nil {
			c[key] = map[types.UID]*pod{}
		}
		c[key][p.object.UID] = p
		p.claims = append(p.claims, key)
	}
}

func (c claimless) drop(p *pod) {
	for _, key := range p.claims {
		if delete(c[key], p.object.UID); len(c[key]) == 0 {
			delete(c, key)
		}
	}
	p.claims = nil
}

// of are the pods that name a claim, the oldest first.
func (c claimless) of(claim *resourcev1.ResourceClaim) []*pod {
	return sorted(c[claim.Namespace+"/"+claim.Name])
}

// devicesChanged looks again at pods that are not asked for, or asked for as others than they are by now: claims that they wait
// for may be there, and a class may provide another kind of resources.
func (b *Bridge) devicesChanged(kind fwk.EventResource, old, now any) {
	switch kind {
	case fwk.ResourceClaim:
		if claim, ok := now.(*resourcev1.ResourceClaim); ok {
			for _, p := range b.claimless.of(claim) {
				b.claimsCame(p)
			}
		} else if claim, ok := old.(*resourcev1.ResourceClaim); ok {
			b.claimGone(claim)
		}
	case fwk.DeviceClass:
		if before, ok := old.(*resourcev1.DeviceClass); ok {
			if after, ok := now.(*resourcev1.DeviceClass); ok && sameKind(before, after) {
				return
			}
		}
		b.classesChanged()
	}
}

func sameKind(a, b *resourcev1.DeviceClass) bool {
	if a.Spec.ExtendedResourceName == nil || b.Spec.ExtendedResourceName == nil {
		return a.Spec.ExtendedResourceName == b.Spec.ExtendedResourceName
	}
	return *a.Spec.ExtendedResourceName == *b.Spec.ExtendedResourceName
}

// claimsCame asks for a pod that waited for its claims, if they are there.
func (b *Bridge) claimsCame(p *pod) {
	if !b.filters.NotYet(b.context, p.object) {
		b.claimless.drop(p)
		b.reconcile(p)
	}
}

// claimGone wakes the pod to which a claim belonged: it may have been in the way of another one. The plugin has no queueing hint
// for that.
func (b *Bridge) claimGone(claim *resourcev1.ResourceClaim) {
	if owner := metav1.GetControllerOfNoCopy(claim); owner != nil {
		if p := b.refusals.pods[owner.UID]; p != nil {
			b.wake(p)
		}
	}
}

// classesChanged reports what runs and asks anew for what waits, if it wants a kind of resources that a class may provide. Classes
// change rarely. As in kindsCame, what runs comes first.
func (b *Bridge) classesChanged() {
	b.reportUncommon()
	for _, n := range b.nodes {
		b.touch(n)
	}
	for _, p := range sorted(b.pods) {
		if !p.mine || !p.wanted() || !hasUncommon(p.amounts) {
			continue
		}
		delete(b.unheard, p.object.UID)
		p.outdated = true
		b.askAnew(p)
		b.reconcile(p)
	}
	b.sayGangsAnew()
}
