// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tenon::internal {

// Wider than any sum of amounts.
__extension__ using wide_sum = __int128;

}  // namespace tenon::internal
