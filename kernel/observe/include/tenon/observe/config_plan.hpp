// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a reload would change, refuse and cost, before it is made: docs/plan.md.
#pragma once

#include <array>
#include <atomic>
#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/kernel.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::observe {

// A thing that the new configuration has otherwise than the one in force.
struct planned_change {
  enum class how : uint8_t { added, changed, removed } what = how::changed;
  std::string partition;  // plain name; empty: of all of them
  std::string object;     // "queue root.prod", "partition", "placement rules", "priority class high"
  struct detail {
    std::string key, from, to;  // in words; empty: it is not there
    friend bool operator==(const detail &, const detail &) = default;
  };
  std::vector<detail> details;
  friend bool operator==(const planned_change &, const planned_change &) = default;
};

enum class loss_kind : uint8_t {
  partition,          // it drains, and what is still there after its time fails
  draining,           // a queue takes no new applications, has some, and goes with the last one
  over_max,           // a queue uses more of a resource type than it may; it gets none of it until it uses less
  over_applications,  // more run in a queue than may; no other starts until fewer do
  over_limit,         // a user or group likewise, of a resource type or of applications
  ask,                // it waits, and is more than its queue or user may ever have
  submission          // applications that are accepted today would be refused
};
[[nodiscard]] std::string_view name(loss_kind);

struct planned_loss {
  loss_kind what = loss_kind::partition;
  std::string partition;  // [rm]name
  std::string queue;      // empty: of the partition
  std::string subject;    // over_limit: whose; submission: of the first; ask: application/key
  bool group = false;     // over_limit: the subject is one
  std::string resource;   // the type; empty: applications
  int64_t has = 0;        // so much is used, or asked for; draining, partition: so many applications
  int64_t may = 0;
  uint64_t count = 1;  // submissions that are alike
  std::string text;
  friend bool operator==(const planned_loss &, const planned_loss &) = default;
};

// An application as somebody would send it.
struct submission {
  std::string partition;  // [rm]name
  std::string queue, user;
  std::vector<std::string> groups;
  std::map<std::string, std::string> tags;
  amount_map placeholder_ask;
  bool hard_gang = false;
  std::string is_in;  // where one such is today; of those that a copy puts elsewhere nothing is known, and they are
                      // left out. Empty: it is not known
  friend auto operator<=>(const submission &, const submission &) = default;
};
// As this one was sent; where it came to is not known.
[[nodiscard]] submission submission_of(const add_application &c);

// Applications that are accepted today and go to another queue then.
struct planned_move {
  submission one;  // the first of them
  std::string from, to;
  uint64_t count = 1;
  friend bool operator==(const planned_move &, const planned_move &) = default;
};

// Of one resource manager.
struct config_plan {
  std::string rm;
  std::string refused;  // why a reload would be, in its words; empty: it would not
  std::vector<planned_change> changes;
  std::vector<planned_loss> losses;
  std::vector<planned_move> moves;
  uint64_t submissions = 0;           // that were tried
  uint64_t submissions_left_out = 0;  // that differ, too, and were not: there are too many

  [[nodiscard]] bool is_empty() const { return refused.empty() && changes.empty() && losses.empty() && moves.empty(); }
};

// Submissions that are tried, the last ones of all that differ.
inline constexpr size_t most_tried_submissions = 1'000;

// Where the two differ, whatever the state is; in the order of the new one, what is removed behind.
[[nodiscard]] std::vector<planned_change> differences(const cluster_config &before, const cluster_config &now);

// What is in force for the RM without the partitions that are gone, since people drained them: a reload makes them
// anew.
[[nodiscard]] cluster_config without_gone(const kernel &live, const std::string &rm, cluster_config before);

// On the thread that has the kernel, which stays as it is: `now` in place of `before`, which is in force for the RM, is
// tried on a copy of it. Submissions that are refused today are left out. Once `stops` is true nobody wants it.
[[nodiscard]] config_plan plan_configuration(const kernel &live, const std::string &rm, const cluster_config &before,
                                             const cluster_config &now, const std::vector<submission> &samples,
                                             const std::atomic<bool> *stops = nullptr);

[[nodiscard]] std::string in_words(const config_plan &);
[[nodiscard]] boost::json::object plan_json(const config_plan &);

}  // namespace tenon::observe
