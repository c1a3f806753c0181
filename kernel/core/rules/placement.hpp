// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placement: into which leaf an application goes. Rules in order give a path, access decides whether it is taken, and
// missing queues are made.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forward.hpp"
#include "model/administrators_stops.hpp"
#include "model/objects.hpp"
#include "policies/placement_rules.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct placement_access {
  core &shared;
  const resource_types &types;
  const administrators_stops &stops;
  queue_lifecycle &queues;
  internal::quotas &quotas;
  change_dispatcher &changes;
};

class placement : placement_access {
 public:
  explicit placement(const placement_access &all) : placement_access(all) {}

  void use(std::vector<std::unique_ptr<placement_rule>> rules) { rules_ = std::move(rules); }
  // Others in the place of these, which live until the next drain.
  [[nodiscard]] std::vector<std::unique_ptr<placement_rule>> exchange(
      std::vector<std::unique_ptr<placement_rule>> rules) {
    rules_.swap(rules);
    return rules;
  }
  [[nodiscard]] const std::vector<std::unique_ptr<placement_rule>> &rules() const { return rules_; }
  // Where an application goes: into a leaf that is there, or into one that is to be made below `above`.
  struct place {
    queue *leaf = nullptr;
    queue *above = nullptr;
    std::string path;
    bool recovery = false;
  };
  // "" or why it goes nowhere.
  [[nodiscard]] std::string find_place(const add_application &c, place &out) const;
  // Makes what is missing, and takes from the tags what they say of the queue.
  queue &make(const place &where, texts tags);
  // Why an application cannot be in this queue, which is no leaf.
  [[nodiscard]] static std::string refusal_of_parent(const queue &parent);
  // Why there is no queue of this path, with what is there.
  [[nodiscard]] static std::string refusal_of_missing(const queue_lifecycle &queues, std::string_view path);
  static bool may_submit(const queue &to, std::string_view user, names groups);

 private:
  std::string path_by(const placement_rule &rule, placement_request &request, std::string &problem) const;
  [[nodiscard]] bool takes(std::string_view path, const add_application &c) const;
  [[nodiscard]] static queue *nearest_queue(const queue_lifecycle &queues, std::string_view path);
  [[nodiscard]] std::string problem_of_making(const place &where) const;
  // What speaks against the queue that the application names.
  [[nodiscard]] std::string against_named(const add_application &c) const;
  queue &make_path(const place &where);
  void apply_template(queue &leaf);
  void apply_namespace_tags(queue &leaf, texts tags);

  std::vector<std::unique_ptr<placement_rule>> rules_;
};

}  // namespace tenon::internal
