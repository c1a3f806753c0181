// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Where a placement rule leads, as far as that stands in the configuration.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "queues_source.hpp"

namespace tenon::config {

inline constexpr std::string_view fixed_rule = "fixed";

// A rule and its parents, the outermost first: the fixed ones at the start give a path.
struct static_path {
  std::string path;                      // empty: none
  std::string rules;                     // "fixed->tag->user"
  bool dynamic_tail = false;             // rules follow that are decided for each application
  const rule_source *illegal = nullptr;  // a fixed rule that is qualified although others come before it
};

[[nodiscard]] static_path static_path_of(const rule_source &rule);

enum class path_verdict : uint8_t { good, not_existing, no_leaf, below_leaf };

struct path_check {
  path_verdict verdict = path_verdict::good;
  std::string last_queue;           // below_leaf: the leaf
  bool parent_by_children = false;  // good, but a queue with children stands where a leaf is wanted
};

// How names of queues are compared with a path, which is in lower case: as they are written, as the field's
// validator does, or as they will be.
enum class name_case : uint8_t { written, folded };

// Finds queues by name in a tree that stays as it is. A parent's names are gathered when it is first asked for one, so
// that many rules do not look through many queues.
class queues_by_name {
 public:
  explicit queues_by_name(name_case names) : names_(names) {}
  // The first of the parent's children that has the name; null: none has.
  [[nodiscard]] const queue_source *child_of(const queue_source &parent, const std::string &name);
  [[nodiscard]] bool is_name(const queue_source &queue, const std::string &name) const;

 private:
  using children = std::unordered_map<std::string, const queue_source *>;
  const name_case names_;
  std::map<const queue_source *, children> known_;  // any order: looked up, never walked
};

// Whether applications can be placed at `path` in the tree of `root`. As in the field, a queue is a parent
// here only where the text says so.
[[nodiscard]] path_check check_path(const static_path &path, bool create, const queue_source &root,
                                    queues_by_name &names);

}  // namespace tenon::config
