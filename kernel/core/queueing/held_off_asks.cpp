// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/held_off_asks.hpp"

#include <utility>

#include "core.hpp"
#include "queueing/ask_alarms.hpp"
#include "queueing/ask_lines.hpp"

namespace tenon::internal {

void held_off_asks::add(ask &a) {
  a.wait->held_off = shared.next_epoch++;
  all_.emplace(a.wait->held_off, &a);
}

void held_off_asks::forget(ask &a) {
  if (a.wait != nullptr) all_.erase(std::exchange(a.wait->held_off, 0));
}

void held_off_asks::call_all() {
  for (const auto &[number, a] : std::exchange(all_, {})) {
    a->wait->held_off = 0;
    look_again(*a);
  }
}

void held_off_asks::look_again(ask &a) {
  if (a.wait != nullptr) a.wait->preempt_from_ms = INT64_MIN;
  if (a.line == ask_line::refused) {
    lines.line_up_again(a);
  } else {
    alarms.chance_changed(a);
  }
}

}  // namespace tenon::internal
