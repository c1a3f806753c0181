// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0

package bridge

// turns is a line of things that have owners. The owners take turns, so an owner of thousands of things delays the others by one
// thing.
type turns[T any] struct {
	of    map[string][]T
	order []string // the owners with something in line
	count int
}

func (t *turns[T]) put(whose string, one T) {
	if t.of == nil {
		t.of = map[string][]T{}
	}
	if len(t.of[whose]) == 0 {
		t.order = append(t.order, whose)
	}
	t.of[whose] = append(t.of[whose], one)
	t.count++
}

// take returns the next thing and its owner. It passes over owners for which may returns false. It returns false if no other owner has
// something in line. A nil function stands for one that is always true.
func (t *turns[T]) take(may func(string) bool) (whose string, next T, some bool) {
	for i, each := range t.order {
		if may != nil && !may(each) {
			continue
		}
		t.order = append(t.order[:i], t.order[i+1:]...)
		line := t.of[each]
		next, line = line[0], line[1:]
		if len(line) > 0 {
			t.of[each] = line
			t.order = append(t.order, each)
		} else {
			delete(t.of, each)
		}
		t.count--
		return each, next, true
	}
	return "", next, false
}
