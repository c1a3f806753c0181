// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Texts and columns of the ABI, as tests write and read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tenon/abi/columns.h"

namespace tenon::host {

inline tenon_text text(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view view(const tenon_text &t) { return {t.data, t.length}; }

// The value of an item in a column, `offset` bytes into its row.
template <class T>
const T &value(const tenon_column &c, uint32_t index, uint64_t offset = 0) {
  return *reinterpret_cast<const T *>(static_cast<const std::byte *>(c.base) + index * c.item_stride + offset);
}

}  // namespace tenon::host
