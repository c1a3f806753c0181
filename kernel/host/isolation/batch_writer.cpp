// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/batch_writer.hpp"

#include <algorithm>

namespace tenon::host::isolation {
namespace {

template <class T>
const T &at(const void *base, uint64_t stride, uint64_t index) {
  return *reinterpret_cast<const T *>(static_cast<const std::byte *>(base) + stride * index);
}

}  // namespace

batch_writer::extent batch_writer::extent_of(const tenon_batch &batch) {
  extent out{batch.items, batch.item_count};
  if (batch.item_count == 0) return out;
  const auto [low, high] = std::minmax_element(batch.items, batch.items + batch.item_count);
  out.first = *low;
  out.span = *high - *low + 1;
  return out;
}

// Their number only grows, and a type keeps its index.
const tenon_text *batch_writer::types(const tenon_batch &batch) {
  if (type_count_ != batch.type_count) {
    types_ = to_.texts(batch.types, batch.type_count);
    type_count_ = batch.type_count;
    start_ = to_.used();
  }
  return types_;
}

// `each` of T an item, put there by `put(T *to, const void *from)`. The address that an item's index counts from.
template <class T, class Put>
const void *batch_writer::values(const void *base, uint64_t stride, const extent &items, size_t each, Put &&put) {
  if (stride == 0) {
    const placed<T> one = to_.room<T>(each);
    put(one.here, base);
    return one.pointer();
  }
  const placed<T> all = to_.room<T>(size_t{items.span} * each);
  for (uint32_t i = 0; i < items.count; ++i)
    put(all.here + size_t{items.items[i] - items.first} * each, &at<std::byte>(base, stride, items.items[i]));
  const uint64_t item_zero = all.there - uint64_t{items.first} * each * sizeof(T);
  return reinterpret_cast<const void *>(static_cast<uintptr_t>(item_zero));
}

tenon_column batch_writer::column(const tenon_column &from, const extent &items, uint32_t types) {
  tenon_column out{sizeof out, from.kind, nullptr, nullptr, 0, 0, 0};
  if (from.base == nullptr) return out;
  const auto put_all = [&]<class T>(size_t each, auto &&put) {
    out.base = values<T>(from.base, from.item_stride, items, each, put);
    out.item_stride = from.item_stride == 0 ? 0 : each * sizeof(T);
  };
  const auto copy_all = [&]<class T>(size_t each) {
    put_all.template operator()<T>(each, [&](T *to, const void *value) { std::memcpy(to, value, each * sizeof(T)); });
  };
  switch (from.kind) {
    case TENON_COLUMN_I64:
      copy_all.operator()<int64_t>(1);
      break;
    case TENON_COLUMN_WORDS:
      copy_all.operator()<uint64_t>(4);
      break;
    case TENON_COLUMN_RESOURCES:
      put_all.operator()<int64_t>(types, [&](int64_t *to, const void *value) {
        for (uint32_t t = 0; t < types; ++t) to[t] = at<int64_t>(value, from.type_stride, t);
      });
      out.type_stride = sizeof(int64_t);
      break;
    case TENON_COLUMN_TEXT:
      put_all.operator()<tenon_text>(
          1, [&](tenon_text *to, const void *value) { *to = to_.text(at<tenon_text>(value, 0, 0)); });
      break;
    case TENON_COLUMN_TEXT_MAP:
      put_all.operator()<tenon_text_map>(1, [&](tenon_text_map *to, const void *value) {
        const auto &map = at<tenon_text_map>(value, 0, 0);
        *to = {to_.texts(map.keys, map.count), to_.texts(map.values, map.count), map.count};
      });
      break;
    case TENON_COLUMN_NUMBERS:
      put_all.operator()<tenon_numbers>(1, [&](tenon_numbers *to, const void *value) {
        const auto &numbers = at<tenon_numbers>(value, 0, 0);
        const placed<int64_t> copy = to_.room<int64_t>(numbers.count);
        std::copy_n(numbers.values, numbers.count, copy.here);
        *to = {numbers.values == nullptr ? nullptr : copy.pointer(), numbers.count};
      });
      break;
    case TENON_COLUMN_TEXTS:
      put_all.operator()<tenon_texts>(1, [&](tenon_texts *to, const void *value) {
        const auto &list = at<tenon_texts>(value, 0, 0);
        *to = {to_.texts(list.values, list.count), list.count};
      });
      break;
    default:
      break;
  }
  if (from.present != nullptr) {
    out.present = static_cast<const uint64_t *>(
        values<uint64_t>(from.present, from.present_stride, items, 1,
                         [](uint64_t *to, const void *value) { std::memcpy(to, value, sizeof *to); }));
    out.present_stride = from.present_stride == 0 ? 0 : sizeof(uint64_t);
  }
  return out;
}

placed<tenon_batch> batch_writer::write(const tenon_batch &batch) {
  const tenon_text *names = types(batch);
  const placed<tenon_batch> out = to_.room<tenon_batch>(1);
  const placed<uint32_t> items = to_.room<uint32_t>(batch.item_count);
  std::copy_n(batch.items, batch.item_count, items.here);
  const placed<tenon_column> columns = to_.room<tenon_column>(batch.column_count);
  const extent all = extent_of(batch);
  for (uint32_t i = 0; i < batch.column_count; ++i)
    columns.here[i] = column(at<tenon_column>(batch.columns, batch.column_stride, i), all, batch.type_count);
  *out.here = {sizeof(tenon_batch),
               batch.item_count,
               items.pointer(),
               columns.pointer(),
               batch.column_count,
               sizeof(tenon_column),
               names,
               batch.type_count,
               0,
               batch.now_ms,
               batch.world};
  return out;
}

}  // namespace tenon::host::isolation
