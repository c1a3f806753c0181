// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Random configurations: queue trees with everything that the profile wants in them.
#pragma once

#include "profile.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::sim {

[[nodiscard]] cluster_config make_config(random &r, const profile &p);

}  // namespace tenon::sim
