// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The queue with the highest current priority first; equals by submission, which is the kernel's.
#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct queue_priority {
  static constexpr std::string_view name = "priority";
  static constexpr std::tuple columns{number_column{"queue.priority"}};

  std::array<uint64_t, 1> key(const auto &queue) const { return {descending(queue.template get<0>())}; }
};

}  // namespace

TENON_MODULE(queue_sort<queue_priority>)
