// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Kept counts: what a partition keeps for its resource manager (tenon/kernel/kept.hpp), counted where it comes and
// goes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/kept_sizes.hpp"
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

  void add(const ask &a);
  void remove(const ask &a);
  void want(const ask &a, int32_t wanted);  // it is going to want so many allocations
  void add_foreign(const allocation &a);
  void remove_foreign(const allocation &a);

  void application_enters() { ++amounts_.applications; }
  void application_leaves() { --amounts_.applications; }
  void add(application &app);  // its texts; once
  void add(application &app, const task_group &group);
  void remove(const application &app) { amounts_.bytes -= app.kept_bytes; }

  void add(node &n);
  void recount(node &n);  // its texts are others
  void remove(const node &n);

  void add(queue &q);
  void remove(queue &q);  // it goes, or the configuration names it now

  // -- Of users and groups. --
  void add_usage(uint64_t bytes);
  void remove_usage(uint64_t bytes);
  void remove_all_usage() { remove_usage(usage_bytes_); }

  // -- Whatever else has a size. --
  void add_bytes(uint64_t bytes) { amounts_.bytes += bytes; }
  void remove_bytes(uint64_t bytes) { amounts_.bytes -= bytes; }

  // What goes when the command comes.
  [[nodiscard]] kept_amounts instead_of(const tenon::put_ask &c) const;
  [[nodiscard]] kept_amounts instead_of(const tenon::put_allocation &c) const;
  [[nodiscard]] kept_amounts instead_of(const tenon::update_node &c) const;

 private:
  [[nodiscard]] kept_amounts of_foreign(const allocation &a) const;

  kept_amounts amounts_;
  uint64_t usage_bytes_ = 0;  // in its bytes: of users and groups
};

}  // namespace tenon::internal
