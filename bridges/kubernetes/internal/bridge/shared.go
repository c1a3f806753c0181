// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"crypto/sha256"
	"maps"
	"sync"

	v1 "k8s.io/api/core/v1"
)

// mostShared is how many parts a generation of them has.
const mostShared = 2048

// sharing lets pods that are alike have one spec together. Those of one workload differ in little but their names and nodes, and
// informers keep each of them. Parts that no pod had for two generations are forgotten here; pods keep what they have. It is
// safe for concurrent use.
type sharing struct {
	lock     sync.Mutex
	now, old map[[sha256.Size]byte]*sharedParts
}

// sharedParts are those of the last pod with a spec.
type sharedParts struct {
	spec                    v1.PodSpec // without the node
	namespace, generateName string
	labels                  map[string]string
	phase                   v1.PodPhase
}

// transform does what lean does, and shares what is left of pods.
func (s *sharing) transform(object any) (any, error) {
	object, err := lean(object)
	if pod, ok := object.(*v1.Pod); ok && err == nil {
		s.share(pod)
	}
	return object, err
}

// share gives a pod the parts that another one has already. Nobody writes into the pods of informers, as ever.
func (s *sharing) share(pod *v1.Pod) {
	spec := pod.Spec
	spec.NodeName = ""
	text, err := spec.Marshal()
	if err != nil {
		return
	}
	key := sha256.Sum256(text)
	s.lock.Lock()
	defer s.lock.Unlock()
	parts := s.now[key]
	if parts == nil {
		if parts = s.old[key]; parts == nil {
			parts = &sharedParts{spec: spec}
		}
		if s.now == nil || len(s.now) >= mostShared {
			s.now, s.old = map[[sha256.Size]byte]*sharedParts{}, s.now
		}
		s.now[key] = parts
	}
	node := pod.Spec.NodeName
	pod.Spec = parts.spec
	pod.Spec.NodeName = node
	parts.namespace = sameText(&pod.Namespace, parts.namespace)
	parts.generateName = sameText(&pod.GenerateName, parts.generateName)
	parts.phase = sameText(&pod.Status.Phase, parts.phase)
	parts.labels = sameMap(&pod.Labels, parts.labels)
}

// sameText replaces a text by an equal one that others have, and returns what is there then.
func sameText[T ~string](text *T, others T) T {
	if *text == others {
		*text = others
	}
	return *text
}

// sameMap does so with a map, or else with the equal texts in it.
func sameMap(texts *map[string]string, others map[string]string) map[string]string {
	if maps.Equal(*texts, others) {
		*texts = others
		return others
	}
	mine := make(map[string]string, len(*texts))
	for name := range others { // the names of the others stay
		if value, has := (*texts)[name]; has {
			mine[name] = sameText(&value, others[name])
		}
	}
	for name, value := range *texts {
		if _, has := mine[name]; !has {
			mine[name] = value
		}
	}
	*texts = mine
	return mine
}
