// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A policy with its shadow, as the kernel gets it: the first answers, the shadow is asked the same and compared.
#pragma once

#include <memory>

#include "shadow/shadow_columns.hpp"
#include "shadow/shadow_record.hpp"

namespace tenon::host {

struct shadow_pair {
  module_kind kind = module_kind::queue_sort;
  std::unique_ptr<bound_policy> first, shadow;
  shadow_columns columns;
  std::shared_ptr<shadow_record> record;
};

// Its calls are those of the first: the same status and the same answers, whatever the shadow does. Readers' questions
// are the first's alone. Sort kinds, predicates and placement rules.
[[nodiscard]] std::unique_ptr<bound_policy> make_shadowed_policy(shadow_pair pair);

}  // namespace tenon::host
