// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Commands of `tenon ctl` about configurations: which are in force, and the files read again.
#pragma once

#include "ctl/ctl_group.hpp"

namespace tenon::cli {

void add_configuration_commands(ctl_group &group);

}  // namespace tenon::cli
