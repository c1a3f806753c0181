// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Freezer: what readers who come again see of a partition, in blocks that are made anew for what changed alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core.hpp"
#include "model/partition_model.hpp"
#include "outbound/reader_marks.hpp"
#include "snapshots/frozen_columns.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::internal {

struct freezer_access {
  core &shared;
  const resource_types &types;
  const class_table &classes;
  const node_table &nodes;
  const std::unique_ptr<queue> &root;
  const resources &total;  // of all nodes
  const slab<application> &applications;
  const slab<app_class> &app_classes;
  const slab<ask> &asks;
  const slab<allocation> &allocations;
  const device_records &held_devices_of;
  const std::map<std::string, tag_list, std::less<>> &foreign_tags;
  const usage_trackers &users;
  const usage_trackers &groups;
  reader_marks &marks;
};

class freezer : freezer_access {
 public:
  explicit freezer(const freezer_access &all) : freezer_access(all) {}

  // `head`: what is no list.
  void freeze(snapshot_part parts, partition_snapshot head, frozen_partition &out);
  // Makes so many blocks that freeze() would, and gives how many it leaves.
  size_t freeze_some(snapshot_part parts, size_t most);
  // Drops some of the blocks where nobody has read them for long.
  void age() {
    if (!empty()) drop_old();
  }
  [[nodiscard]] bool empty() const { return frozen_ == nullptr && unread_ == nullptr; }
  void forget();  // the blocks
  [[nodiscard]] size_t bytes() const { return frozen_ == nullptr ? 0 : frozen_->bytes() + marks.bytes(); }

 private:
  void start();
  void drop_old();
  void make_block(uint32_t at, uint8_t how, frozen_ask &out);
  void make_block(uint32_t at, uint8_t how, frozen_allocation &out);
  void make_block(uint32_t at, uint8_t how, frozen_node &out);
  void make_block(uint32_t at, uint8_t how, frozen_application &out);
  void make_block(uint32_t at, uint8_t how, frozen_class &out);
  void freeze_queues();
  void freeze_waits(std::vector<frozen_wait> &out) const;

  std::shared_ptr<frozen_columns> frozen_;  // null: nobody reads
  std::shared_ptr<frozen_columns> unread_;  // on its way out
};

}  // namespace tenon::internal
