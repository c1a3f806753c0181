// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every check there is, in the order in which they run.
#pragma once

#include <string>
#include <vector>

#include "check.hpp"
#include "tenon/conformance/verify.hpp"

namespace tenon::conformance {

const std::vector<check> &catalogue();
const check *find_check(std::string_view id);
check_entry entry_of(const check &c);

// A kind by its interface id, as "node-sort"; 0 and empty for one that has no checks of its own.
struct kind_name {
  uint32_t kind = 0;
  std::string_view name;
};
kind_name kind_of(std::string_view interface_id);

}  // namespace tenon::conformance
