// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies_with_orders.hpp"

#include <array>

extern "C" {
extern const tenon_module tenon_module_test_orders, tenon_module_test_predicates;
}

namespace tenon::testing {
namespace {

constexpr std::array modules{builtin::static_module{"test.orders", &tenon_module_test_orders},
                             builtin::static_module{"test.predicates", &tenon_module_test_predicates}};

bool is_one_of_them(module_kind kind, std::string_view name) {
  return (kind == module_kind::node_sort && name == "emptiest-devices") ||
         (kind == module_kind::predicate && name == "two-of-three");
}

}  // namespace

bool policies_with_orders::provides(module_kind kind, std::string_view name) const {
  return is_one_of_them(kind, name) || builtin_policy_source::provides(kind, name);
}

result<std::unique_ptr<bound_policy>> policies_with_orders::bind(module_kind kind, std::string_view name,
                                                                 std::string_view configuration,
                                                                 uint32_t max_resource_types) {
  if (is_one_of_them(kind, name)) return bind_static(modules, kind, name, configuration, max_resource_types);
  return builtin_policy_source::bind(kind, name, configuration, max_resource_types);
}

}  // namespace tenon::testing
