// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a kernel needs of policies: tables of the module ABI, bound to instances by whoever loads modules.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/module_kinds.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon {

// A policy's declared column.
struct column_request {
  std::string id;
  uint32_t scope = TENON_SCOPE_ITEM;
};

// The scope of a column of which no change matters. No module can declare it: it is for who stands between a policy and
// the kernel, and hands the policy only the columns before it. It changes neither when the policy is called nor what is
// kept of its answers. can_be_unwatched() of columns.hpp says which columns there are in it.
inline constexpr uint32_t scope_unwatched = 0;
// In it alone, for orders of queues and applications: the item's full name, and the name of the queue that
// the batch is of.
inline constexpr std::string_view item_name_column = "item.name", parent_name_column = "parent.name";

// One instance of a policy, alive until destroyed. Belongs to one partition.
struct bound_policy {
  virtual ~bound_policy() = default;

  // Another instance of the same policy, made of the same, for a copy of the partition that is another thread's. Where
  // bind() may be called. Refused where there can be none.
  [[nodiscard]] virtual result<std::unique_ptr<bound_policy>> another() const {
    return refusal{"policy " + name, "a policy of which there can be another instance", "one that is given once",
                   "ask where no copy of another thread's is needed"};
  }

  std::string name;      // as configuration names it
  std::string provider;  // module id and version
  std::vector<column_request> columns;
  uint32_t key_words = 0;            // sort kinds
  uint32_t rekey_ms = 0;             // sort kinds
  std::vector<std::string> reasons;  // predicates, by code - 1
  tenon_instance *instance = nullptr;
  const tenon_sort_v1 *sort = nullptr;  // sort kinds
  const tenon_predicate_v1 *predicate = nullptr;
  const tenon_placement_rule_v1 *placement = nullptr;
  const tenon_identity_v1 *identity = nullptr;
};

// Gives a kernel its policies. Called while a configuration is applied, never while deciding.
class policy_source {
 public:
  virtual ~policy_source() = default;

  // Whether bind() knows the name; it may still refuse the configuration. A source that cannot tell says yes, and
  // bind() then refuses in words of its own.
  [[nodiscard]] virtual bool provides(module_kind /*kind*/, std::string_view /*name*/) const { return true; }

  // An instance of the policy that the deployment binds to (kind, name). `configuration` is a JSON
  // object. Refused with the names that exist when nothing provides it.
  virtual result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name,
                                                     std::string_view configuration, uint32_t max_resource_types) = 0;

  // The copy linked into the host, used after a fault of the module. Never refused for a sort kind.
  virtual std::unique_ptr<bound_policy> fallback(module_kind kind, uint32_t max_resource_types) = 0;

  // Another build of the module is in force: of its policies, whatever is asked for from now on is that one's. A source
  // that has one build alone, or none of this digest, goes on with what it has, and says so to people.
  virtual void use_build(std::string_view /*module*/, std::string_view /*digest*/) {}

  // The predicates of the deployment, in order, each a fresh instance.
  virtual result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) = 0;
};

}  // namespace tenon
