// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "containment/input_copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tenon::host {
namespace {

// Words of 8 bytes that an item has in a column, and how far they are from each other.
struct words {
  uint32_t count;
  uint64_t stride;
};

words words_of(const tenon_column &column, uint32_t types) {
  switch (column.kind) {
    case TENON_COLUMN_I64:
      return {1, sizeof(uint64_t)};
    case TENON_COLUMN_WORDS:
      return {4, sizeof(uint64_t)};
    case TENON_COLUMN_RESOURCES:
      return {types, column.type_stride};
    case TENON_COLUMN_TEXT:
      return {sizeof(tenon_text) / sizeof(uint64_t), sizeof(uint64_t)};
    case TENON_COLUMN_TEXT_MAP:
      return {sizeof(tenon_text_map) / sizeof(uint64_t), sizeof(uint64_t)};
    case TENON_COLUMN_NUMBERS:
      return {sizeof(tenon_numbers) / sizeof(uint64_t), sizeof(uint64_t)};
    case TENON_COLUMN_TEXTS:
      return {sizeof(tenon_texts) / sizeof(uint64_t), sizeof(uint64_t)};
    default:
      return {0, 0};
  }
}

// Calls `each(address)` for every word, always in the same order.
template <class Each>
void each_word(const tenon_batch &batch, Each &&each) {
  const auto all = [&](const void *base, uint64_t item_stride, const words &of) {
    if (base == nullptr) return;
    const uint32_t items = item_stride == 0 ? 1 : batch.item_count;
    for (uint32_t i = 0; i < items; ++i) {
      const auto *at = static_cast<const std::byte *>(base) + (item_stride == 0 ? 0 : item_stride * batch.items[i]);
      for (uint32_t w = 0; w < of.count; ++w) each(at + w * of.stride);
    }
  };
  for (uint32_t c = 0; c < batch.column_count; ++c) {
    const auto &column = *reinterpret_cast<const tenon_column *>(reinterpret_cast<const std::byte *>(batch.columns) +
                                                                 size_t{c} * batch.column_stride);
    all(column.base, column.item_stride, words_of(column, batch.type_count));
    all(column.present, column.present_stride, {1, sizeof(uint64_t)});
  }
}

uint64_t load(const void *from) {
  uint64_t out = 0;
  std::memcpy(&out, from, sizeof out);
  return out;
}

}  // namespace

void input_copy::take(const tenon_batch &batch) {
  items_.assign(batch.items, batch.items + batch.item_count);
  values_.clear();
  each_word(batch, [&](const void *at) { values_.push_back(load(at)); });
}

bool input_copy::put_back(const tenon_batch &batch) const {
  // First: columns are looked at by them.
  bool differs = !std::equal(items_.begin(), items_.end(), batch.items);
  if (differs) std::copy(items_.begin(), items_.end(), const_cast<uint32_t *>(batch.items));
  const uint64_t *next = values_.data();
  each_word(batch, [&](const void *at) {
    const uint64_t was = *next++;
    if (load(at) == was) return;
    std::memcpy(const_cast<void *>(at), &was, sizeof was);  // the module wrote it, so it can be written
    differs = true;
  });
  return differs;
}

}  // namespace tenon::host
