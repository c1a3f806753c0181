// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Partition list: owns the partitions of a kernel, in creation order. The list knows which partitions may have
// something to decide, which ones the running command touches, which ones the next drain flushes and which ones readers
// have read. So no command looks at the other partitions, however many there are.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "partition.hpp"
#include "tenon/kernel/partition_id.hpp"

namespace tenon::internal {

class partition_list {
 public:
  using owned = std::unique_ptr<partition>;

  // -- All partitions. The newest is the last, and has the highest handle. --
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }
  [[nodiscard]] size_t size() const { return all_.size(); }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  // Both return null where there is no such partition.
  [[nodiscard]] partition *find(std::string_view full_name) const {
    return found_ != nullptr && found_->full_name() == full_name ? found_ : look_up(full_name);
  }
  [[nodiscard]] partition *find(partition_id id) const {
    return found_ != nullptr && found_->handle() == id ? found_ : look_up(id);
  }
  // Returns this one partition, or none where it is not there; without an id, all partitions.
  [[nodiscard]] std::span<const owned> those(std::optional<partition_id> only) const;
  void add(owned newest);
  // Takes the partitions out for which `is` returns true.
  template <class Is>
  std::vector<owned> take_if(Is &&is) {
    std::vector<owned> out;
    for (owned &p : all_) {
      if (!is(*p)) continue;
      by_name_.erase(p->full_name());
      out.push_back(std::move(p));
    }
    if (!out.empty()) forget_taken();
    return out;
  }

  // -- Commands and drains. --
  // The running command, or a timer that is due, may change the partition.
  void touch(partition &p) {
    if (p.listed.touched) return;
    put_in(touched_, p.listed.touched, p);
    put_in(changed_, p.listed.changed, p);
    put_in(awake_, p.listed.awake, p);
  }
  void end_command() {
    put_in_order(touched_);
    for (partition *p : touched_) {
      p->listed.touched = false;
      p->end_command();
    }
    touched_.clear();
    if (!read_.empty()) age_blocks();
  }
  void flush();  // after a drain

  // -- Decisions. --
  [[nodiscard]] bool has_work() const;
  // Calls `decide` for the partitions that may have something to decide, in creation order. A partition that made no
  // decision and is idle is not called again before it is touched.
  template <class Decide>
  void for_each_awake(Decide &&decide) {
    put_in_order(awake_);
    size_t kept = 0;
    for (partition *p : awake_) {
      if (stays_awake(*p, decide)) awake_[kept++] = p;
    }
    awake_.resize(kept);
  }
  // The same for this partition alone.
  template <class Decide>
  void for_one(partition &p, Decide &&decide) {
    if (!stays_awake(p, decide)) std::erase(awake_, &p);
  }

  // -- Readers. --
  void note_read(partition &p);  // the partition has blocks for readers
  [[nodiscard]] size_t frozen_bytes() const;

 private:
  static constexpr size_t looks_a_command = 4;

  template <class Decide>
  bool stays_awake(partition &p, Decide &&decide) {
    touch(p);
    return p.listed.awake = decide(p) || !p.is_idle();
  }
  static void put_in(std::vector<partition *> &list, bool &listed, partition &p) {
    if (!std::exchange(listed, true)) list.push_back(&p);
  }
  static void put_in_order(std::vector<partition *> &list) {
    if (list.size() > 1) sort(list);
  }
  static void sort(std::vector<partition *> &list);
  [[nodiscard]] partition *look_up(std::string_view full_name) const;
  [[nodiscard]] partition *look_up(partition_id id) const;
  void forget_taken();
  void age_blocks();

  std::vector<owned> all_;
  std::map<std::string_view, partition *> by_name_;
  mutable partition *found_ = nullptr;  // the last one that was looked up: mostly it is the next one, too
  std::vector<partition *> awake_;      // those that may have something to decide
  std::vector<partition *> touched_;    // by the running command
  std::vector<partition *> changed_;    // since the last drain
  std::vector<partition *> read_;       // those that have blocks for readers
  size_t next_look_ = 0;                // at one of read_
};

}  // namespace tenon::internal
