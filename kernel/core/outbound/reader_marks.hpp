// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reader marks: which objects of a partition changed since readers got the last blocks of them. Nothing is marked while
// nobody reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "model/changes.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

// How much of an object changed since its block was made.
inline constexpr uint8_t block_moved = 1;    // what changes with every decision
inline constexpr uint8_t block_changed = 2;  // anything

inline constexpr uint32_t blocks_a_chunk = 16;
inline constexpr uint32_t chunks_a_page = 64;
inline constexpr uint32_t blocks_a_page = blocks_a_chunk * chunks_a_page;

// Of the objects of one kind, those that changed and how. Blocks are made by the chunk, so it is asked by the chunk.
class stale_objects {
 public:
  void touch(uint32_t at, uint8_t how) {
    if (at >= how_.size()) how_.resize((at / blocks_a_page + 1) * size_t{blocks_a_page});
    how_[at] |= how;
  }
  void clear() { how_ = {}; }

  [[nodiscard]] size_t chunks() const { return how_.size() / blocks_a_chunk; }
  [[nodiscard]] bool any_in(size_t chunk) const {
    uint64_t words[blocks_a_chunk / 8];
    std::memcpy(words, how_.data() + chunk * blocks_a_chunk, sizeof words);
    uint64_t any = 0;
    for (const uint64_t word : words) any |= word;
    return any != 0;
  }
  // How it changed, and from now on it did not.
  uint8_t take(size_t at) { return std::exchange(how_[at], uint8_t{0}); }
  [[nodiscard]] size_t count() const {
    return how_.size() - static_cast<size_t>(std::count(how_.begin(), how_.end(), uint8_t{0}));
  }
  [[nodiscard]] size_t bytes() const { return how_.size(); }

 private:
  std::vector<uint8_t> how_;  // by object; a whole number of pages
};

class reader_marks {
 public:
  [[nodiscard]] bool kept() const { return kept_; }
  void start() { kept_ = true; }
  void stop() {
    kept_ = false;
    for (stale_objects *all : {&classes, &asks, &allocations, &nodes, &applications}) all->clear();
  }

  // -- Of changes (model/changes.hpp), where marks are kept. Others are nothing that readers see. --
  template <class Change>
  void write(const Change &) {}
  // The same, whether marks are kept or not: what of a queue changes with a configuration alone, or there are others.
  template <class Change>
  void count(const Change &) {}
  template <one_of<queue_made, queue_retired, queue_resized> Change>
  void count(const Change &) {
    ++queues_version_;
  }
  template <one_of<node_moved, capacity_set, occupied_set, attributes_set, node_removed> Change>
  void write(const Change &c) {
    nodes.touch(c.of.slot, block_changed);
  }
  template <one_of<room_taken, room_given, devices_held> Change>
  void write(const Change &c) {
    nodes.touch(c.on.slot, block_moved);
  }
  void write(const node_changed &c) { nodes.touch(c.of.slot, block_moved); }
  template <one_of<application_moved, application_made, application_left, application_forgotten, application_rehomed,
                   application_types_forgotten>
                Change>
  void write(const Change &c) {
    applications.touch(c.of.index, block_changed);
  }
  void write(const application_ordered &c) { applications.touch(c.of.index, block_moved); }
  void write(const group_counted &c) { applications.touch(c.of.owner->index, block_changed); }
  void write(const ask_filled &c) { asks.touch(c.of.index, block_changed); }
  template <one_of<ask_placed, ask_forgotten, ask_told, ask_lined_up, ask_moved> Change>
  void write(const Change &c) {
    asks.touch(c.of.index, block_moved);
  }
  template <one_of<victim_claimed, claim_ended, claims_forgotten> Change>
  void write(const Change &c) {
    asks.touch(c.by.index, block_moved);
  }
  template <one_of<reservation_made, reservation_ended> Change>
  void write(const Change &c) {
    reserved(c.of);
  }
  template <one_of<replacement_proposed, replacement_begun, allocation_made, allocation_moved, allocation_resized,
                   allocation_ended>
                Change>
  void write(const Change &c) {
    allocations.touch(c.of.index, block_changed);
  }
  static void write(const limit_used &c) { touch_limits(c.by); }
  static void write(const limit_runs &c) { touch_limits(c.who); }

  [[nodiscard]] uint64_t queues_version() const { return queues_version_; }

  [[nodiscard]] size_t bytes() const {
    return classes.bytes() + asks.bytes() + allocations.bytes() + nodes.bytes() + applications.bytes();
  }

  stale_objects classes, asks, allocations, nodes, applications;  // nodes by slot

 private:
  static void touch_limits(const application &of) {
    for (usage_node *u : {of.user_usage, of.group_usage}) {
      if (u != nullptr) u->of->touched = true;
    }
  }
  void reserved(const reservation &r) {
    asks.touch(r.of->index, block_moved);
    applications.touch(r.of->owner->index, block_changed);
    nodes.touch(r.where->slot, block_moved);
  }

  bool kept_ = false;
  uint64_t queues_version_ = 1;
};

}  // namespace tenon::internal
