// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What comes of modules at work, where that is not what should: no call of theirs is a fault (docs/trust.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::observe {

struct outcome_finding {
  enum class kind : uint8_t {
    refuses_all,     // a predicate lets nothing pass
    never_eligible,  // an order lets nothing of a queue go
    unplaced,        // the first ask of an application could be placed, and nothing of its queue is
    below_guarantee  // of a queue that has less than its guarantee an ask could be placed
  } what = kind::refuses_all;
  std::string object;  // refuses_all: the module's id; else the queue's path
  std::string text;    // what follows the object in a sentence, with numbers
  std::string over;    // the same when it is over
  // never_eligible: whose order it is.
  std::string partition = {}, order = {};
  bool of_queues = false;  // it orders queues; else applications
};

// By outcome_finding::kind.
inline constexpr std::array<std::string_view, 4> outcome_finding_names{"refuses_all", "never_eligible", "unplaced",
                                                                       "below_guarantee"};
[[nodiscard]] inline std::string_view name(outcome_finding::kind what) {
  return outcome_finding_names[static_cast<size_t>(what)];
}

}  // namespace tenon::observe
