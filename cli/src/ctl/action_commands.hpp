// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Commands of `tenon ctl` that change something: stop, start, drain, undrain, kill, move,
// recovery done, step.
#pragma once

#include "ctl/ctl_group.hpp"

namespace tenon::cli {

void add_action_commands(ctl_group &group);
// Those that there are, and another build of one in the place of the one in force.
void add_modules(ctl_group &group);

}  // namespace tenon::cli
