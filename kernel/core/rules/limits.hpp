// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Limits: what each user and group uses in each queue, the limits that hold there, and which applications run for them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct limits_access {
  resource_types &types;
  ready_index &ready;
  limit_lines &lines;
  kept_orders &orders;
  reserved_line &reserved;
  change_dispatcher &changes;
};

class limits : limits_access {
 public:
  explicit limits(const limits_access &all) : limits_access(all) {}

  [[nodiscard]] const usage_trackers &users() const { return users_; }
  [[nodiscard]] const usage_trackers &groups() const { return groups_; }
  // The limit of a queue for a user or group: the entry that names it, else for users the one of "*".
  static const limit_config *limit_for(const queue &q, std::string_view name, bool group);
  static std::string group_of(const application &app, const queue &home);  // where it is, or would be, in that leaf

  [[nodiscard]] uint64_t kept_bytes() const { return kept_bytes_; }

  // -- Who is held. --
  // One more application with so much would be beyond the limit of the user or group in the queue.
  [[nodiscard]] bool breaks(const application &app, const resources &used, std::string_view name, bool group,
                            const queue &q) const;

  // -- Usage. --
  void attach(application &app);  // finds its user's and group's nodes
  void detach(application &app);
  void enter(application &app, bool checked);
  void leave(application &app);  // where it has no right to it any more

  // -- Configuration. --
  void set_limit(usage_node &u, const limit_config *limit);
  void refresh(const std::vector<application *> &all_applications);  // in the order of submission
  void forget_gone_queues();

 private:
  usage_node &usage_of(std::string_view name, bool group, queue &q);

  usage_trackers users_, groups_;
  uint64_t kept_bytes_ = 0;
};

}  // namespace tenon::internal
