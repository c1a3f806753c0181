// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Frozen column: blocks of many objects, numbered as the objects are, of which moments share what did not change.
//
//   column -> pages -> chunks -> blocks -> what seldom changes of an object
//
// What a moment has is not written again, nor freed while somebody reads that moment: frozen_past keeps it until then.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "outbound/reader_marks.hpp"
#include "snapshots/frozen_past.hpp"

namespace tenon::internal {

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

// What the kernel has: the newest blocks.
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

  // Makes blocks anew of objects that are stale, `most` of them or some more, from where it stopped last:
  // make(index, how, block) changes a copy of the older block. Gives how many were made.
  template <class F>
  size_t refresh(stale_objects &stale, size_t most, F &&make) {
    size_t made = 0;
    const size_t chunks = stale.chunks();
    for (size_t looked = 0; looked < chunks && made < most; ++looked, ++next_) {
      if (next_ >= chunks) next_ = 0;
      if (stale.any_in(next_)) made += renew(stale, next_, make);
    }
    return made;
  }

  [[nodiscard]] const frozen_blocks<Block> &now() const { return now_; }
  [[nodiscard]] size_t bytes() const {
    return chunks_ * sizeof(frozen_chunk<Block>) + pages_ * sizeof(frozen_page<Block>);
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
  size_t renew(stale_objects &stale, size_t c, F &&make) {
    if (c / chunks_a_page >= now_.pages.size()) now_.pages.resize(c / chunks_a_page + 1);
    frozen_page<Block> &page = own(now_.pages[c / chunks_a_page], pages_);
    frozen_chunk<Block> &chunk = own(page.chunks[c % chunks_a_page], chunks_);
    size_t made = 0;
    for (uint32_t i = 0; i < blocks_a_chunk; ++i) {
      const auto at = static_cast<uint32_t>(c * blocks_a_chunk + i);
      const uint8_t how = stale.take(at);
      if (how == 0) continue;
      make(at, how, chunk.blocks[i]);
      ++made;
    }
    return made;
  }

  frozen_past &past_;
  frozen_blocks<Block> now_;
  size_t next_ = 0;  // chunk at which refresh() goes on
  size_t pages_ = 0, chunks_ = 0;
};

}  // namespace tenon::internal
