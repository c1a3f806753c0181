// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Format 3 named a policy that was at fault by a sentence: what each part of it says.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tenon/kernel/commands.hpp"

namespace tenon::journal::version3 {

struct fault_beginning {
  policy_fault::kind what;
  std::string_view begin;
};
// One that begins like another comes before it.
inline constexpr std::array fault_beginnings{
    fault_beginning{policy_fault::kind::queue_order, "queue order "},
    fault_beginning{policy_fault::kind::application_order, "application order "},
    fault_beginning{policy_fault::kind::chosen_node_order, "node order of applications "},
    fault_beginning{policy_fault::kind::node_order, "node order "},
    fault_beginning{policy_fault::kind::predicate, "predicate "}};
inline constexpr std::string_view before_asks = " for asks like ", before_partition = " in ";

// A sentence that says something else is the name of nothing that could be at fault.
inline policy_fault fault_said(std::string_view sentence) {
  for (const auto &[what, begin] : fault_beginnings) {
    if (sentence.substr(0, begin.size()) != begin) continue;
    const size_t in = sentence.rfind(before_partition);
    if (in == std::string_view::npos || in < begin.size()) break;
    policy_fault out{what, sentence.substr(in + before_partition.size()), sentence.substr(0, in), {}};
    out.policy.remove_prefix(begin.size());
    if (what != policy_fault::kind::predicate) return out;
    const size_t asks = out.policy.find(before_asks);
    if (asks == std::string_view::npos) break;
    out.asks = out.policy.substr(asks + before_asks.size());
    out.policy = out.policy.substr(0, asks);
    return out;
  }
  return {policy_fault::kind::none, {}, sentence, {}};
}

// The same the other way round, for bytes of format 3.
inline std::string sentence_of(const policy_fault &fault) {
  for (const auto &[what, begin] : fault_beginnings) {
    if (fault.what != what) continue;
    std::string out(begin);
    out += fault.policy;
    if (what == policy_fault::kind::predicate) out.append(before_asks).append(fault.asks);
    return out.append(before_partition).append(fault.partition);
  }
  return std::string(fault.policy);
}

}  // namespace tenon::journal::version3
