// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	auditEvery = 30 * time.Second // what the bridge has is compared with what the API server shows
	auditAgain = 2 * beat         // what differs is compared once more, since news may have been on their way
)

// stores are what the informers hold.
type stores struct{ pods, nodes cache.Store }

// audits are the comparisons of the bridge and the scheduler with the API server. What differs twice is repaired by key.
type audits struct {
	next     time.Time
	suspects map[string]bool // what differed the last time
	kernel   kernelAudit
}

// difference is what one object should be and is not.
type difference struct {
	what, key string // e.g. pod, by UID
	repair    func()
}

// listing is called before each list and watch. A list after the first one means that a watch expired: what it missed is
// looked for as soon as the informers have the new list.
func (b *Bridge) listing(options *metav1.ListOptions) {
	if !options.AllowWatchBookmarks || options.SendInitialEvents != nil {
		b.after(auditAgain, func() { b.audits.next = time.Time{} })
	}
}

// audit compares when it is time.
func (b *Bridge) audit(now time.Time) {
	if b.stores.pods == nil || now.Before(b.audits.next) {
		return
	}
	b.Metrics.Audits.Inc()
	b.askKernel()
	b.repair(b.differences(), &b.audits.suspects)
	if b.audits.next = now.Add(auditEvery); len(b.audits.suspects) > 0 {
		b.audits.next = now.Add(auditAgain)
	}
}

// repair repairs what differed the last time as well, and keeps the rest for the next time.
func (b *Bridge) repair(found []difference, suspects *map[string]bool) {
	before := *suspects
	*suspects = map[string]bool{}
	for _, one := range found {
		if id := one.what + " " + one.key; !before[id] {
			(*suspects)[id] = true
			continue
		}
		b.Log.Warn("an audit found a difference and repairs it", "what", one.what, "key", one.key)
		b.Metrics.Repairs.WithLabelValues(one.what).Inc()
		one.repair()
	}
}

// differences are those between the bridge and the informers' stores. The bridge has the very objects that a store has.
func (b *Bridge) differences() []difference {
	var all []difference
	for _, one := range b.stores.pods.List() {
		object := one.(*v1.Pod)
		if p := b.pods[object.UID]; p == nil || p.object != object {
			all = append(all, difference{"pod", string(object.UID), func() { b.podChanged(object) }})
		}
	}
	for uid, p := range b.pods {
		if there, found := stored[v1.Pod](b.stores.pods, p.object); !b.DryRun && (!found || there.UID != uid) {
			all = append(all, difference{"pod", string(uid), func() {
				if b.pods[uid] == p {
					b.podEnded(p)
				}
			}})
		}
	}
	for _, one := range b.stores.nodes.List() {
		object := one.(*v1.Node)
		if n := b.nodes[object.Name]; n == nil || n.object != object {
			all = append(all, difference{"node", object.Name, func() { b.nodeChanged(object) }})
		}
	}
	for name, n := range b.nodes {
		if n.object == nil {
			continue
		}
		if _, found := stored[v1.Node](b.stores.nodes, n.object); !found {
			all = append(all, difference{"node", name, func() {
				if n.object != nil {
					b.nodeDeleted(n.object)
				}
			}})
		}
	}
	return all
}

// stored is what a store has under the name of an object.
func stored[T any](in cache.Store, object metav1.Object) (*T, bool) {
	key := object.GetName()
	if namespace := object.GetNamespace(); namespace != "" {
		key = namespace + "/" + key
	}
	one, found, err := in.GetByKey(key)
	if err != nil || !found {
		return nil, false
	}
	there, ok := one.(*T)
	return there, ok
}
