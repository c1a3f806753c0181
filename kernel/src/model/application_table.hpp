// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Application table: the applications of a partition, those that are active and those that ended.
#pragma once

#include <string_view>
#include <vector>

#include "base/slab.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct application_table {
  slab<application> applications;
  text_map<application *> active;    // by id
  std::vector<application *> ended;  // rejected, completed, failed

  [[nodiscard]] application *find_application(std::string_view id) const {
    const auto found = active.find(id);
    return found == active.end() ? nullptr : found->second;
  }
  [[nodiscard]] std::vector<application *> by_submission() const;  // active ones
};

}  // namespace tenon::internal
