// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/reserved_nodes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "model/free_devices.hpp"
#include "model/gang_reservations.hpp"
#include "model/may_run.hpp"
#include "model/node_table.hpp"
#include "model/queue_headroom.hpp"

namespace tenon::internal {

bool reserved_nodes::may_use(const ask &a, const ask_class &c, const node &n) const {
  return std::all_of(n.reservations->begin(), n.reservations->end(), [&](const reservation *r) {
    if (is_for(*r, a) || (opens_to_higher(*r) && may_go_before(a, *r->of))) return true;
    if (!config.tuning.reservation_backfill) return false;
    const ask_class &reserved = classes[r->of->class_id];
    const int64_t *free = nodes.free(n.slot);
    const bool beside = std::all_of(reserved.positive.begin(), reserved.positive.end(), [&](const class_amount &p) {
      return p.amount <= sub_saturating(free[p.type], c.need[p.type]);
    });
    return (beside && devices.hold_both(n, c, reserved)) || ends_in_time(c, n, reserved);
  });
}

// Before what is known to end on the node makes room for the one that it is reserved for.
bool reserved_nodes::ends_in_time(const ask_class &c, const node &n, const ask_class &reserved) const {
  if (c.timeout_ms <= 0 || nodes.holds(reserved, n.slot)) return false;
  std::vector<std::pair<int64_t, const allocation *>> ending;
  for (const allocation *x : n.allocations) {
    const auto found = x->state == allocation_state::allocated ? ends_at.find(x->sequence) : ends_at.end();
    if (found != ends_at.end()) ending.emplace_back(found->second, x);
  }
  std::sort(ending.begin(), ending.end(), [](const auto &x, const auto &y) { return x.first < y.first; });
  std::vector<int64_t> free(nodes.free(n.slot), nodes.free(n.slot) + nodes.stride());
  free_devices there;
  there.start(nodes.devices().of(n.slot), reserved.types);
  for (const auto &[ends_ms, x] : ending) {
    if (x->devices != no_record) there.give(device_records[x->devices].held);
    for_each_type(classes[x->class_id].need,
                  [&](type_index t, int64_t amount) { free[t] = add_saturating(free[t], amount); });
    if (reserved.fits(free.data()) && there.fits(reserved))
      return add_saturating(shared.now_ms, c.timeout_ms) <= ends_ms;
  }
  return false;
}

}  // namespace tenon::internal
