// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Batch builder: the columns of one call of a policy, in buffers that are kept from call to call.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/objects.hpp"
#include "tenon/abi/columns.h"

namespace tenon::internal {

inline tenon_text text_of(std::string_view text) { return {text.data(), text.size()}; }

// Columns of one call. Buffers are kept from call to call, so that a steady cycle allocates nothing.
class batch_builder {
 public:
  // At most so many columns follow.
  void start(size_t columns) {
    if (columns_.size() < columns) {
      columns_.resize(columns);
      buffers_.resize(columns);
    }
    count_ = 0;
  }

  // One item, or a context value: the object's own memory is the column.
  void resources_in_place(const resources &r) {
    add({sizeof(tenon_column), TENON_COLUMN_RESOURCES, r.data(), r.present_address(), 0, sizeof(int64_t), 0});
  }

  template <class Items, class Get>
  void resources_of(const Items &items, uint32_t types, Get &&get) {
    if (items.size() == 1) return resources_in_place(get(*items.front()));
    buffer &b = next();
    b.numbers.resize(items.size() * types);
    b.present.resize(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      const resources &r = get(*items[i]);
      b.present[i] = r.present();
      for (uint32_t t = 0; t < types; ++t) b.numbers[i * types + t] = r[t];
    }
    add({sizeof(tenon_column), TENON_COLUMN_RESOURCES, b.numbers.data(), b.present.data(), types * sizeof(int64_t),
         sizeof(int64_t), sizeof(uint64_t)});
  }

  // `get(item)` makes the resources.
  template <class Items, class Get>
  void made_resources_of(const Items &items, uint32_t types, Get &&get) {
    buffer &b = next();
    b.numbers.resize(items.size() * types);
    b.present.resize(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      const resources r = get(*items[i]);
      b.present[i] = r.present();
      for (uint32_t t = 0; t < types; ++t) b.numbers[i * types + t] = r[t];
    }
    add({sizeof(tenon_column), TENON_COLUMN_RESOURCES, b.numbers.data(), b.present.data(), types * sizeof(int64_t),
         sizeof(int64_t), sizeof(uint64_t)});
  }

  // A column of `count` slots of which these alone are read.
  template <class Get>
  void numbers_at(std::span<const uint32_t> slots, uint32_t count, Get &&get) {
    buffer &b = next();
    b.numbers.resize(count);
    for (const uint32_t slot : slots) b.numbers[slot] = get(slot);
    add({sizeof(tenon_column), TENON_COLUMN_I64, b.numbers.data(), nullptr, sizeof(int64_t), 0, 0});
  }

  template <class Items, class Get>
  void numbers_of(const Items &items, Get &&get) {
    buffer &b = next();
    b.numbers.clear();
    for (const auto *item : items) b.numbers.push_back(get(*item));
    add({sizeof(tenon_column), TENON_COLUMN_I64, b.numbers.data(), nullptr, sizeof(int64_t), 0, 0});
  }

  template <class Items, class Get>
  void texts_of(const Items &items, Get &&get) {
    buffer &b = next();
    b.texts.clear();
    for (const auto *item : items) b.texts.push_back(get(*item));
    add({sizeof(tenon_column), TENON_COLUMN_TEXT, b.texts.data(), nullptr, sizeof(tenon_text), 0, 0});
  }

  // `get(item)` gives a range of (key, value) pairs, ascending by key.
  template <class Items, class Get>
  void maps_of(const Items &items, Get &&get) {
    buffer &b = next();
    b.texts.clear();
    b.maps.clear();
    for (const auto *item : items) {
      for (const auto &[key, value] : get(*item)) b.texts.push_back(text_of(key));
      for (const auto &[key, value] : get(*item)) b.texts.push_back(text_of(value));
    }
    size_t at = 0;
    for (const auto *item : items) {
      const size_t count = get(*item).size();
      b.maps.push_back({b.texts.data() + at, b.texts.data() + at + count, count});
      at += 2 * count;
    }
    add({sizeof(tenon_column), TENON_COLUMN_TEXT_MAP, b.maps.data(), nullptr, sizeof(tenon_text_map), 0, 0});
  }

  // `get(item)` gives four words.
  template <class Items, class Get>
  void words_of(const Items &items, Get &&get) {
    buffer &b = next();
    b.words.clear();
    for (const auto *item : items) b.words.push_back(get(*item));
    add({sizeof(tenon_column), TENON_COLUMN_WORDS, b.words.data(), nullptr, sizeof(b.words[0]), 0, 0});
  }

  // A column that exists already.
  void raw(const tenon_column &column) { add(column); }

  // A value that serves every item.
  void one_number(int64_t value) {
    buffer &b = next();
    b.numbers.assign(1, value);
    add({sizeof(tenon_column), TENON_COLUMN_I64, b.numbers.data(), nullptr, 0, 0, 0});
  }
  void one_text(tenon_text value) {
    buffer &b = next();
    b.texts.assign(1, value);
    add({sizeof(tenon_column), TENON_COLUMN_TEXT, b.texts.data(), nullptr, 0, 0, 0});
  }
  void one_map(const tag_list &tags) {
    const std::array<const tag_list *, 1> only{&tags};
    maps_of(only, [](const tag_list &t) -> const tag_list & { return t; });
    columns_[count_ - 1].item_stride = 0;
  }

  tenon_batch batch(std::span<const tenon_text> types, int64_t now_ms, const uint32_t *items, size_t count) const {
    return {sizeof(tenon_batch),
            static_cast<uint32_t>(count),
            items,
            columns_.data(),
            count_,
            sizeof(tenon_column),
            types.data(),
            static_cast<uint32_t>(types.size()),
            0,
            now_ms,
            TENON_WORLD_LIVE};
  }

  // 0, 1, 2, ...
  const uint32_t *identity(size_t count) {
    while (identity_.size() < count) identity_.push_back(static_cast<uint32_t>(identity_.size()));
    return identity_.data();
  }

 private:
  struct buffer {
    std::vector<int64_t> numbers;
    std::vector<uint64_t> present;
    std::vector<tenon_text> texts;
    std::vector<tenon_text_map> maps;
    std::vector<std::array<uint64_t, 4>> words;
  };
  buffer &next() { return buffers_[count_]; }
  void add(const tenon_column &column) { columns_[count_++] = column; }

  std::vector<buffer> buffers_;  // by column; their vectors stay where they are when this grows
  std::vector<tenon_column> columns_;
  uint32_t count_ = 0;  // of `columns_` that are this call's
  std::vector<uint32_t> identity_;
};

}  // namespace tenon::internal
