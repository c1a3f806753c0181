// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How old what a decision is about is, for those who measure waiting.
#pragma once

#include "tenon/kernel/decisions.hpp"

namespace tenon {

// When the ask was made that a decision is about, or whose allocation it is about, Unix milliseconds; 0: it is about
// neither. While kernel::drain() hands the decision over, as kernel::describe(), of which it looks at nothing else.
[[nodiscard]] int64_t asked_ms(const decision_view &d);

}  // namespace tenon
