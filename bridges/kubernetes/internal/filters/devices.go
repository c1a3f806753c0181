// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package filters

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/resource"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/util"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// devices are the caches that the plugin DynamicResources reads. Each follows an informer, and calls its handlers only once it
// has itself what they hear of.
type devices struct {
	claims  *assumecache.AssumeCache
	slices  *tracker.Tracker
	classes *extendedresourcecache.ExtendedResourceCache
	manager fwk.SharedDRAManager
}

func newDevices(ctx context.Context, log klog.Logger, factory informers.SharedInformerFactory, o Options) (*devices, error) {
	resources := factory.Resource().V1()
	d := &devices{claims: assumecache.NewAssumeCache(log, resources.ResourceClaims().Informer(), "ResourceClaim", "", nil)}
	tracking := tracker.Options{SliceInformer: resources.ResourceSlices(), KubeClient: o.Client, EnableConsumableCapacity: true}
	if o.TaintRules {
		tracking.EnableDeviceTaintRules, tracking.TaintInformer = true, resources.DeviceTaintRules()
	}
	var err error
	if d.slices, err = tracker.StartTracker(ctx, tracking); err != nil {
		return nil, err
	}
	d.manager = dynamicresources.NewDRAManager(ctx, d.claims, d.slices, factory)
	classes, ok := d.manager.DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache)
	if !ok || classes == nil {
		return nil, fmt.Errorf("the plugin %s does not look at extended resources", dynamicresources.Name)
	}
	d.classes = classes
	return d, nil
}

// HandleDevices has a handler of claims, slices and classes of devices called behind the caches that the plugins read, so that
// a pod that is looked at again because of what the handler hears is looked at with that.
func (f *Filters) HandleDevices(handlerOf func(fwk.EventResource) cache.ResourceEventHandler) ([]cache.InformerSynced, error) {
	if f.devices == nil {
		return nil, nil
	}
	claims := f.devices.claims.AddEventHandler(handlerOf(fwk.ResourceClaim))
	slices, err := f.devices.slices.AddEventHandler(handlerOf(fwk.ResourceSlice))
	if err != nil {
		return nil, err
	}
	f.devices.classes.AddEventHandler(handlerOf(fwk.DeviceClass))
	classes, err := f.factory.Resource().V1().DeviceClasses().Informer().AddEventHandler(f.devices.classes)
	if err != nil {
		return nil, err
	}
	return []cache.InformerSynced{claims.HasSynced, slices.HasSynced, classes.HasSynced}, nil
}

// ByClass is true of a kind of resources that a class of devices provides. A pod that wants some gets a claim of its own, and
// the devices of nodes are no amounts of theirs.
func (f *Filters) ByClass(kind string) bool {
	return f.devices != nil && util.IsDRAExtendedResourceName(v1.ResourceName(kind)) && f.devices.classes.GetDeviceClass(v1.ResourceName(kind)) != nil
}

// Claims is true of a pod that has claims of devices, or gets one.
func (f *Filters) Claims(pod *v1.Pod) bool {
	if f.devices == nil {
		return false
	}
	if len(pod.Spec.ResourceClaims) > 0 {
		return true
	}
	for kind, amount := range resource.PodRequests(pod, resource.PodResourcesOptions{}) {
		if !amount.IsZero() && f.ByClass(string(kind)) {
			return true
		}
	}
	return false
}

// NotYet is true of a pod whose claims of devices are not all there. No node is looked for before that.
func (f *Filters) NotYet(ctx context.Context, pod *v1.Pod) bool {
	return f.devices != nil && slices.ContainsFunc(f.framework.PreEnqueuePlugins(), func(plugin fwk.PreEnqueuePlugin) bool {
		return !plugin.PreEnqueue(ctx, pod).IsSuccess()
	})
}

// Reserves is true where one of these plugins keeps volumes or devices for pods that are on their way to a node. No event says
// that they are given back without having been written.
func Reserves(plugins []string) bool {
	return slices.ContainsFunc(plugins, func(plugin string) bool { return slices.Contains(reserving, plugin) })
}
