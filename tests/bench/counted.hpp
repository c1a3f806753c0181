// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Counted stretches: the parts of a benchmark case whose instructions, cache misses and bytes tests/cost compares with
// its baseline. Outside valgrind they cost a few instructions and say nothing.
#pragma once

#include "report.hpp"

namespace tenon::bench {

// Whether callgrind runs this program. A case then makes its counted stretches alone, a fixed number of turns each,
// because nothing may depend on time.
[[nodiscard]] bool counting();

// From its construction to done(), callgrind counts what the program does. Stretches do not overlap.
//
//   counted intake("intake");
//   c.ask(s.asks, need, "ask-0000");
//   intake.done(out, s.asks);
class counted {
 public:
  explicit counted(const char *name);
  // Writes the counts into a file of callgrind's, under the stretch's name. `units` is the number of things that were
  // done, by which they are divided. Figures "count/NAME/units" and "count/NAME/heap_bytes" go to `out`, the
  // latter with what the stretch added to the heap; nothing where counting() is false.
  void done(figures &out, double units);

 private:
  const char *name_;
  double heap_before_ = 0;
};

}  // namespace tenon::bench
