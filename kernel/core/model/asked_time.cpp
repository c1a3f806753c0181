// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/asked_time.hpp"

#include "model/objects.hpp"

namespace tenon {

int64_t asked_ms(const decision_view &d) {
  if (d.source == nullptr) return 0;
  return d.about_allocation ? static_cast<const internal::allocation *>(d.subject)->create_time_ms
                            : static_cast<const internal::ask *>(d.subject)->create_time_ms;
}

}  // namespace tenon
