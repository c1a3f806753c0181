// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package filters

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// cluster is what the plugins see: nodes, and the pods that take room there. A node without object is none yet.
type cluster struct {
	nodes map[string]*framework.NodeInfo
	list  []fwk.NodeInfo // of those with an object; nil: to be made

	affine, apart, apartWidely map[string]fwk.NodeInfo // those with pods of such terms
}

func newCluster() *cluster {
	return &cluster{
		nodes: map[string]*framework.NodeInfo{}, affine: map[string]fwk.NodeInfo{}, apart: map[string]fwk.NodeInfo{},
		apartWidely: map[string]fwk.NodeInfo{},
	}
}

func (c *cluster) of(name string) *framework.NodeInfo {
	info := c.nodes[name]
	if info == nil {
		info = framework.NewNodeInfo()
		c.nodes[name] = info
	}
	return info
}

// index keeps the lists of nodes with pods that are choosy about others.
func (c *cluster) index(name string, info *framework.NodeInfo) {
	for _, each := range []struct {
		set  map[string]fwk.NodeInfo
		pods []fwk.PodInfo
	}{{c.affine, info.PodsWithAffinity}, {c.apart, info.PodsWithRequiredAntiAffinity}, {c.apartWidely, info.PodsWithRequiredNonHostScopedAntiAffinity}} {
		if len(each.pods) > 0 && info.Node() != nil {
			each.set[name] = info
		} else {
			delete(each.set, name)
		}
	}
	if len(info.Pods) == 0 && info.Node() == nil {
		delete(c.nodes, name)
	}
}

// Node says what a node is now.
func (f *Filters) Node(node *v1.Node) {
	info := f.cluster.of(node.Name)
	if info.Node() == nil {
		f.cluster.list = nil
	}
	if info.Node() == nil || !sameForPods(info.Node(), node) {
		clear(f.kept)
	}
	info.SetNode(node)
	f.cluster.index(node.Name, info)
}

// NodeGone says that there is none of this name.
func (f *Filters) NodeGone(name string) {
	if info := f.cluster.nodes[name]; info != nil {
		info.RemoveNode()
		f.cluster.list = nil
		clear(f.kept)
		f.cluster.index(name, info)
	}
}

// Pod says that a pod takes room on a node.
func (f *Filters) Pod(pod *v1.Pod, node string) {
	f.moved(pod)
	f.add(pod, node)
}

func (f *Filters) add(pod *v1.Pod, node string) {
	info := f.cluster.of(node)
	info.AddPod(pod)
	f.cluster.index(node, info)
}

// PodGone says that it does not any more.
func (f *Filters) PodGone(pod *v1.Pod, node string) {
	f.moved(pod)
	f.remove(pod, node)
}

// PodChanged says that a pod that takes room on a node is another by now.
func (f *Filters) PodChanged(old, now *v1.Pod, node string) {
	if !sameForCounts(old, now) {
		f.moved(old)
		f.moved(now)
	}
	f.remove(old, node)
	f.add(now, node)
}

func (f *Filters) remove(pod *v1.Pod, node string) {
	info := f.cluster.of(node)
	if err := info.RemovePod(f.log, pod); err != nil {
		panic(fmt.Sprintf("a pod leaves a node on which it is not: %v", err))
	}
	f.cluster.index(node, info)
}

// cluster is a fwk.SharedLister, and all that one lists.
func (c *cluster) NodeInfos() fwk.NodeInfoLister       { return c }
func (c *cluster) StorageInfos() fwk.StorageInfoLister { return c }

// Groups of pods are the scheduler's matter, and the plugins that would look at them are not enabled.
func (c *cluster) PodGroupStates() fwk.PodGroupStateLister                   { return nil }
func (c *cluster) PodGroups() fwk.PodGroupLister                             { return nil }
func (c *cluster) CompositePodGroupStates() fwk.CompositePodGroupStateLister { return nil }
func (c *cluster) CompositePodGroups() fwk.CompositePodGroupLister           { return nil }

func (c *cluster) List() ([]fwk.NodeInfo, error) {
	if c.list == nil {
		for _, info := range c.nodes {
			if info.Node() != nil {
				c.list = append(c.list, info)
			}
		}
	}
	return c.list, nil
}

func (c *cluster) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) { return values(c.affine), nil }

func (c *cluster) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return values(c.apart), nil
}

func (c *cluster) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	return values(c.apartWidely), nil
}

func (c *cluster) Get(name string) (fwk.NodeInfo, error) {
	if info := c.nodes[name]; info != nil && info.Node() != nil {
		return info, nil
	}
	return nil, fmt.Errorf("there is no node %q", name)
}

// IsPVCUsedByPods is asked of claims that one pod alone may use.
func (c *cluster) IsPVCUsedByPods(key string) bool {
	for _, info := range c.nodes {
		if info.GetPVCRefCounts()[key] > 0 {
			return true
		}
	}
	return false
}

func values(set map[string]fwk.NodeInfo) []fwk.NodeInfo { return slices.Collect(maps.Values(set)) }
