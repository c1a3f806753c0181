// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Resource intake: amounts by the index of their type, as commands and configurations name them. Types that are new to
// the partition are interned.
#pragma once

#include <initializer_list>
#include <string>

#include "forward.hpp"
#include "model/objects.hpp"
#include "model/type_lookup.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct resource_intake_access {
  resource_types &types;
  node_table &nodes;
  node_sortings &sortings;
  call_contexts &contexts;
  change_dispatcher &changes;
};

class resource_intake : resource_intake_access {
 public:
  struct named_amounts {
    amounts from;
    resources &to;
  };

  explicit resource_intake(const resource_intake_access &all) : resource_intake_access(all) {}

  // "" or why not. The types of all lists are brought together or not at all.
  static std::string check_amounts(std::initializer_list<named_amounts> lists, type_lookup &by_name);
  static std::string check_need(amounts from, resources &out, type_lookup &by_name);  // and not nothing
  // The types that a command brings.
  void intern(const type_lookup &by_name) {
    if (!by_name.fresh().empty()) intern_fresh(by_name);
  }
  resources configured_amounts(const amount_map &from);  // nothing unless some amount is above 0
  void types_grew();

 private:
  void intern_fresh(const type_lookup &by_name);
};

}  // namespace tenon::internal
