// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The orders of a partition that is restored, those that failed with the built-in ones in their place.
#pragma once

#include <functional>
#include <string>

#include "policies/sort_orders.hpp"
#include "tenon/kernel/policies.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::internal {

// `to`: with what the configuration names. `choose` gives the one that applications choose. "" or which one is not to
// be had.
[[nodiscard]] std::string restore_orders(const saved_partition &from, sort_orders &to, policy_source &source,
                                         uint32_t most_types,
                                         const std::function<node_sorting *(const std::string &name)> &choose);

}  // namespace tenon::internal
