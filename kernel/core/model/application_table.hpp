// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Application table: the applications of a partition, those that are active and those that ended.
#pragma once

#include <string_view>
#include <vector>

#include "base/slab.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct end_number {
  uint64_t operator()(const application &app) const { return app.ended; }
};

struct application_table {
  slab<application> applications;
  text_map<application *> active;                // by id
  sequence_list<application, end_number> ended;  // rejected, completed, failed
  text_map<application *> rejected;              // of the ended ones, by id

  // Requires that the state and the number of the end are set.
  void add_ended(application &app) {
    ended.insert(&app);
    if (app.state == application_state::rejected) rejected.emplace(app.id, &app);
  }
  void drop_ended(application &app) {
    ended.erase(&app);
    if (app.state == application_state::rejected) rejected.erase(app.id);
  }

  [[nodiscard]] application *find_application(std::string_view id) const {
    const auto found = active.find(id);
    return found == active.end() ? nullptr : found->second;
  }
  [[nodiscard]] std::vector<application *> by_submission() const;  // active ones
};

}  // namespace tenon::internal
