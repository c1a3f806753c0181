// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package tenon

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	si "tenon.invalid/proto/tenon/si/v1later"
)

// asks are so many of this size.
func asks(count, bytes int) []*si.Allocation {
	all := make([]*si.Allocation, count)
	for i := range all {
		all[i] = &si.Allocation{AllocationKey: "a", AllocationTags: map[string]string{"tag": strings.Repeat("x", bytes)}}
	}
	return all
}

func TestLink_SaysManyPartsInFewRequests_NoneOfThemTooLarge(t *testing.T) {
	for name, c := range map[string]struct {
		count, bytes int
		want         []int
	}{
		"nothing":               {0, 0, nil},
		"one":                   {1, 10, []int{1}},
		"many small ones":       {900, 10, []int{400, 400, 100}},
		"large ones":            {5, 900_000, []int{2, 2, 1}},
		"each as large as can":  {2, 3 << 20, []int{1, 1}},
		"as many as fit at all": {401, 5000, []int{400, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			link := newLink("kubernetes", nil)
			link.Allocations(asks(c.count, c.bytes))
			requests := link.allocations.Take()
			for i, request := range requests {
				if i < len(c.want) && len(request.Allocations) != c.want[i] {
					t.Errorf("request %d has %d, want %d", i, len(request.Allocations), c.want[i])
				}
				if size := proto.Size(request); size >= 4<<20 {
					t.Errorf("request %d has %d bytes", i, size)
				}
			}
			if len(requests) != len(c.want) {
				t.Errorf("%d requests, want %d", len(requests), len(c.want))
			}
		})
	}
}

func TestLink_SaysWhatBelongsTogetherInOneRequest(t *testing.T) {
	for name, c := range map[string]struct {
		count, bytes int
		want         []int
	}{
		"as many as other parts in one request": {400, 10, []int{400}},
		"more than those":                       {900, 10, []int{900}},
		"more than the scheduler applies":       {5000, 10, []int{4096, 904}},
		"large ones":                            {5, 900_000, []int{2, 2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			link := newLink("kubernetes", nil)
			link.Together(asks(c.count, c.bytes))
			var have []int
			for _, request := range link.allocations.Take() {
				have = append(have, len(request.Allocations))
			}
			if !slices.Equal(have, c.want) {
				t.Errorf("requests have %v, want %v", have, c.want)
			}
		})
	}
}
