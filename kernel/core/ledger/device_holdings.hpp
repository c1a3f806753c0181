// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Device holdings: into which devices nodes are divided, what asks want of them, and who holds which.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/free_devices.hpp"
#include "model/node_table.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct device_holdings_access {
  const resource_types &types;
  const class_table &classes;
  const node_table &nodes;
  device_records &records;
  change_writer &changes;
};

class device_holdings : device_holdings_access {
 public:
  explicit device_holdings(const device_holdings_access &all) : device_holdings_access(all) {}

  // -- Whether what is told can be. "" or why not. --
  // A type that is there already stays as it is.
  static std::string check_ask(texts tags, const resources &need, const resource_types &by_name,
                               std::vector<class_devices> &out);
  static std::string check_detail(std::string_view key, std::string_view detail, const resources &need,
                                  const resource_types &by_name);

  // -- Who holds which: `record` is of the allocation or the replacement. --
  // As its attributes and what is on it say. True: types that some node divides are others now.
  [[nodiscard]] bool divide(node &n);
  // Holds what is settled and, with `choose`, what else the node has for the class.
  void assign(uint32_t &record, const node &n, const ask_class &c, const settled_devices &settled, bool choose);
  void resize(allocation &a, std::string_view detail);
  void free(uint32_t &record, const node *held_on);       // null: on a node that is gone, or nowhere
  void keep(uint32_t &record, const held_list &devices);  // for later; not held
  void count(const allocation &a, int sign);              // what it holds, as if it did not, and again

  // -- What there is. --
  [[nodiscard]] std::string_view text_of(uint32_t record) const { return records.text_of(record); }
  // The placeholder's devices that an ask of the class would have in its place. False: they would not do.
  bool take_over(const ask_class &c, const allocation &placeholder, held_list &out) const;
  // Were nothing of the scheduler's on the node.
  [[nodiscard]] bool may_hold(const node &n, const ask_class &c) const {
    return c.fits_empty(n) && (!n.divided || hold_for(n, c));
  }
  [[nodiscard]] bool hold_for(const node &n, const ask_class &c) const;
  [[nodiscard]] bool hold_both(const node &n, const ask_class &c, const ask_class &other) const;

 private:
  void add(uint32_t &record, const node &n, const held_devices &held);
  void write_text(device_record &record) const;
};

}  // namespace tenon::internal
