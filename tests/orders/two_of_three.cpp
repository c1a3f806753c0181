// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Lets an ask have two of three nodes: which ones goes by the last character of the node's id, and by whether the ask's
// priority is even.
#include "tenon/sdk/predicate_policy.hpp"

namespace {

using namespace tenon::sdk;

struct two_of_three {
  static constexpr std::string_view name = "two-of-three";
  static constexpr std::tuple columns{text_column{"node.id"}, number_column{"ask.priority", scope::context}};
  static constexpr std::array<std::string_view, 1> reasons{"the node is the third"};

  explicit two_of_three(const config &) {}

  void begin(const auto &nodes) { odd_ = (nodes.context().template get<1>() & 1) != 0; }
  verdict filter(const auto &node) const {
    const std::string_view id = node.template get<0>().value_or("-");
    return (static_cast<unsigned char>(id.back()) + (odd_ ? 1 : 0)) % 3 == 0 ? unresolvable(1) : pass();
  }
  std::array<uint64_t, 2> signature(const auto &) const { return {odd_ ? 1U : 0U, 0}; }

 private:
  bool odd_ = false;  // of the batch at hand
};

}  // namespace

TENON_MODULE(predicate<two_of_three>)
