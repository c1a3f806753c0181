// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Tried room: what is taken of nodes and given back to them as if, while it is tried whether all of a gang finds room.
#pragma once

#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct tried_room_access {
  const class_table &classes;
  device_holdings &holdings;
  node_sortings &sortings;
  node_verdicts &verdicts;
  victim_room &victims;
  change_writer &changes;
};

class tried_room : tried_room_access {
 public:
  explicit tried_room(const tried_room_access &all) : tried_room_access(all) {}

  // The ask is as if on the node, with these devices of a type that were chosen for it.
  void take(node &n, const ask_class &c, const held_devices &chosen);
  void give(const allocation &x);  // as if it was gone
  // All of it is as before, but for what was done before there were `keep` of these.
  void undo(size_t keep = 0);
  [[nodiscard]] size_t size() const { return done_.size(); }

 private:
  struct step {
    node *where;
    const ask_class *taken;  // null: something was given
    const allocation *given;
    uint32_t devices = no_record;  // that are held as if
  };
  void resize(node &n, const resources &before, const resources &now);

  std::vector<step> done_;
};

}  // namespace tenon::internal
