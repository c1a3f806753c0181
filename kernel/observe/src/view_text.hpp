// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Flat views as C++ has them.
#pragma once

#include <span>
#include <string>

#include "tenon/abi/host_views.h"

namespace tenon::observe {

template <class T>
[[nodiscard]] std::span<const T> all(const tenon_view_list &list) {
  return {static_cast<const T *>(list.first), list.count};
}

[[nodiscard]] inline std::string text(const tenon_text &t) { return {t.data == nullptr ? "" : t.data, t.length}; }

}  // namespace tenon::observe
