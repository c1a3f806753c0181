// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A policy source in which a vendor's modules serve whole kinds, whatever policies configurations name. So the kernel's
// own scenarios and simulator run with a vendor's policy.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string_view>

#include "tenon/host/module_host.hpp"
#include "tenon/kernel/policies.hpp"

namespace tenon::host {

// The variables that name a manifest each are called as the ids of the kinds that the kernel calls: TENON_QUEUE_SORT,
// TENON_APP_SORT, TENON_NODE_SORT, TENON_PREDICATE, TENON_PLACEMENT_RULE.
using replacements = std::map<module_kind, std::filesystem::path>;
[[nodiscard]] replacements replacements_from_environment();

class replaced_policies : public policy_source {
 public:
  // `inner` serves what is not replaced. A fault of a replacing module ends the process: a test must not go on with a
  // fallback in its place. Refused where a manifest or its module is, or where it does not provide the kind.
  static result<std::unique_ptr<replaced_policies>> make(std::unique_ptr<policy_source> inner,
                                                         const replacements &these);

  [[nodiscard]] bool provides(module_kind kind, std::string_view name) const override;
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override;
  void use_build(std::string_view module, std::string_view digest) override { inner_->use_build(module, digest); }
  std::unique_ptr<bound_policy> fallback(module_kind kind, uint32_t max_resource_types) override;
  result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) override;

 private:
  struct replacement {
    std::string name;  // of the implementation
    std::unique_ptr<module_host> host;
  };
  explicit replaced_policies(std::unique_ptr<policy_source> inner) : inner_(std::move(inner)) {}
  static result<replacement> open(module_kind kind, const std::filesystem::path &manifest);

  std::unique_ptr<policy_source> inner_;
  std::map<module_kind, replacement> replaced_;
};

}  // namespace tenon::host
