// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads the journal's bytes as values, whatever the bytes are: nothing outside them is read, and memory is taken only
// in proportion to them. A value has one form in bytes, which is the one that the writer gives it.
#pragma once

#include <bit>
#include <limits>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <utility>

#include "journal/command_fields.hpp"
#include "journal/damage.hpp"

namespace tenon::journal {

// Reads values out of bytes[at, end). The first damage stops it: later fields stay as they are.
class reader {
 public:
  static constexpr bool writes = false;
  // Spans are made in `lists`, a configuration in `config`.
  reader(std::string_view bytes, size_t at, size_t end, std::pmr::memory_resource &lists,
         std::optional<cluster_config> &config)
      : bytes_(bytes),
        at_(at),
        end_(end),
        memory_left_(least_memory + most_per_byte * (end - at)),
        lists_(lists),
        config_(config) {}

  // The field of a struct, or `left_out` where it is.
  template <class T>
  void operator()(uint32_t id, std::string_view name, T &x, std::type_identity_t<T> left_out) requires is_number<T> {
    if (!comes(tag_of(id, false, wire::number))) {
      x = left_out;
      return;
    }
    const size_t start = at_;
    value(x);
    if (x == left_out) fail(start, needless);
    close(id, name);
  }
  template <class T>
  void operator()(uint32_t id, std::string_view name, T &x) {
    if constexpr (is_number<T>) {
      (*this)(id, name, x, T{});
    } else {
      field(tag_of(id, false, wire_of<T>), name, x);
    }
  }
  template <class T>
  void note(uint32_t id, std::string_view name, T &x) {
    field(tag_of(id, true, wire_of<T>), name, x);
  }

  // The fields of a struct, up to the end.
  template <class T>
  void content(T &x) {
    next_tag(0);
    fields(*this, x);
    while (tag_ != no_tag) pass_unknown();
  }

  template <class T>
  void value(T &x) {
    if (damage_) return;
    if constexpr (std::is_same_v<T, bool>) {
      x = choice(1) != 0;
    } else if constexpr (std::is_enum_v<T>) {
      x = static_cast<T>(choice(static_cast<uint64_t>(last_of<T>)));
    } else if constexpr (std::is_integral_v<T>) {
      integer(x);
    } else if constexpr (std::is_same_v<T, double>) {
      x = std::bit_cast<double>(bits64());
    } else if constexpr (is_text<T>) {
      const size_t length = size();
      x = T(bytes_.substr(at_, length));
      at_ += length;
    } else {
      const size_t length = size();
      const size_t outer = std::exchange(end_, at_ + length);
      inner(x);
      end_ = outer;
    }
  }

  uint64_t varint() {
    if (at_ < end_) {
      const auto byte = static_cast<unsigned char>(bytes_[at_]);
      if (byte < 0x80) return ++at_, byte;
    }
    return long_varint();
  }

  void fail(size_t offset, std::string what, bool later = false) {
    if (!damage_) damage_ = damage{offset, {}, std::move(what), later};
    tag_ = no_tag;
  }
  [[nodiscard]] const std::optional<damage> &damaged() const { return damage_; }
  [[nodiscard]] size_t at() const { return at_; }

 private:
  static constexpr uint64_t no_tag = 0;
  // Lists take more in memory than in bytes: queues that have nothing but a name, a hundred times as much.
  static constexpr size_t least_memory = 65'536, most_per_byte = 128;
  static constexpr const char *needless = "is written with the value that is left out";

  template <class T>
  void field(uint64_t tag, std::string_view name, T &x) {
    if (!comes(tag)) return leave_out(x);
    const size_t start = at_;
    value(x);
    if (!is_config<T> && at_ == start + 1) fail(start, needless);
    close(tag >> 3, name);
  }

  // What later builds have before it is passed over.
  bool comes(uint64_t tag) {
    const uint64_t id = tag >> 3;
    while (tag_ != no_tag && tag_ >> 3 < id) pass_unknown();
    if (tag_ >> 3 != id) return false;
    if (tag_ != tag) fail(tag_at_, "field " + std::to_string(id) + " is not written as one of its kind");
    return !damage_;
  }

  void close(uint64_t id, std::string_view name) {
    if (damage_) return damage_->within(name);
    next_tag(id);
  }

  void next_tag(uint64_t last_id) {
    tag_ = no_tag;
    if (at_ == end_) return;
    tag_at_ = at_;
    const uint64_t tag = varint();
    if (tag >> 3 <= last_id) return fail(tag_at_, "fields are not in the order of their ids");
    if ((tag & 3) > static_cast<uint64_t>(wire::bytes)) return fail(tag_at_, "a field is of no wire that there is");
    if (!damage_) tag_ = tag;
  }

  void pass_unknown() {
    const uint64_t id = tag_ >> 3;
    if (tag_ != tag_of(id, true, static_cast<wire>(tag_ & 3))) {
      return fail(tag_at_, "field " + std::to_string(id) + " is not known and must be understood", true);
    }
    switch (static_cast<wire>(tag_ & 3)) {
      case wire::number:
        (void)varint();
        break;
      case wire::bits64:
        (void)bits64();
        break;
      case wire::bytes:
        at_ += size();
        break;
    }
    next_tag(id);
  }

  // As if none of its bytes were there.
  template <class T>
  void leave_out(T &x) {
    if constexpr (is_struct<T>) {
      const uint64_t outer = std::exchange(tag_, no_tag);
      fields(*this, x);
      tag_ = outer;
    } else {
      x = T{};
    }
  }

  uint64_t long_varint() {
    const size_t start = at_;
    uint64_t out = 0;
    for (uint32_t shift = 0; at_ < end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      if (shift == 63 && byte > 1) return fail(start, "a number has more than 64 bits"), 0;
      out |= uint64_t{byte & 0x7fU} << shift;
      if (byte >= 0x80) continue;
      if (byte == 0) return fail(start, "a number is longer than it needs to be"), 0;
      return out;
    }
    return fail(start, "a number reaches beyond the end of what holds it"), 0;
  }

  uint64_t bits64() {
    if (end_ - at_ < 8) return fail(at_, "a number reaches beyond the end of what holds it"), 0;
    uint64_t out = 0;
    for (uint32_t shift = 0; shift < 64; shift += 8)
      out |= uint64_t{static_cast<unsigned char>(bytes_[at_++])} << shift;
    return out;
  }

  // Of what follows, all of which is there.
  size_t size() {
    const size_t start = at_;
    const uint64_t out = varint();
    if (out <= end_ - at_) return out;
    return fail(start, std::to_string(out) + " bytes reach beyond the end of what holds them"), 0;
  }

  uint64_t choice(uint64_t last) {
    const size_t start = at_;
    const uint64_t out = varint();
    if (out <= last) return out;
    return fail(start, "a choice of 0 to " + std::to_string(last) + " is " + std::to_string(out), true), 0;
  }

  template <class T>
  void integer(T &x) {
    const size_t start = at_;
    const uint64_t raw = varint();
    if constexpr (std::is_signed_v<T>) {
      const auto number = static_cast<int64_t>(raw >> 1 ^ -(raw & 1));
      x = static_cast<T>(number);
      if (x != number) fail(start, std::to_string(number) + " is no number of " + bits_of<T>());
    } else {
      x = static_cast<T>(raw);
      if (x != raw) fail(start, std::to_string(raw) + " is no number of " + bits_of<T>());
    }
  }
  template <class T>
  static std::string bits_of() {
    return std::to_string(8 * sizeof(T)) + " bits";
  }

  template <class T>
  void inner(T &x) {
    if constexpr (is_span<T>) {
      span(x);
    } else if constexpr (is_vector<T>) {
      vector(x);
    } else if constexpr (is_map<T>) {
      map(x);
    } else if constexpr (is_config<T>) {
      content(config_.emplace());
      x = &*config_;
    } else {
      content(x);
    }
  }

  // Memory for elements of a list is taken after this.
  void take(size_t memory) {
    if (memory > memory_left_) return fail(at_, "lists have too many elements of almost nothing");
    memory_left_ -= memory;
  }

  template <class Element>
  void span(std::span<const Element> &x) {
    static_assert(std::is_trivially_destructible_v<Element>);
    static_assert(wire_of<Element> == wire::bytes, "elements begin with their size");
    const size_t start = at_;
    size_t n = 0;
    for (; at_ < end_ && !damage_; ++n) at_ += size();
    take(n * sizeof(Element));
    if (damage_ || n == 0) return;
    at_ = start;
    auto *elements = static_cast<Element *>(lists_.allocate(n * sizeof(Element), alignof(Element)));
    std::uninitialized_value_construct_n(elements, n);
    for (size_t i = 0; i < n; ++i) value(elements[i]);
    x = {elements, n};
  }

  // Elements own memory: they are made one by one, as long as the bytes last.
  template <class Element>
  void vector(std::vector<Element> &x) {
    x.clear();
    if (++depth_ > max_depth) return fail(at_, "lists are nested deeper than " + std::to_string(max_depth));
    while (at_ < end_ && !damage_) {
      take(sizeof(Element));
      value(x.emplace_back());
    }
    --depth_;
  }

  template <class Value>
  void map(std::map<std::string, Value> &x) {
    x.clear();
    while (at_ < end_ && !damage_) {
      const size_t start = at_;
      take(sizeof(*x.begin()));
      std::string key;
      Value mapped{};
      value(key);
      value(mapped);
      if (!x.empty() && key <= x.rbegin()->first) return fail(start, "keys of a map are not ascending");
      x.emplace_hint(x.end(), std::move(key), std::move(mapped));
    }
  }

  std::string_view bytes_;
  size_t at_;
  size_t end_;
  uint64_t tag_ = no_tag;  // of the field that comes
  size_t tag_at_ = 0;
  size_t memory_left_;
  uint32_t depth_ = 0;
  std::optional<damage> damage_;
  std::pmr::memory_resource &lists_;
  std::optional<cluster_config> &config_;
};

}  // namespace tenon::journal
