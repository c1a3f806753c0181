// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The words of explain.
#pragma once

#include "objects.hpp"
#include "tenon/kernel/explain.hpp"

namespace tenon::internal {

// The change that raises the limit of a hold to `to`.
[[nodiscard]] change raise(change_kind kind, const obstacle &h, int64_t to);
// Fills every `text` of the explanation.
void put_in_words(explanation &e);
// Pending allocations of the application.
[[nodiscard]] int64_t waiting_of(const application &app);

}  // namespace tenon::internal
