// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records of events on their way to RMs that want them: a subscriber with a thread of its own.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "arena.hpp"
#include "tenon/abi/rm_answers.h"
#include "tenon/events/event_hub.hpp"

namespace tenon::service {

struct event_for_rm {
  std::string_view rm;
  tenon_rm_event event;
};

class rm_events {
 public:
  // `tell` is called with what came together, on the thread; it may wait for the cycle.
  using teller = std::function<void(std::span<const event_for_rm>)>;
  rm_events(events::event_hub &hub, teller tell);
  // Not before the cycle answers no more, or is over.
  ~rm_events();
  rm_events(const rm_events &) = delete;
  rm_events &operator=(const rm_events &) = delete;

 private:
  void run();
  static tenon_status keep(void *self, const tenon_event_record *record);

  events::event_hub &hub_;
  teller tell_;
  tenon_event_subscription subscription_ = 0;
  arena memory_;
  std::vector<event_for_rm> kept_;
  std::thread thread_;
};

}  // namespace tenon::service
