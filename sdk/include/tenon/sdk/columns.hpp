// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Columns with C++ types: what a policy declares, and what it reads of an item.
//
//   static constexpr std::tuple columns{resources_column{"node.free"}, text_column{"node.attr:rack"}};
//   ... const auto [free, rack] = node.values();    // const amounts, const std::optional<std::string_view>
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tenon/abi/columns.h"
#include "tenon/sdk/error.hpp"
#include "tenon/sdk/share.h"

namespace tenon::sdk {

// Resource amounts of one item, by type index. An undefined type reads as 0.
class amounts {
 public:
  amounts() = default;
  explicit amounts(const tenon_amounts &raw) : raw_(raw) {}

  [[nodiscard]] uint64_t present() const { return raw_.present; }  // bit t: type t is defined
  [[nodiscard]] bool has(uint32_t type) const { return tenon_amounts_has(raw_, type) != 0; }
  [[nodiscard]] int64_t operator[](uint32_t type) const { return tenon_amounts_get(raw_, type); }

  operator tenon_amounts() const { return raw_; }  // for the functions of share.h

 private:
  tenon_amounts raw_{};
};

// Texts by key, ascending.
class text_map {
 public:
  text_map() = default;
  explicit text_map(const tenon_text_map &map) : map_(map) {}

  [[nodiscard]] uint64_t size() const { return map_.count; }
  [[nodiscard]] std::string_view key(uint64_t i) const { return view(map_.keys[i]); }
  [[nodiscard]] std::string_view value(uint64_t i) const { return view(map_.values[i]); }
  [[nodiscard]] std::optional<std::string_view> find(std::string_view wanted) const {
    uint64_t low = 0, high = map_.count;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (key(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == map_.count || key(low) != wanted) return std::nullopt;
    return value(low);
  }

 private:
  tenon_text_map map_{};
};

// A list of texts.
class text_list {
 public:
  text_list() = default;
  explicit text_list(const tenon_texts &list) : list_(list) {}

  [[nodiscard]] uint64_t size() const { return list_.count; }
  [[nodiscard]] std::optional<std::string_view> operator[](uint64_t i) const {
    return list_.values[i].data == nullptr ? std::nullopt : std::optional(view(list_.values[i]));
  }

 private:
  tenon_texts list_{};
};

enum class scope : uint32_t { item = TENON_SCOPE_ITEM, siblings = TENON_SCOPE_SIBLINGS, context = TENON_SCOPE_CONTEXT };

// A declared column; `Value` is what reading it gives. The id must live as long as the instance.
template <class Value>
struct column {
  std::string_view id;
  scope of = scope::item;
};
using resources_column = column<amounts>;
using number_column = column<int64_t>;
using text_column = column<std::optional<std::string_view>>;
using text_map_column = column<text_map>;
using numbers_column = column<std::span<const int64_t>>;
using texts_column = column<text_list>;
using words_column = column<std::array<uint64_t, 4>>;

namespace internal {

template <class Value>
constexpr uint32_t kind_of = 0;
template <>
inline constexpr uint32_t kind_of<amounts> = TENON_COLUMN_RESOURCES;
template <>
inline constexpr uint32_t kind_of<int64_t> = TENON_COLUMN_I64;
template <>
inline constexpr uint32_t kind_of<std::optional<std::string_view>> = TENON_COLUMN_TEXT;
template <>
inline constexpr uint32_t kind_of<text_map> = TENON_COLUMN_TEXT_MAP;
template <>
inline constexpr uint32_t kind_of<std::array<uint64_t, 4>> = TENON_COLUMN_WORDS;
template <>
inline constexpr uint32_t kind_of<std::span<const int64_t>> = TENON_COLUMN_NUMBERS;
template <>
inline constexpr uint32_t kind_of<text_list> = TENON_COLUMN_TEXTS;

template <class T>
T load(const void *base, uint64_t offset) {
  T v;
  std::memcpy(&v, static_cast<const char *>(base) + offset, sizeof v);
  return v;
}

// The value of item `item`; a column without a base (the call has no such context) gives an empty one.
template <class Value>
Value read(const tenon_column &c, const tenon_batch &batch, uint32_t item) {
  if (c.base == nullptr) return Value();
  const uint64_t at = c.item_stride * item;
  if constexpr (std::is_same_v<Value, amounts>) {
    return amounts(tenon_column_amounts(&c, item, batch.type_count));
  } else if constexpr (std::is_same_v<Value, std::optional<std::string_view>>) {
    const auto t = load<tenon_text>(c.base, at);
    return t.data == nullptr ? Value() : Value(view(t));
  } else if constexpr (std::is_same_v<Value, text_map>) {
    return text_map(load<tenon_text_map>(c.base, at));
  } else if constexpr (std::is_same_v<Value, std::span<const int64_t>>) {
    const auto n = load<tenon_numbers>(c.base, at);
    return {n.values, n.count};
  } else if constexpr (std::is_same_v<Value, text_list>) {
    return text_list(load<tenon_texts>(c.base, at));
  } else {
    return load<Value>(c.base, at);
  }
}

}  // namespace internal

template <class Columns>
class batch;

// One item of a batch. Values are read by the position of their column in the declaration.
template <class... Values>
class batch<std::tuple<column<Values>...>> {
 public:
  class row {
   public:
    row(const batch &all, uint32_t position, uint32_t item) : all_(&all), position_(position), item_(item) {}

    // All columns, in the declared order; for a structured binding.
    [[nodiscard]] std::tuple<Values...> values() const { return values(std::index_sequence_for<Values...>()); }

    // The I-th column.
    template <size_t I>
    [[nodiscard]] auto get() const {
      return internal::read<std::tuple_element_t<I, std::tuple<Values...>>>(*all_->columns_[I], *all_->raw_, item_);
    }

    [[nodiscard]] uint32_t position() const { return position_; }  // in the batch, from 0
    [[nodiscard]] const batch &all() const { return *all_; }

   private:
    template <size_t... I>
    [[nodiscard]] std::tuple<Values...> values(std::index_sequence<I...>) const {
      return {get<I>()...};
    }

    const batch *all_;
    uint32_t position_;
    uint32_t item_;
  };

  // False when the host does not hand the columns that were declared.
  static bool matches(const tenon_batch &b) {
    if (b.column_count < sizeof...(Values) || !TENON_COVERS(&b, tenon_batch, world)) return false;
    uint32_t i = 0;
    return (... && is_or_absent(at(b, i++), internal::kind_of<Values>));
  }

  explicit batch(const tenon_batch &b) : raw_(&b) {
    for (uint32_t i = 0; i < sizeof...(Values); ++i) columns_[i] = &at(b, i);
  }

  [[nodiscard]] uint32_t size() const { return raw_->item_count; }
  [[nodiscard]] row operator[](uint32_t position) const { return row(*this, position, raw_->items[position]); }
  [[nodiscard]] row context() const { return row(*this, 0, 0); }  // where only context columns are read
  [[nodiscard]] int64_t now_ms() const { return raw_->now_ms; }
  [[nodiscard]] tenon_world world() const { return raw_->world; }
  [[nodiscard]] uint32_t type_count() const { return raw_->type_count; }
  [[nodiscard]] std::string_view type_name(uint32_t type) const { return view(raw_->types[type]); }

 private:
  static bool is_or_absent(const tenon_column &c, uint32_t kind) { return c.base == nullptr || c.kind == kind; }

  static const tenon_column &at(const tenon_batch &b, uint32_t i) {
    return *reinterpret_cast<const tenon_column *>(reinterpret_cast<const char *>(b.columns) +
                                                   uint64_t{b.column_stride} * i);
  }

  const tenon_batch *raw_;
  std::array<const tenon_column *, sizeof...(Values)> columns_{};
};

}  // namespace tenon::sdk
