// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A policy source without a loader: the built-in policies, each by its name in queues.yaml.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tenon/builtin/policies.hpp"
#include "tenon/kernel/policies.hpp"

namespace tenon {

// An active instance of the implementation of (kind, name) that one of `modules` provides; the first that does.
// Refused with the names that exist. The modules' entries must be initialised.
result<std::unique_ptr<bound_policy>> bind_static(std::span<const builtin::static_module> modules, module_kind kind,
                                                  std::string_view name, std::string_view configuration,
                                                  uint32_t max_resource_types);

class builtin_policy_source : public policy_source {
 public:
  struct predicate_use {
    std::string name;
    std::string configuration = "{}";
  };

  // `predicates` are those that every partition uses, in order.
  explicit builtin_policy_source(std::vector<predicate_use> predicates = {});
  ~builtin_policy_source() override;
  builtin_policy_source(const builtin_policy_source &) = delete;
  builtin_policy_source &operator=(const builtin_policy_source &) = delete;

  [[nodiscard]] bool provides(module_kind kind, std::string_view name) const override;
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override;
  // What the catalogue marks for the kind: fair for queues and nodes, fifo for applications; nullptr for the others.
  std::unique_ptr<bound_policy> fallback(module_kind kind, uint32_t max_resource_types) override;
  result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) override;

 private:
  std::vector<predicate_use> predicates_;
};

}  // namespace tenon
