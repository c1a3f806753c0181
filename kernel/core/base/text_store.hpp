// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Text store: many short texts without an allocation for each. The room of one that is dropped is taken by the next one
// of about its length.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace tenon::internal {

// Where a store has a text: eight bytes, which whoever has them copies freely. Good until the store drops the text.
class stored_text {
 public:
  operator std::string_view() const { return view(); }
  [[nodiscard]] std::string_view view() const {
    if (letters_ == nullptr) return {};
    uint32_t size = 0;
    std::memcpy(&size, letters_ - sizeof size, sizeof size);
    return {letters_, size};
  }
  [[nodiscard]] size_t size() const { return view().size(); }

 private:
  friend class text_store;
  const char *letters_ = nullptr;  // null: empty; their number stands before them
};

class text_store {
 public:
  text_store() = default;
  text_store(const text_store &) = delete;
  text_store &operator=(const text_store &) = delete;

  // A copy, which does not move.
  [[nodiscard]] stored_text keep(std::string_view text) {
    stored_text out;
    if (text.empty()) return out;
    const size_t steps = steps_of(text.size());
    char *room = nullptr;
    if (steps >= free_.size()) {
      room = take_large(steps * step);
    } else if (free_[steps] != nullptr) {
      room = free_[steps];
      std::memcpy(&free_[steps], room, step);
    } else {
      room = take(steps * step);
    }
    const auto size = static_cast<uint32_t>(text.size());
    std::memcpy(room, &size, sizeof size);
    std::memcpy(room + sizeof size, text.data(), text.size());
    out.letters_ = room + sizeof size;
    return out;
  }

  // It is empty from now on, and all its copies are good for nothing.
  void drop(stored_text &text) {
    if (text.letters_ == nullptr) return;
    const size_t steps = steps_of(text.size());
    char *room = const_cast<char *>(text.letters_) - sizeof(uint32_t);
    if (steps >= free_.size()) {
      large_.erase(room);
    } else {
      std::memcpy(room, &free_[steps], step);
      free_[steps] = room;
    }
    text.letters_ = nullptr;
  }

 private:
  static constexpr size_t step = sizeof(char *);  // a free room names the next one
  static constexpr size_t most_steps = 64;        // larger ones have memory of their own
  static constexpr size_t first_chunk = 1'024, largest_chunk = 65'536;

  // Of few sizes, two for each power of two: a room that was dropped serves other texts too, so that what is held stays
  // within a few times what there was at once, whatever lengths come one after the other.
  static size_t steps_of(size_t letters) {
    const size_t needed = (letters + sizeof(uint32_t) + step - 1) / step;
    if (needed <= 4 || needed > most_steps) return needed;
    const size_t power = std::bit_floor(needed), between = power + power / 2;
    return needed == power ? power : needed <= between ? between : 2 * power;
  }

  char *take(size_t bytes) {
    if (bytes > left_) {
      left_ = chunk_;
      next_ = chunks_.emplace_back(new char[chunk_]).get();
      if (chunk_ < largest_chunk) chunk_ *= 2;
    }
    char *room = next_;
    next_ += bytes;
    left_ -= bytes;
    return room;
  }
  char *take_large(size_t bytes) {
    std::unique_ptr<char[]> room(new char[bytes]);
    char *at = room.get();
    large_.emplace(at, std::move(room));
    return at;
  }

  std::array<char *, most_steps + 1> free_{};  // by steps; each names the next one
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::map<const char *, std::unique_ptr<char[]>> large_;  // any order: looked up, never walked
  char *next_ = nullptr;
  size_t left_ = 0, chunk_ = first_chunk;
};

}  // namespace tenon::internal
