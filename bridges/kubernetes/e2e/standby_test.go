// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"

	"tenon.invalid/kubernetes/internal/bridge"
)

// reads counts what bridges listed and watched.
func (s *apiServer) reads() int {
	count := 0
	for _, action := range s.Actions() {
		if verb := action.GetVerb(); verb == "list" || verb == "watch" {
			count++
		}
	}
	return count
}

func TestAStandby_ReadsAlong_AndGoesOnWithoutReadingAgain(t *testing.T) {
	s, d := newAPIServer(t), serve(t)
	s.node("one", 4)
	first := bridged(t, s, d)
	s.pod("before")
	s.on([]string{"one"}, "before")
	lead := make(chan struct{})
	standby := bridged(t, s, serve(t), func(options *bridge.Options) { options.Lead = lead })
	s.pod("beside")
	s.on([]string{"one"}, "beside")
	first.stop()
	s.deletePod("before")
	s.node("two", 1, labelled("disk", "ssd"))
	s.pod("after", selector("disk", "ssd"))
	if standby.log.count("the scheduler knows everything") > 0 {
		t.Error("it works, and another one leads")
	}
	s.stillWait("after")
	read := s.reads()
	close(lead)
	s.on([]string{"two"}, "after")
	for _, name := range []string{"p1", "p2", "p3"} { // with what runs they fill the node
		s.pod(name, selector("kubernetes.io/hostname", "one"))
	}
	s.on([]string{"one"}, "p1", "p2", "p3")
	s.noneOver()
	if now := s.reads(); now != read {
		t.Errorf("it read %d times more after it began to lead", now-read)
	}
}
