// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon ctl whatif`: what would become of asks in a running daemon.
#pragma once

#include "ctl/ctl_group.hpp"

namespace tenon::cli {

void add_whatif_command(ctl_group &group);

}  // namespace tenon::cli
