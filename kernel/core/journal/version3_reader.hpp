// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Format 3: bytes as fields, whatever the bytes are: nothing outside them is read, and memory is
// taken only in proportion to them.
#pragma once

#include <bit>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>

#include "journal/damage.hpp"
#include "journal/version3_fields.hpp"

namespace tenon::journal::version3 {

// Counts the bytes that a value takes.
struct measure {
  static constexpr bool writes = true;
  static constexpr bool details = false;
  size_t bytes = 0;

  template <class... Fields>
  void operator()(const Fields &...f) {
    (one(f), ...);
  }

 private:
  template <class T>
  void one(const T &x) {
    if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
      bytes += 1;
    } else if constexpr (std::is_arithmetic_v<T>) {
      bytes += sizeof(T);
    } else if constexpr (is_text<T> || is_span<T>) {
      bytes += sizeof(uint32_t);  // of an empty one
    } else {
      fields(*this, x);
    }
  }
};

// The bytes that the shortest element of a list takes.
template <class Element>
size_t least_bytes() {
  measure of;
  of(Element{});
  return of.bytes;
}

// Reads fields out of bytes[at, end). The first damage stops it: later fields stay as they are.
class reader {
 public:
  static constexpr bool writes = false;
  bool details = false;  // of existing allocations are there
  reader(std::string_view bytes, size_t at, size_t end, std::pmr::memory_resource &lists,
         std::optional<cluster_config> &config)
      : bytes_(bytes), at_(at), end_(end), lists_(lists), config_(config) {}

  template <class... Fields>
  void operator()(Fields &...f) {
    (one(f), ...);
  }

  [[nodiscard]] const std::optional<damage> &damaged() const { return damage_; }

  void finish() {
    if (at_ != end_) fail(at_, std::to_string(end_ - at_) + " bytes after the last field");
  }
  void fail(size_t offset, std::string what) {
    if (!damage_) damage_ = damage{offset, {}, std::move(what)};
  }
  [[nodiscard]] size_t at() const { return at_; }

 private:
  template <class T>
  void one(T &x) {
    if (damage_) return;
    if constexpr (std::is_same_v<T, bool>) {
      if (const auto byte = small(1, "a truth value")) x = *byte != 0;
    } else if constexpr (std::is_enum_v<T>) {
      if (const auto byte = small(static_cast<uint8_t>(last_of<T>), "a choice")) x = static_cast<T>(*byte);
    } else if constexpr (std::is_integral_v<T>) {
      integer(x);
    } else if constexpr (std::is_same_v<T, double>) {
      uint64_t bits = 0;
      integer(bits);
      if (!damage_) x = std::bit_cast<double>(bits);
    } else if constexpr (is_text<T>) {
      if (const auto length = count(1, "a text")) x = T(take(*length));
    } else if constexpr (is_span<T>) {
      span(x);
    } else if constexpr (is_vector<T>) {
      vector(x);
    } else if constexpr (is_map<T>) {
      map(x);
    } else if constexpr (std::is_same_v<T, const cluster_config *>) {
      bool present = false;
      one(present);
      x = nullptr;
      if (present) fields(*this, config_.emplace());
      if (present) x = &*config_;
    } else {
      fields(*this, x);
    }
  }

  template <class T>
  void integer(T &x) {
    if (end_ - at_ < sizeof(T)) return fail(at_, "a number reaches beyond the end of the entry");
    std::make_unsigned_t<T> value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      value |= static_cast<std::make_unsigned_t<T>>(std::make_unsigned_t<T>{static_cast<unsigned char>(bytes_[at_ + i])}
                                                    << 8 * i);
    }
    at_ += sizeof(T);
    x = static_cast<T>(value);
  }

  std::optional<uint8_t> small(uint8_t last, const char *what) {
    const size_t start = at_;
    uint8_t byte = 0;
    integer(byte);
    if (damage_) return std::nullopt;
    if (byte > last) {
      fail(start, std::string(what) + " of 0 to " + std::to_string(last) + " is " + std::to_string(byte));
      return std::nullopt;
    }
    return byte;
  }

  // A count of elements of at least `least` bytes each. Checked against the bytes that are there before
  // anything is allocated for them.
  std::optional<uint32_t> count(size_t least, const char *what) {
    const size_t start = at_;
    uint32_t n = 0;
    integer(n);
    if (damage_) return std::nullopt;
    if (n > (end_ - at_) / least) {
      fail(start, std::string(what) + " of " + std::to_string(n) + " reaches beyond the end of the entry");
      return std::nullopt;
    }
    return n;
  }

  std::string_view take(size_t length) {
    const std::string_view out = bytes_.substr(at_, length);
    at_ += length;
    return out;
  }

  template <class Element>
  void span(std::span<const Element> &x) {
    static_assert(std::is_trivially_destructible_v<Element>);
    const auto n = count(least_bytes<Element>(), "a list");
    if (!n || *n == 0) return;
    auto *elements = static_cast<Element *>(lists_.allocate(*n * sizeof(Element), alignof(Element)));
    std::uninitialized_value_construct_n(elements, *n);
    for (uint32_t i = 0; i < *n && !damage_; ++i) one(elements[i]);
    x = {elements, *n};
  }

  // Elements own memory: they are made one by one, as long as the bytes last.
  template <class Element>
  void vector(std::vector<Element> &x) {
    const size_t start = at_;
    const auto n = count(1, "a list");
    if (!n) return;
    x.clear();
    if (++depth_ > max_depth) return fail(start, "lists are nested deeper than " + std::to_string(max_depth));
    for (uint32_t i = 0; i < *n && !damage_; ++i) one(x.emplace_back());
    --depth_;
  }

  template <class Value>
  void map(std::map<std::string, Value> &x) {
    const auto n = count(1, "a map");
    if (!n) return;
    x.clear();
    for (uint32_t i = 0; i < *n && !damage_; ++i) {
      const size_t start = at_;
      std::string key;
      Value value{};
      (*this)(key, value);
      if (!x.empty() && key <= x.rbegin()->first) return fail(start, "keys of a map are not ascending");
      x.emplace_hint(x.end(), std::move(key), std::move(value));
    }
  }

  std::string_view bytes_;
  size_t at_;
  size_t end_;
  std::pmr::memory_resource &lists_;
  std::optional<cluster_config> &config_;
  uint32_t depth_ = 0;
  std::optional<damage> damage_;
};

}  // namespace tenon::journal::version3
