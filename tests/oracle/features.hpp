// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Features: parts of docs/decisions.md that a scheduler may lack. The oracle has all of them, and leaves out
// what the kernel does not have yet where the two are compared.
#pragma once

namespace tenon::naive {

struct features {
  bool gangs = true;         // replacement, placeholder timeouts, placeholder data
  bool reservations = true;  // reservations, and required-node asks that make them
  bool preemption = true;    // all of it but the one for a lowered max; needs reservations
  bool quotas = true;        // preemption for a lowered max
  bool inspection = true;    // the inspect command
};

// What the kernel has by now: whoever teaches it one of these changes this line, and the rules and the
// simulator compare it from then on.
inline constexpr features kernel_has{
    .gangs = true, .reservations = true, .preemption = true, .quotas = true, .inspection = true};

}  // namespace tenon::naive
