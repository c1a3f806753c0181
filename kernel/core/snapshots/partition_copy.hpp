// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Copies of a partition, to see what would happen.
#pragma once

#include <memory>

#include "forward.hpp"
#include "tenon/kernel/partition_id.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::internal {

// A partition that decides as the other would, also when time goes on. What readers and statistics alone look at is not
// in it, nor what has ended; its queues are not cleaned up, predicates that failed are not asked again, and it does not
// end. It calls the same instances of policies, so neither may be used while the other is in a call; where `in` has
// another source of policies, it has that one's (see kernel::copy()).
[[nodiscard]] std::unique_ptr<partition> copy_of(const partition &from, core &in, partition_id as);
// The same with instances of its own, so that it shares nothing with the other that changes.
[[nodiscard]] result<std::unique_ptr<partition>> copy_apart(const partition &from, core &in, partition_id as);

}  // namespace tenon::internal
