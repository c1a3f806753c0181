// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

// Package fakeapi is an API server for tests: client-go's fakes of the groups that the bridge uses, over one tracker of
// objects. client-go's whole fake clientset is the same with all groups, and takes many times as long to build.
package fakeapi

import (
	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
	discoveryfake "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	authorizationv1 "k8s.io/client-go/kubernetes/typed/authorization/v1"
	authorizationfake "k8s.io/client-go/kubernetes/typed/authorization/v1/fake"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	corefake "k8s.io/client-go/kubernetes/typed/core/v1/fake"
	eventsv1 "k8s.io/client-go/kubernetes/typed/events/v1"
	eventsfake "k8s.io/client-go/kubernetes/typed/events/v1/fake"
	policyv1 "k8s.io/client-go/kubernetes/typed/policy/v1"
	policyfake "k8s.io/client-go/kubernetes/typed/policy/v1/fake"
	resourcev1 "k8s.io/client-go/kubernetes/typed/resource/v1"
	resourcefake "k8s.io/client-go/kubernetes/typed/resource/v1/fake"
	schedulingv1 "k8s.io/client-go/kubernetes/typed/scheduling/v1"
	schedulingfake "k8s.io/client-go/kubernetes/typed/scheduling/v1/fake"
	schedulingv1beta1 "k8s.io/client-go/kubernetes/typed/scheduling/v1beta1"
	schedulingv1beta1fake "k8s.io/client-go/kubernetes/typed/scheduling/v1beta1/fake"
	storagev1 "k8s.io/client-go/kubernetes/typed/storage/v1"
	storagefake "k8s.io/client-go/kubernetes/typed/storage/v1/fake"
	"k8s.io/client-go/testing"
)

var (
	groups     = scheduling.SchemeGroupVersion.WithResource("podgroups")
	taintRules = resource.SchemeGroupVersion.WithResource("devicetaintrules")
)

// Version is what the server says of itself.
const Version = "v1.37.0-fake"

// Clientset is one whose reactors tests may add to. Watches are to be added: what a watch gives is the test's matter.
type Clientset struct {
	kubernetes.Interface // nil: groups that are not below are not there
	testing.Fake
	Tracker testing.ObjectTracker

	discovered testing.Fake
}

// New gives one with these objects.
func New(objects ...runtime.Object) (*Clientset, error) {
	c := &Clientset{Tracker: testing.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())}
	for _, object := range objects {
		if err := c.Tracker.Add(object); err != nil {
			return nil, err
		}
	}
	c.AddReactor("*", "*", testing.ObjectReaction(c.Tracker))
	for _, one := range []schema.GroupVersionResource{groups, taintRules} {
		c.discovered.Resources = append(c.discovered.Resources, &metav1.APIResourceList{
			GroupVersion: one.GroupVersion().String(), APIResources: []metav1.APIResource{{Name: one.Resource}},
		})
	}
	return c, nil
}

// CoreV1 and those below are the groups that there are.
func (c *Clientset) CoreV1() corev1.CoreV1Interface { return &corefake.FakeCoreV1{Fake: &c.Fake} }

// EventsV1 has events.
func (c *Clientset) EventsV1() eventsv1.EventsV1Interface {
	return &eventsfake.FakeEventsV1{Fake: &c.Fake}
}

// SchedulingV1 has priority classes.
func (c *Clientset) SchedulingV1() schedulingv1.SchedulingV1Interface {
	return &schedulingfake.FakeSchedulingV1{Fake: &c.Fake}
}

// SchedulingV1beta1 has groups of pods.
func (c *Clientset) SchedulingV1beta1() schedulingv1beta1.SchedulingV1beta1Interface {
	return &schedulingv1beta1fake.FakeSchedulingV1beta1{Fake: &c.Fake}
}

// StorageV1 has storage classes, and what drivers of volumes say.
func (c *Clientset) StorageV1() storagev1.StorageV1Interface {
	return &storagefake.FakeStorageV1{Fake: &c.Fake}
}

// PolicyV1 has evictions, which a test's reactor has to carry out.
func (c *Clientset) PolicyV1() policyv1.PolicyV1Interface {
	return &policyfake.FakePolicyV1{Fake: &c.Fake}
}

// ResourceV1 has devices and claims to them.
func (c *Clientset) ResourceV1() resourcev1.ResourceV1Interface {
	return &resourcefake.FakeResourceV1{Fake: &c.Fake}
}

// AuthorizationV1 has reviews of rights, which a test's reactor has to answer.
func (c *Clientset) AuthorizationV1() authorizationv1.AuthorizationV1Interface {
	return &authorizationfake.FakeAuthorizationV1{Fake: &c.Fake}
}

// Discovery tells Version, and that there are groups of pods and rules that taint devices.
func (c *Clientset) Discovery() discovery.DiscoveryInterfaces {
	return &discoveryfake.FakeDiscovery{Fake: &c.discovered, FakedServerVersion: &version.Info{GitVersion: Version}}
}

// IsWatchListSemanticsUnSupported tells reflectors to list before they watch.
func (c *Clientset) IsWatchListSemanticsUnSupported() bool { return true }
