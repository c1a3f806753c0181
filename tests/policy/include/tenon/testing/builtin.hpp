// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A built-in policy through its static entry, for the tests of that policy.
#pragma once

#include <memory>
#include <string_view>

#include "tenon/builtin/policy_source.hpp"
#include "tenon/testing/policy_table.hpp"

namespace tenon::testing {

// Throws the refusal's text where there is no such policy or the configuration is refused.
inline std::unique_ptr<bound_policy> bound(module_kind kind, std::string_view name,
                                           std::string_view configuration = "{}", uint32_t max_resource_types = 16) {
  static builtin_policy_source source;
  auto made = source.bind(kind, name, configuration, max_resource_types);
  if (!made) throw std::runtime_error(made.why().text());
  return std::move(*made);
}

}  // namespace tenon::testing
