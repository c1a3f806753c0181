// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/victims.hpp"

namespace tenon::internal {

bool gives_way_before(const allocation &a, const allocation &b) {
  if (a.preempt_self != b.preempt_self) return a.preempt_self;
  if (a.originator != b.originator) return !a.originator;
  if (a.priority != b.priority) return a.priority < b.priority;
  if (a.create_time_ms != b.create_time_ms) return a.create_time_ms > b.create_time_ms;
  if (a.bind_time_ms != b.bind_time_ms) return a.bind_time_ms > b.bind_time_ms;
  if (const int order = a.key().compare(b.key()); order != 0) return order < 0;
  if (const int order = a.owner->id.compare(b.owner->id); order != 0) return order < 0;
  return a.sequence > b.sequence;
}

}  // namespace tenon::internal
