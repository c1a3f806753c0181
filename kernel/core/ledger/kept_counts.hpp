// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Kept counts: what a partition keeps for its resource manager (tenon/kernel/kept.hpp), counted by the changes with
// which it comes and goes. What a rule remembers beside that it counts itself (kept_bytes()).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/kept_sizes.hpp"
#include "model/changes.hpp"
#include "model/node_table.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/kept.hpp"

namespace tenon::internal {

struct kept_counts_access {
  // Applications by id, and allocations of others and their tags by key.
  const text_map<application *> &active;
  const text_map<allocation *> &foreign;
  const std::map<std::string, tag_list, std::less<>> &foreign_tags;
  const node_table &nodes;
};

class kept_counts : kept_counts_access {
 public:
  explicit kept_counts(const kept_counts_access &all) : kept_counts_access(all) {}

  [[nodiscard]] const kept_amounts &amounts() const { return amounts_; }

  // -- Of changes, which the ledger wrote before. With all others what is kept stays the same. --
  template <class Change>
  void write(const Change &) {}
  void write(const ask_filled &c) { amounts_ += of_ask(c.of); }
  void write(const ask_wants &c);
  void write(const ask_replaced &c) { amounts_ -= of_ask(c.of); }
  void write(const ask_forgotten &c) { amounts_ -= of_ask(c.of); }
  void write(const allocation_made &c) {
    if (c.of.foreign) amounts_ += of_foreign(c.of);
  }
  void write(const allocation_leaving &c) {
    if (c.of.foreign) amounts_ -= of_foreign(c.of);
  }
  void write(const application_made &) { ++amounts_.applications; }
  void write(const application_admitted &c);
  void write(const group_made &c);
  void write(const application_left &c);
  void write(const attributes_set &c);
  void write(const node_removed &c);
  void write(const queue_made &c);
  void write(const queue_named &c) { forget(c.of); }
  void write(const queue_retired &c) { forget(c.of); }

  // What goes when the command comes.
  [[nodiscard]] kept_amounts instead_of(const tenon::put_ask &c) const;
  [[nodiscard]] kept_amounts instead_of(const tenon::put_allocation &c) const;
  [[nodiscard]] kept_amounts instead_of(const tenon::update_node &c) const;

 private:
  [[nodiscard]] static kept_amounts of_ask(const ask &a) {
    const uint64_t wanted = wanted_allocations(a.max_allocations);
    const size_t of_tags = a.more_said == nullptr ? 0 : size_of_pairs(a.tags());
    return {0, wanted, 0, ask_size + a.key.size() + of_tags + wanted * allocation_size};
  }
  void add_bytes(application &app, uint64_t more);
  void forget(queue &q);
  [[nodiscard]] kept_amounts of_foreign(const allocation &a) const;

  kept_amounts amounts_;
};

}  // namespace tenon::internal
