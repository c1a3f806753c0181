// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ask table: the asks of one application by key.
#pragma once

#include <iterator>
#include <string_view>

#include "base/number_table.hpp"
#include "base/slab.hpp"
#include "base/text_hash.hpp"
#include "model/ask.hpp"

namespace tenon::internal {

// A key that is looked for. Its hash is made once, for all that is done with it.
struct ask_key {
  ask_key(std::string_view key) : text(key), hash(static_cast<uint32_t>(text_hash{}(key) >> 32)) {}

  std::string_view text;
  uint32_t hash;
};

class ask_table {
 public:
  // In any order. A change of the table ends it.
  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = ask *;
    using difference_type = std::ptrdiff_t;
    using pointer = ask *const *;
    using reference = ask *;

    const_iterator() = default;
    reference operator*() const { return &(*among_)[*at_]; }
    const_iterator &operator++() {
      ++at_;
      return *this;
    }
    const_iterator operator++(int) {
      const_iterator before = *this;
      ++at_;
      return before;
    }
    friend bool operator==(const const_iterator &left, const const_iterator &right) { return left.at_ == right.at_; }

   private:
    friend ask_table;
    const_iterator(number_table::const_iterator at, slab<ask> *among) : at_(at), among_(among) {}
    number_table::const_iterator at_;
    slab<ask> *among_ = nullptr;
  };

  [[nodiscard]] bool empty() const { return by_key_.empty(); }
  [[nodiscard]] const_iterator begin() const { return {by_key_.begin(), among_}; }  // any order: as said above
  [[nodiscard]] const_iterator end() const { return {by_key_.end(), among_}; }

  // Null: there is none of that key.
  [[nodiscard]] ask *find(const ask_key &key) const {
    const uint32_t found =
        by_key_.find(key.hash, [&](uint32_t index) { return (*among_)[index].key.view() == key.text; });
    return found == number_table::none ? nullptr : &(*among_)[found];
  }

  // One of `among`, always the same ones, by its key, which is not there yet.
  void add(const ask &a, uint32_t hash, slab<ask> &among) {
    among_ = &among;
    by_key_.insert(hash, a.index);
  }
  void remove(const ask &a) { by_key_.erase(ask_key(a.key).hash, a.index); }

 private:
  slab<ask> *among_ = nullptr;  // where the numbers count
  number_table by_key_;
};

}  // namespace tenon::internal
