// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon ctl snapshot`: the state of a running daemon as a file.
#pragma once

#include "ctl/ctl_group.hpp"

namespace tenon::cli {

void add_snapshot_command(ctl_group &group);

}  // namespace tenon::cli
