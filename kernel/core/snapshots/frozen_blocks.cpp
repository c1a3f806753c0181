// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sizes of blocks, with what the allocator adds.
#include "snapshots/frozen_blocks.hpp"

namespace tenon::internal {
namespace {

size_t on_heap(const std::string &text) { return text.capacity() > 15 ? text.capacity() + 17 : 0; }
size_t on_heap(const std::vector<std::string> &texts) {
  size_t out = texts.capacity() * sizeof(std::string);
  for (const std::string &text : texts) out += on_heap(text);
  return out;
}

}  // namespace

size_t frozen_ask::terms::bytes() const {
  size_t out = sizeof(terms) + 16 + on_heap(key) + on_heap(task_group) + tags.capacity() * sizeof(tags[0]);
  for (const auto &[name, value] : tags) out += on_heap(name) + on_heap(value);
  return out;
}

size_t frozen_allocation::rare::bytes() const {
  return sizeof(rare) + 16 + on_heap(foreign_key) + on_heap(task_group) + on_heap(detail) + on_heap(replaced_by);
}

size_t frozen_node::facts::bytes() const {
  size_t out = sizeof(facts) + 16 + on_heap(id);
  for (const auto &[key, value] : attributes) out += 112 + on_heap(key) + on_heap(value);
  return out;
}

size_t frozen_node::rare::bytes() const {
  size_t out = sizeof(rare) + 16 + on_heap(reservations);
  for (const auto &[type, free] : devices) out += 112 + free.size() * sizeof(int64_t);
  for (const auto &[sequence, name] : coming) out += sizeof(coming[0]) + on_heap(name);
  return out;
}

size_t frozen_application::facts::bytes() const {
  return sizeof(facts) + 16 + on_heap(id) + on_heap(queue) + on_heap(user) + on_heap(message) + on_heap(groups) +
         on_heap(reservations) + on_heap(reserved_for) + sizes.capacity() * sizeof(resources) +
         tags.capacity() * sizeof(tags[0]) + state_log.capacity() * sizeof(state_log[0]) +
         task_groups.capacity() * sizeof(task_groups[0]);
}

}  // namespace tenon::internal
