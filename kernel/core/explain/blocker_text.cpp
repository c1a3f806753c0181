// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What an ask waits for, in words. For people alone.
#include "snapshots/frozen_state_impl.hpp"

namespace tenon::internal {

std::string words_where_refused(bool waits_for_gang) {
  return waits_for_gang ? "room for all placeholders of its gang at once"
                        : "the resource manager refuses every node that fits";
}

std::string words_where_reserved(std::string_view node) {
  return "room on node " + std::string(node) + ", which is reserved for it";
}

std::string words_where_placeholders(std::string_view task_group) {
  return "placeholders of task group " + std::string(task_group);
}

std::string words_of(blocker what, std::string_view type, std::string_view queue, std::string_view order) {
  const std::string of(queue);
  switch (what) {
    case blocker::none:
      return {};
    case blocker::application_count:
      return "maxapplications of queue " + of;
    case blocker::limited_application_count:
      return "maxapplications of a limit in queue " + of;
    case blocker::application_order:
    case blocker::queue_order:
      return "order " + std::string(order) + " of queue " + of;
    case blocker::limit:
      return "limit on " + std::string(type) + " in queue " + of;
    case blocker::headroom:
      return "headroom of " + std::string(type) + " in queue " + of;
    case blocker::nodes:
      return "no node fits";
    case blocker::stopped_queue:
      return "queue " + of + " is stopped";
  }
  return {};
}

}  // namespace tenon::internal
