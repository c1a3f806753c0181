// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Frozen marks: which blocks of readers a change makes stale.
#pragma once

#include "model/changes.hpp"
#include "readers/frozen_columns.hpp"

namespace tenon::internal {

// Nothing that readers see.
template <class Change>
void mark(frozen_columns &, const Change &) {}

inline void mark(frozen_columns &in, const node_moved &c) { in.nodes.touch(c.of.slot, block_changed); }
inline void mark(frozen_columns &in, const capacity_set &c) { in.nodes.touch(c.of.slot, block_changed); }
inline void mark(frozen_columns &in, const occupied_set &c) { in.nodes.touch(c.of.slot, block_changed); }
inline void mark(frozen_columns &in, const attributes_set &c) { in.nodes.touch(c.of.slot, block_changed); }
inline void mark(frozen_columns &in, const node_removed &c) { in.nodes.touch(c.of.slot, block_changed); }
inline void mark(frozen_columns &in, const room_taken &c) { in.nodes.touch(c.on.slot, block_moved); }
inline void mark(frozen_columns &in, const room_given &c) { in.nodes.touch(c.on.slot, block_moved); }
inline void mark(frozen_columns &in, const node_changed &c) { in.nodes.touch(c.of.slot, block_moved); }
inline void mark(frozen_columns &in, const devices_held &c) { in.nodes.touch(c.on.slot, block_moved); }

inline void mark(frozen_columns &in, const application_moved &c) { in.applications.touch(c.of.index, block_changed); }
inline void mark(frozen_columns &in, const application_made &c) { in.applications.touch(c.of.index, block_changed); }
inline void mark(frozen_columns &in, const application_left &c) { in.applications.touch(c.of.index, block_changed); }
inline void mark(frozen_columns &in, const application_forgotten &c) {
  in.applications.touch(c.of.index, block_changed);
}
inline void mark(frozen_columns &in, const application_rehomed &c) { in.applications.touch(c.of.index, block_changed); }
inline void mark(frozen_columns &in, const application_ordered &c) { in.applications.touch(c.of.index, block_moved); }

inline void mark(frozen_columns &in, const ask_filled &c) { in.asks.touch(c.of.index, block_changed); }
inline void mark(frozen_columns &in, const ask_placed &c) { in.asks.touch(c.of.index, block_moved); }
inline void mark(frozen_columns &in, const ask_forgotten &c) { in.asks.touch(c.of.index, block_moved); }
inline void mark(frozen_columns &in, const group_counted &c) {
  in.applications.touch(c.of.owner->index, block_changed);
}
inline void mark(frozen_columns &in, const replacement_changed &c) { in.allocations.touch(c.of.index, block_changed); }
inline void mark(frozen_columns &in, const victims_changed &c) { in.asks.touch(c.of.index, block_moved); }
inline void mark(frozen_columns &in, const reservation_changed &c) {
  in.asks.touch(c.of.of->index, block_moved);
  in.applications.touch(c.of.of->owner->index, block_changed);
  in.nodes.touch(c.of.where->slot, block_moved);
}
inline void mark(frozen_columns &in, const ask_told &c) { in.asks.touch(c.of.index, block_moved); }
inline void mark(frozen_columns &in, const ask_lined_up &c) { in.asks.touch(c.of.index, block_moved); }
inline void mark(frozen_columns &in, const ask_moved &c) { in.asks.touch(c.of.index, block_moved); }
inline void mark(frozen_columns &in, const allocation_made &c) { in.allocations.touch(c.of.index, block_changed); }
inline void mark(frozen_columns &in, const allocation_moved &c) { in.allocations.touch(c.of.index, block_changed); }
inline void mark(frozen_columns &in, const allocation_resized &c) { in.allocations.touch(c.of.index, block_changed); }
inline void mark(frozen_columns &in, const allocation_ended &c) { in.allocations.touch(c.of.index, block_changed); }

}  // namespace tenon::internal
