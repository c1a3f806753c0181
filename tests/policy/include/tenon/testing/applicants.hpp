// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// An application written down in a test, handed to a placement rule as the kernel would.
//
//   EXPECT_EQ(place(*rule, {.user = "alice"}), (placed{"alice", false}));
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tenon/kernel/policies.hpp"
#include "tenon/testing/policy_table.hpp"

namespace tenon::testing {

struct applicant {
  std::string application = "app-1";
  std::string queue = {};
  std::string user = {};
  std::vector<std::string> groups = {};
  std::vector<std::pair<std::string, std::string>> tags = {};
  std::map<std::string, bool> queues = {};  // by path: is it a leaf; all are Active
  int64_t now_ms = 0;
};

struct placed {
  std::string name = {};
  bool qualified = false;
  tenon_status status = TENON_OK;
  std::string text = {};  // of a refusal

  friend bool operator==(const placed &, const placed &) = default;
  friend std::ostream &operator<<(std::ostream &out, const placed &p) {
    return out << "status " << p.status << ", " << (p.qualified ? "full path '" : "name '") << p.name << "' " << p.text;
  }
};
inline const placed declined{{}, false, TENON_DECLINED, {}};

namespace internal {

struct queues_of_test : tenon_queue_tree {
  explicit queues_of_test(const std::map<std::string, bool> &all)
      : tenon_queue_tree{sizeof(tenon_queue_tree), 0, look_up}, queues(all) {}
  const std::map<std::string, bool> &queues;

  static tenon_status look_up(const tenon_queue_tree *self, const tenon_find_queue_in *in, tenon_find_queue_out *out) {
    const auto &all = static_cast<const queues_of_test *>(self)->queues;
    const auto found = all.find(std::string(in->path.data, in->path.length));
    const bool exists = found != all.end();
    *out = {out->size, exists ? 1U : 0U, exists && found->second ? 1U : 0U, exists ? TENON_QUEUE_ACTIVE : 0U};
    return TENON_OK;
  }
};

}  // namespace internal

// `capacity` bytes for the name; the kernel never gives less than TENON_PLACE_NAME_ROOM.
inline placed place(const bound_policy &rule, const applicant &app, size_t capacity = TENON_PLACE_NAME_ROOM) {
  const internal::queues_of_test queues(app.queues);
  std::vector<tenon_text> groups, tag_names, tag_values;
  for (const std::string &group : app.groups) groups.push_back(as_text(group));
  for (const auto &[tag_name, value] : app.tags) {
    tag_names.push_back(as_text(tag_name));
    tag_values.push_back(as_text(value));
  }
  const tenon_place_in in{sizeof in,
                          static_cast<uint32_t>(groups.size()),
                          as_text(app.application),
                          as_text(app.queue),
                          as_text(app.user),
                          groups.data(),
                          tag_names.data(),
                          tag_values.data(),
                          tag_names.size(),
                          &queues,
                          TENON_WORLD_LIVE,
                          app.now_ms};
  std::string name_buffer(capacity, '?'), buffer(200, '?');
  tenon_message error{sizeof error, static_cast<uint32_t>(buffer.size()), buffer.data(), 0};
  tenon_place_out out{sizeof out, 0, name_buffer.data(), capacity, 0, &error};
  const tenon_status status = rule.placement->place(rule.instance, &in, &out);
  return {name_buffer.substr(0, out.name_length), out.qualified != 0, status, buffer.substr(0, error.length)};
}

}  // namespace tenon::testing
