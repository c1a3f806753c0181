// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rehearsal: what would happen to an ask after changes of limits and nodes, seen on a copy of its partition.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core.hpp"
#include "forward.hpp"
#include "tenon/kernel/explain.hpp"

namespace tenon::internal {

struct ask;
struct queue;

// Makes a copy of the partition that is rehearsed, in a core of its own.
using copy_maker = std::function<std::unique_ptr<partition>(core &)>;

// The copy steps as the partition would, at the same time; nothing of it is ever heard of.
class rehearsal {
 public:
  // The ask is there and pending. Nodes that are added without a name are called `new_node` and their number.
  rehearsal(const core &shared, const copy_maker &copy, std::string_view application, std::string_view key,
            std::string_view new_node);
  ~rehearsal();
  rehearsal(const rehearsal &) = delete;
  rehearsal &operator=(const rehearsal &) = delete;

  void make(const std::vector<change> &changes);
  // Decides until one of the ask is placed (or proposed, or put in the place of a placeholder), nothing is left to be
  // decided, too much was, or `stops` is true, which may be null. True: it was placed.
  [[nodiscard]] bool run(const std::atomic<bool> *stops);
  [[nodiscard]] uint64_t others() const { return others_; }  // decisions for others so far
  // What holds it now, and what it lacks for itself.
  [[nodiscard]] explanation look() const;

 private:
  void make(const change &one);
  void raise_limit(queue &q, const change &one);
  void change_node(const change &one);
  void add_node(const change &one);

  core core_;
  std::unique_ptr<partition> copy_;
  ask *ask_ = nullptr;
  uint64_t made_ = 0, others_ = 0;  // decisions
  std::string new_node_;
  uint32_t added_ = 0;  // nodes without a name
};

// What a copy of it costs goes by.
[[nodiscard]] uint64_t objects_in(const partition_model &of);

// Looks for changes that let the ask run: outcome, changes, after and holds. Nothing is done in a partition that is
// larger than the terms say.
void find_changes(const partition_model &of, const core &shared, const copy_maker &copy, const explain_terms &terms,
                  explanation &out);

}  // namespace tenon::internal
