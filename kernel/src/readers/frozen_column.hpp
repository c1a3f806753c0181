// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Frozen column: blocks of many objects, numbered as the objects are, of which moments share what did not change.
//
//   column -> pages -> chunks -> blocks -> what seldom changes of an object
//
// What a moment has is not written again, nor freed while somebody reads that moment: frozen_past keeps it until then.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "readers/frozen_past.hpp"

namespace tenon::internal {

// How much of an object changed since its block was made.
inline constexpr uint8_t block_moved = 1;    // what changes with every decision
inline constexpr uint8_t block_changed = 2;  // anything

inline constexpr uint32_t blocks_a_chunk = 16;
inline constexpr uint32_t chunks_a_page = 64;
inline constexpr uint32_t blocks_a_page = blocks_a_chunk * chunks_a_page;

template <class Block>
struct frozen_chunk {
  uint64_t born = 0;  // the moment for which it was made
  std::array<Block, blocks_a_chunk> blocks;
};
template <class Block>
struct frozen_page {
  uint64_t born = 0;
  std::array<frozen_chunk<Block> *, chunks_a_page> chunks{};
};

// What readers have.
template <class Block>
class frozen_blocks {
 public:
  [[nodiscard]] const Block &operator[](uint32_t at) const {
    static const Block none{};
    const frozen_page<Block> *page = at / blocks_a_page < pages.size() ? pages[at / blocks_a_page] : nullptr;
    const frozen_chunk<Block> *chunk = page == nullptr ? nullptr : page->chunks[at % blocks_a_page / blocks_a_chunk];
    return chunk == nullptr ? none : chunk->blocks[at % blocks_a_chunk];
  }
  // f(index, block) of every block that is there.
  template <class F>
  void for_each(F &&f) const {
    for (uint32_t at = 0; at < pages.size() * blocks_a_page; ++at) {
      if (const Block &block = (*this)[at]; block.there()) f(at, block);
    }
  }

  std::vector<frozen_page<Block> *> pages;
};

// What the kernel has: the newest blocks, and which objects changed since those were made.
template <class Block>
class frozen_column {
  static_assert(std::is_trivially_copyable_v<Block>);  // blocks own what they point to, and say so in drop()

 public:
  explicit frozen_column(frozen_past &past) : past_(past) {}
  ~frozen_column() {
    while (drop_page()) continue;
  }
  frozen_column(const frozen_column &) = delete;
  frozen_column &operator=(const frozen_column &) = delete;

  void touch(uint32_t at, uint8_t how) {
    if (at >= touched_.size()) touched_.resize((at / blocks_a_page + 1) * size_t{blocks_a_page});
    touched_[at] |= how;
  }

  // Makes blocks anew of objects that changed, `most` of them or some more, from where it stopped last:
  // make(index, how, block) changes a copy of the older block. Gives how many were made.
  template <class F>
  size_t refresh(size_t most, F &&make) {
    size_t made = 0;
    const size_t chunks = touched_.size() / blocks_a_chunk;
    for (size_t looked = 0; looked < chunks && made < most; ++looked, ++next_) {
      if (next_ >= chunks) next_ = 0;
      if (touched(next_)) made += renew(next_, make);
    }
    return made;
  }

  // How many objects changed.
  [[nodiscard]] size_t stale() const {
    return touched_.size() - static_cast<size_t>(std::count(touched_.begin(), touched_.end(), uint8_t{0}));
  }

  [[nodiscard]] const frozen_blocks<Block> &now() const { return now_; }
  [[nodiscard]] size_t bytes() const {
    return touched_.size() + chunks_ * sizeof(frozen_chunk<Block>) + pages_ * sizeof(frozen_page<Block>);
  }

  // Gives back one page, where nobody reads. False: there is none left.
  bool drop_page() {
    if (now_.pages.empty()) return false;
    frozen_page<Block> *page = now_.pages.back();
    now_.pages.pop_back();
    if (page == nullptr) return true;
    for (frozen_chunk<Block> *chunk : page->chunks) {
      if (chunk == nullptr) continue;
      for (Block &block : chunk->blocks) block.drop(past_);
      delete chunk;
    }
    delete page;
    return true;
  }

 private:
  [[nodiscard]] bool touched(size_t c) const {
    uint64_t words[blocks_a_chunk / 8];
    std::memcpy(words, touched_.data() + c * blocks_a_chunk, sizeof words);
    uint64_t any = 0;
    for (const uint64_t word : words) any |= word;
    return any != 0;
  }

  // Of this moment: a copy where readers may have it.
  template <class Part>
  Part &own(Part *&at, size_t &count) {
    if (at != nullptr && at->born == past_.moment()) return *at;
    auto *fresh = at == nullptr ? new Part : new Part(*at);
    if (at == nullptr) ++count;
    fresh->born = past_.moment();
    past_.retire(at);
    at = fresh;
    return *at;
  }

  template <class F>
  size_t renew(size_t c, F &&make) {
    if (c / chunks_a_page >= now_.pages.size()) now_.pages.resize(c / chunks_a_page + 1);
    frozen_page<Block> &page = own(now_.pages[c / chunks_a_page], pages_);
    frozen_chunk<Block> &chunk = own(page.chunks[c % chunks_a_page], chunks_);
    size_t made = 0;
    for (uint32_t i = 0; i < blocks_a_chunk; ++i) {
      uint8_t &how = touched_[c * blocks_a_chunk + i];
      if (how == 0) continue;
      make(static_cast<uint32_t>(c * blocks_a_chunk + i), how, chunk.blocks[i]);
      how = 0;
      ++made;
    }
    return made;
  }

  frozen_past &past_;
  frozen_blocks<Block> now_;
  std::vector<uint8_t> touched_;  // by object; a whole number of pages
  size_t next_ = 0;               // chunk at which refresh() goes on
  size_t pages_ = 0, chunks_ = 0;
};

}  // namespace tenon::internal
