// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queue tree: the queues of a partition, as configured and as placement rules made them: found, made, configured,
// drained, and cleaned up when nothing is left in them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forward.hpp"
#include "model/administrators_stops.hpp"
#include "model/objects.hpp"
#include "rules/lifecycles.hpp"

namespace tenon::internal {

struct queue_tree_access {
  std::unique_ptr<queue> &root;
  resources &total;  // of all nodes
  queue_orders &orders;
  resource_intake &intake;
  sort_keys &keys;
  internal::limits &limits;
  internal::quotas &quotas;
  const reader_marks &marks;
  change_dispatcher &changes;
  const administrators_stops &stops;
};

class queue_tree final : public queue_lifecycle, queue_tree_access {
 public:
  explicit queue_tree(const queue_tree_access &all) : queue_tree_access(all) {}

  [[nodiscard]] queue *find_queue(std::string_view path) const override;
  queue &create_queue(queue *parent, std::string_view name, bool leaf, bool managed) override;
  void resolve_properties(queue &q) override;
  bool knows_types_of(const amount_map &amounts) override;
  resources configured_amounts(const amount_map &from) override;
  // By its own max and those above it, the root left out; a type without max is unlimited.
  [[nodiscard]] static resources configured_max(const queue &q);
  // Nothing: there is no such queue.
  [[nodiscard]] std::optional<bool> may_administer(std::string_view path, std::string_view user,
                                                   std::span<const std::string_view> groups) const;

  // -- Configuration. --
  // "" or why the queue and those below it cannot become what is configured.
  [[nodiscard]] std::string problem_with(const queue_config &c, const std::string &path, uint32_t depth,
                                         uint32_t most_levels) const;
  void configure(queue &q, const queue_config &c);

  void count_capacity(const resources &comes, const resources &goes);  // of a node, in the root's max
  void clean();
  void flush() { gone_.clear(); }

  // As another one has it: for a copy of the partition.
  void number_from(uint64_t next) { next_ = next; }
  [[nodiscard]] uint64_t next_number() const { return next_; }

 private:
  void stop_if_wished(queue &q);  // by administrators
  void drain(queue &q, bool with_dynamic);
  void retire(queue &q);          // by clean(), which forgets it next
  void forget_retired(queue &q);  // its children that are gone
  void forget_retired();          // in what names queues

  std::vector<std::unique_ptr<queue>> gone_;  // until the next drain of decisions
  uint64_t next_ = 1;
};

}  // namespace tenon::internal
