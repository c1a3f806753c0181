// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Profile: what a seed is about. Every seed draws one; narrow ones reach deep, wide ones mix everything.
#pragma once

#include <string>

#include "random.hpp"

namespace tenon::sim {

struct profile {
  std::string name;
  bool limits = false;     // queue max applications, limits of users and groups
  bool placement = false;  // rules, access lists, dynamic queues
  bool gangs = false;      // placeholders
  bool reloads = false;    // configurations change, resource managers come and go
  bool recovery = false;   // existing and foreign allocations
  bool timeouts = false;   // execution timeouts
  bool odd = false;        // commands that must be refused
  int partitions = 1;
  int max_nodes = 8;
  int max_applications = 12;
  int64_t jump_percent = 3;  // steps that let much time pass
};

[[nodiscard]] inline profile draw_profile(random &r) {
  profile p;
  switch (r.between(0, 5)) {
    case 0:
      p.name = "plain";
      break;
    case 1:
      p.name = "limits";
      p.limits = true;
      p.max_applications = 20;
      break;
    case 2:
      p.name = "placement";
      p.placement = p.odd = true;
      break;
    case 3:
      p.name = "churn";
      p.recovery = p.timeouts = p.odd = true;
      p.max_nodes = 20;
      p.jump_percent = 10;
      break;
    case 4:
      p.name = "reloads";
      p.reloads = p.limits = true;
      p.partitions = 2;
      break;
    default:
      p.name = "everything";
      p.limits = p.placement = p.gangs = p.reloads = p.recovery = p.timeouts = p.odd = true;
      p.partitions = 2;
      p.jump_percent = 6;
  }
  return p;
}

}  // namespace tenon::sim
