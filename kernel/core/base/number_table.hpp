// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Number table: objects by name as eight bytes each, a hash and a number. It never looks at a name, so that it needs
// the objects neither when it grows nor when one goes. Like growing_map it grows a little at each insertion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

namespace tenon::internal {

class number_table {
  struct slot {
    uint32_t hash;
    uint32_t entry;  // free, gone, or the number and first_number
  };
  static constexpr uint32_t free = 0, gone = 1, first_number = 2;

  // Linear probing; a power of two of slots.
  struct part {
    struct release {
      void operator()(slot *all) const { std::free(all); }
    };
    std::unique_ptr<slot[], release> slots;
    uint32_t size = 0, used = 0;

    [[nodiscard]] uint32_t next(uint32_t at) const { return (at + 1) & (size - 1); }
    [[nodiscard]] uint32_t home(uint32_t hash) const { return hash & (size - 1); }
  };

 public:
  static constexpr uint32_t none = ~uint32_t{0};

  // Numbers in any order. A change of the table ends it.
  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = uint32_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const uint32_t *;
    using reference = uint32_t;

    const_iterator() = default;
    reference operator*() const { return slot_at().entry - first_number; }
    const_iterator &operator++() {
      ++at_;
      skip();
      return *this;
    }
    const_iterator operator++(int) {
      const_iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const const_iterator &left, const const_iterator &right) { return left.at_ == right.at_; }

   private:
    friend number_table;
    const_iterator(const number_table *of, size_t at) : of_(of), at_(at) {}
    [[nodiscard]] const slot &slot_at() const {
      return at_ < of_->leaving_.size ? of_->leaving_.slots[at_] : of_->table_.slots[at_ - of_->leaving_.size];
    }
    void skip() {
      while (at_ < of_->slots() && slot_at().entry < first_number) ++at_;
    }
    const number_table *of_ = nullptr;
    size_t at_ = 0;
  };

  [[nodiscard]] size_t size() const { return size_t{table_.used} + leaving_.used; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] const_iterator begin() const {
    const_iterator first(this, 0);
    first.skip();
    return first;
  }
  [[nodiscard]] const_iterator end() const { return {this, slots()}; }

  // The number of that hash of which is(number) says so; or none.
  template <class Is>
  [[nodiscard]] uint32_t find(uint32_t hash, Is &&is) const {
    if (const uint32_t found = find_in(table_, hash, is); found != none || leaving_.size == 0) return found;
    return find_in(leaving_, hash, is);
  }

  // A number that is not there.
  void insert(uint32_t hash, uint32_t number) {
    make_room();
    put(hash, number + first_number);
  }

  // A number that is there, with the hash that it came with.
  void erase(uint32_t hash, uint32_t number) {
    const uint32_t entry = number + first_number;
    if (const uint32_t at = slot_of(table_, hash, entry); at != none) {
      --table_.used;
      return close_gap(at);
    }
    // Those behind it are found across it.
    leaving_.slots[slot_of(leaving_, hash, entry)].entry = gone;
    if (--leaving_.used == 0) leaving_ = {};
  }

 private:
  static constexpr uint32_t first_size = 4;
  static constexpr uint32_t small = 4'096;  // grows at once
  static constexpr uint32_t moves = 4;      // slots a turn; the new table has room for as many as there are

  [[nodiscard]] size_t slots() const { return size_t{leaving_.size} + table_.size; }

  template <class Is>
  static uint32_t find_in(const part &in, uint32_t hash, Is &&is) {
    if (in.size == 0) return none;
    for (uint32_t at = in.home(hash);; at = in.next(at)) {
      const slot &s = in.slots[at];
      if (s.entry == free) return none;
      if (s.hash == hash && s.entry != gone && is(s.entry - first_number)) return s.entry - first_number;
    }
  }
  static uint32_t slot_of(const part &in, uint32_t hash, uint32_t entry) {
    if (in.size == 0) return none;
    for (uint32_t at = in.home(hash);; at = in.next(at)) {
      if (in.slots[at].entry == entry) return at;
      if (in.slots[at].entry == free) return none;
    }
  }

  static part part_of(uint32_t size) {
    part out;
    // Zeroed pages of the system are not touched before they are used.
    out.slots.reset(static_cast<slot *>(std::calloc(size, sizeof(slot))));
    if (out.slots == nullptr) throw std::bad_alloc();
    out.size = size;
    return out;
  }

  void put(uint32_t hash, uint32_t entry) {
    uint32_t at = table_.home(hash);
    while (table_.slots[at].entry != free) at = table_.next(at);
    table_.slots[at] = {hash, entry};
    ++table_.used;
  }

  // Moves those back that were not where they belong because of what was there.
  void close_gap(uint32_t gap) {
    for (uint32_t at = table_.next(gap); table_.slots[at].entry != free; at = table_.next(at)) {
      const uint32_t from_home = (at - table_.home(table_.slots[at].hash)) & (table_.size - 1);
      const uint32_t from_gap = (at - gap) & (table_.size - 1);
      if (from_home < from_gap) continue;
      table_.slots[gap] = table_.slots[at];
      gap = at;
    }
    table_.slots[gap] = {};
  }

  void make_room() {
    if (leaving_.size == 0) {
      if (table_.used < table_.size / 4 * 3) return;
      leaving_ = std::exchange(table_, part_of(table_.size == 0 ? first_size : table_.size * 2));
      next_ = 0;
    }
    move_some(leaving_.size > small ? moves : leaving_.size);
  }
  void move_some(uint32_t count) {
    for (; count != 0 && next_ < leaving_.size; --count, ++next_) {
      slot &s = leaving_.slots[next_];
      if (s.entry < first_number) continue;
      put(s.hash, s.entry);
      s.entry = gone;
      --leaving_.used;
    }
    if (leaving_.used == 0) leaving_ = {};
  }

  part table_;
  part leaving_;       // what was there before the last growth and has not moved yet; none is put there
  uint32_t next_ = 0;  // of leaving_
};

}  // namespace tenon::internal
