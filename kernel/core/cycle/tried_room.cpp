// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/tried_room.hpp"

#include "ledger/change_writer.hpp"
#include "ledger/device_holdings.hpp"
#include "ledger/victim_room.hpp"
#include "policies/node_sorting.hpp"
#include "rules/node_verdicts.hpp"

namespace tenon::internal {

void tried_room::take(node &n, const ask_class &c, const held_devices &chosen) {
  resize(n, {}, c.need);
  step &s = done_.emplace_back(step{&n, &c, nullptr});
  if (n.divided) holdings.assign(s.devices, n, c, {{}, chosen}, true);
}

void tried_room::give(const allocation &x) {
  holdings.count(x, -1);
  resize(*x.where, classes[x.class_id].need, {});
  done_.push_back({x.where, nullptr, &x});
}

void tried_room::undo(size_t keep) {
  for (; done_.size() > keep; done_.pop_back()) {
    step &s = done_.back();
    if (s.taken != nullptr) {
      holdings.free(s.devices, s.where);
      resize(*s.where, s.taken->need, {});
    } else {
      resize(*s.where, {}, classes[s.given->class_id].need);
      holdings.count(*s.given, 1);
    }
  }
}

void tried_room::resize(node &n, const resources &before, const resources &now) {
  changes.apply(room_resized{n, before, now});
  changes.apply(node_stored{n});
  sortings.touch(n.slot);
  verdicts.amounts_changed(n.slot);
  victims.outcome_changed();
}

}  // namespace tenon::internal
