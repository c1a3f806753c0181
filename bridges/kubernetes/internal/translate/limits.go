// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package translate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	v1 "k8s.io/api/core/v1"
)

// What the scheduler takes of what people write, by default. One part beyond that would end the request with all others in
// it, and the stream.
const (
	longestName = 1024   // bytes: of an application, a queue, a user, a group
	longestText = 65_536 // bytes of another text
	mostEntries = 4096   // tags, kinds of resources, groups
)

// Wrong says why the scheduler cannot be told of a pod; nil: it can.
func Wrong(pod *v1.Pod) error {
	err := errors.Join(wrongName("the application", ApplicationID(pod)), wrongName("the queue", Queue(pod)), wrongName("the task group", GroupOf(pod)))
	amounts := OfPod(pod)
	if kinds := len(amounts); kinds > mostEntries {
		err = errors.Join(err, fmt.Errorf("%d kinds of resources, want at most %d", kinds, mostEntries))
	}
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		if amounts[name] == uncounted {
			err = errors.Join(err, fmt.Errorf("the pod wants more %s than can be counted", name))
		}
	}
	return err
}

func wrongName(what, name string) error {
	switch {
	case len(name) > longestName:
		return fmt.Errorf("%s has a name of %d bytes, want at most %d", what, len(name), longestName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		return fmt.Errorf("%s has a name with bytes that are no text", what)
	}
	return nil
}

// WrongNode says why the scheduler cannot be told of a node; nil: it can.
func WrongNode(node *v1.Node) error {
	const own = 16 // attributes that are no labels
	if labels := len(node.Labels); labels > mostEntries-own {
		return fmt.Errorf("%d labels, want at most %d", labels, mostEntries-own)
	}
	if kinds := len(node.Status.Allocatable); kinds > mostEntries {
		return fmt.Errorf("%d kinds of resources, want at most %d", kinds, mostEntries)
	}
	return nil
}
