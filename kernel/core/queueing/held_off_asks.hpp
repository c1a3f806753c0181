// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Held-off asks: those whose last try to preempt failed for reservations of others. When one of these ends they may try
// again, whenever they tried last.
#pragma once

#include <cstdint>
#include <map>

#include "forward.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct held_off_asks_access {
  core &shared;
  ask_lines &lines;
  ask_alarms &alarms;
};

class held_off_asks : held_off_asks_access {
 public:
  explicit held_off_asks(const held_off_asks_access &all) : held_off_asks_access(all) {}

  [[nodiscard]] const std::map<uint64_t, ask *> &all() const { return all_; }  // by their last try
  void add(ask &a);
  void forget(ask &a);  // it tries again, or is no more
  void call() {         // a reservation ended
    if (!all_.empty()) call_all();
  }
  void look_again(ask &a);  // it may try now, whenever it tried last

 private:
  void call_all();

  std::map<uint64_t, ask *> all_;
};

}  // namespace tenon::internal
