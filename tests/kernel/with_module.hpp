// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Policies of a module in the test itself, and what is built in for all other names.
#pragma once

#include <array>

#include "tenon/builtin/policy_source.hpp"

namespace tenon::testing {

class with_module : public builtin_policy_source {
 public:
  explicit with_module(const tenon_module &entry, std::vector<predicate_use> predicates = {})
      : builtin_policy_source(std::move(predicates)), modules_{builtin::static_module{"test.module", &entry}} {}

  [[nodiscard]] bool provides(module_kind kind, std::string_view name) const override {
    return own(kind, name, "{}", 16) || builtin_policy_source::provides(kind, name);
  }
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override {
    auto bound = own(kind, name, configuration, max_resource_types);
    return bound ? std::move(bound) : builtin_policy_source::bind(kind, name, configuration, max_resource_types);
  }

 private:
  [[nodiscard]] result<std::unique_ptr<bound_policy>> own(module_kind kind, std::string_view name,
                                                          std::string_view configuration, uint32_t types) const {
    return bind_static(modules_, kind, name, configuration, types);
  }

  std::array<builtin::static_module, 1> modules_;
};

}  // namespace tenon::testing
