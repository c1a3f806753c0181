// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// An explanation where all of the resource manager is held up: what the kernel does not know.
#pragma once

#include <string_view>

namespace tenon {

struct explanation;

// Says first what holds the resource manager up, a line with its end, and takes back what would not come of anything
// else before that is over. Nothing is changed where the line is empty.
void hold_up(explanation &e, std::string_view why);

}  // namespace tenon
