// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Foreign allocations: what others run on nodes, as the resource manager reports it. It is counted as occupied.
#pragma once

#include <string_view>

#include "forward.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct foreign_allocations_access {
  const core &shared;
  const class_table &classes;
  slab<allocation> &allocations;
  text_map<allocation *> &foreign;  // by key
  std::map<std::string, tag_list, std::less<>> &foreign_tags;
  ask_classifier &classifier;
  device_holdings &holdings;
  change_dispatcher &changes;
};

class foreign_allocations : foreign_allocations_access {
 public:
  explicit foreign_allocations(const foreign_allocations_access &all) : foreign_allocations_access(all) {}

  [[nodiscard]] const allocation *find(std::string_view key) const {
    const auto found = foreign.find(key);
    return found == foreign.end() ? nullptr : found->second;
  }
  void add(node &n, const existing_allocation &e, const resources &need);  // in place of what has its key
  node *remove(std::string_view key);                                      // where it was; null: there is none
  void remove_with(const node &n);                                         // all there, with their node

 private:
  void remove(allocation &a);
  void forget(allocation &a, const node *held_on);
};

}  // namespace tenon::internal
