// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What users and groups use in queues.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/application.hpp"
#include "model/limit_line.hpp"
#include "model/object_names.hpp"
#include "model/owned.hpp"
#include "model/reserved_units.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

// Usage of one user or group in one queue, and the limit that holds there.
struct usage_node {
  usage_tracker *of = nullptr;
  queue *where = nullptr;
  usage_node *parent = nullptr;
  owned<resources, usage_node> usage;
  resources max;                                             // a type that is undefined is unlimited
  uint64_t max_applications = 0;                             // 0: unlimited
  owned<std::set<const application *>, usage_node> running;  // any order: asked for size, sorted where shown
  std::vector<closed_lines> parked;                          // by type: wait for usage here to fall
  reserved_needs reserved;                                   // asks that count here
  closed_lines held;                                         // wait for `running` here to shrink
  std::vector<queue *> first_asks_in;                        // leaves whose first ask counts for it
};

struct usage_tracker {  // one user or group
  std::string name;
  std::map<const queue *, std::unique_ptr<usage_node>> nodes;  // any order: looked up, sorted where shown
  mutable std::shared_ptr<const frozen_tracker> frozen;        // what readers had last
  mutable bool touched = true;                                 // since then
};
using usage_trackers = std::map<std::string, usage_tracker, std::less<>>;  // by name

// Every limit that counts the application: of its user and its group, from its leaf up.
template <class Do>
void for_each_limit(const application &app, Do &&f) {
  for (usage_node *start : {app.user_usage, app.group_usage}) {
    for (usage_node *u = start; u != nullptr; u = u->parent) f(*u);
  }
}

}  // namespace tenon::internal
