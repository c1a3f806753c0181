// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ordinary questions to every slot: the ground on which the other checks stand.
#include <array>

#include "asked_slot.hpp"
#include "configurations.hpp"

namespace tenon::conformance {
namespace {

void slots_answer(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const question &q : usual_questions(*one, 3, p.seed())) {
    const answer a = ask(*one, q);
    if (q.of == slot::resolve && a.status == TENON_RETRY) {
      const std::string outside = outside_of(p.manifest());
      if (!outside.empty()) probe::skip("it wants " + outside + a.why.text);
      probe::fail("resolve gives RETRY for seconds" + a.why.text);
    }
    if (!may_give(q.of, a.status))
      probe::fail(std::string(slot_name(q.of)) + " gave " + status_name(a.status) + " for an ordinary question");
  }
}

void answers_repeat(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const question &q : usual_questions(*one, 4, p.seed())) {
    manner other;
    other.prefill = 0x3C;
    const answer first = ask(*one, q);
    for (int i = 0; i < 20; ++i) {
      if (!(ask(*one, q, i % 2 == 0 ? manner{} : other) == first))
        probe::fail(std::string(slot_name(q.of)) +
                    " gives another answer to the same question (or leaves a part of its output unwritten)");
    }
  }
}

constexpr std::array slots_list{
    check{"slots-answer", "slots", about::asked, "instance-starts",
          "Each slot answers ordinary questions in time, with a status that it may give, and throws nothing.",
          slots_answer},
    check{"answers-repeat", "purity", about::asked, "slots-answer",
          "The same question gets the same answer, written whole, as often as it is asked.", answers_repeat},
};

}  // namespace

checks slot_checks() { return slots_list; }

}  // namespace tenon::conformance
