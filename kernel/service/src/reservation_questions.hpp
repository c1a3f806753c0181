// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Questions about reservations: whether an ask may wait for capacity on a node. An RM that checks placements over a
// wire answers them later. An ask has at most one, and an RM at most as many as its window.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tenon/kernel/partition_id.hpp"

namespace tenon::service {

struct reservation_question {
  // An RM that does not answer about one ask leaves its window to others for as long as it had.
  enum class state : uint8_t { open, accepted, late };

  // Numbers of proposals, which the same answers name, stay below. Transports can carry it in any form.
  static constexpr uint64_t first_number = uint64_t{1} << 52;

  uint64_t number = 0;
  partition_id partition = partition_id::none;
  std::string application, key, node;
  state is = state::open;
  int64_t due_ms = INT64_MAX;  // of an open one from when the RM has it
};

struct reservation_questions {
  std::vector<reservation_question> all;
  bool turned_away = false;  // an ask had no question, since as many are open as may be

  // So many take a place in the RM's window.
  [[nodiscard]] size_t in_window() const {
    return static_cast<size_t>(
        std::count_if(all.begin(), all.end(), [](const auto &q) { return q.is != reservation_question::state::late; }));
  }
};

}  // namespace tenon::service
