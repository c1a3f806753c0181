// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package tenon

import (
	"fmt"
	"strings"
	"testing"

	si "tenon.invalid/proto/tenon/si/v1later"
)

// tagged is an ask with so many tags, whose values have so many bytes each.
func tagged(tags, bytes int) *si.Allocation {
	one := &si.Allocation{AllocationTags: map[string]string{}}
	for i := range tags {
		one.AllocationTags[fmt.Sprint(i)] = strings.Repeat("x", bytes)
	}
	return one
}

func TestRefusal_NamesTheBound(t *testing.T) {
	for want, one := range map[string]*si.Allocation{
		"":                                tagged(7, 65_000),
		"bytes in one message to":         tagged(9, 65_000),
		"a text of 65537 bytes":           tagged(1, 65_537),
		"4097 entries in a list":          tagged(4097, 1),
		"with bytes that are no text":     {AllocationKey: "\xff"},
		"a name of 70000 bytes for":       {ResourcePerAlloc: &si.Resource{Resources: map[string]*si.Quantity{strings.Repeat("x", 70_000): {Value: 1}}}},
		"a kind of resources without":     {ResourcePerAlloc: &si.Resource{Resources: map[string]*si.Quantity{"": {Value: 1}}}},
		"with control characters":         {ApplicationID: "a\nb"},
		"4098 entries in a list for the ": {ResourcePerAlloc: &si.Resource{Resources: kinds(4098)}},
	} {
		if err := Refusal(one); (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, have %v", want, err)
		}
	}
}

func kinds(count int) map[string]*si.Quantity {
	all := map[string]*si.Quantity{}
	for i := range count {
		all[fmt.Sprint(i)] = &si.Quantity{Value: 1}
	}
	return all
}
