// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Held-off asks: those whose last try to preempt failed for reservations of others. When one of these ends they may try
// again, whenever they tried last.
#pragma once

#include <cstdint>
#include <map>

#include "model/objects.hpp"

namespace tenon::internal {

class ask_alarms;
class ask_lines;
struct core;

class held_off_asks {
 public:
  held_off_asks(core &shared, ask_lines &lines, ask_alarms &alarms) : shared_(shared), lines_(lines), alarms_(alarms) {}

  [[nodiscard]] const std::map<uint64_t, ask *> &all() const { return all_; }  // by their last try
  void add(ask &a);
  void forget(ask &a);  // it tries again, or is no more
  void call() {         // a reservation ended
    if (!all_.empty()) call_all();
  }

 private:
  void call_all();

  core &shared_;
  ask_lines &lines_;
  ask_alarms &alarms_;
  std::map<uint64_t, ask *> all_;
};

}  // namespace tenon::internal
