// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Configurations that must be refused: right ones with one mistake somewhere in them.
#pragma once

#include "random.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::sim {

// Puts one mistake into one partition of the configuration, whose other values would change things if any were taken.
void break_config(random &r, cluster_config &c);

}  // namespace tenon::sim
