// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Profile: what a seed is about. Narrow ones reach deep, wide ones mix everything. A seed draws one of those that
// are for it and of which the kernel has all features; the others are played when they are named.
#pragma once

#include <string>
#include <vector>

#include "oracle/features.hpp"
#include "random.hpp"

namespace tenon::sim {

struct profile {
  std::string name;
  bool limits = false;        // queue max applications, limits of users and groups
  bool places = false;        // few applications may run for a user or group, and lose what they have
  bool placement = false;     // rules, access lists, dynamic queues
  bool shares = false;        // applications change what their queue is guaranteed, which orders of applications read
  bool gangs = false;         // placeholders
  bool tight_gangs = false;   // most applications are gangs whose real asks nearly fit their placeholders
  bool whole_gangs = false;   // most gangs are hard, so that they begin whole
  bool preemption = false;    // guarantees, asks that preempt and allocations that may be taken, short delays
  bool quotas = false;        // a lowered max is enforced
  bool inspection = false;    // what asks wait for is asked
  bool dense = false;         // a small cluster that is full, little that goes
  bool reservations = false;  // asks that need much of a node or one node, short delays
  bool reloads = false;       // configurations change, resource managers come and go
  bool recovery = false;      // existing and foreign allocations
  bool timeouts = false;      // execution timeouts
  bool orders = false;        // leaves with a small max that keep the order of their asks
  bool late_types = false;    // more and more resource types
  bool huge = false;          // amounts near the largest sum
  bool devices = false;       // nodes divide types, allocations come with details
  bool choosing = false;      // an order of nodes chooses the devices
  bool canaries = false;      // some applications have another order of nodes
  bool checks = false;        // the resource manager checks placements
  bool people = false;        // queues are stopped and started, applications ended and moved
  bool odd = false;           // commands that must be refused
  int64_t crowd = 0;          // so many asks or allocations of an application, which one command then ends or inspects
  bool drawn = true;          // by seeds that name no profile
  int partitions = 1;
  int max_nodes = 8;
  int max_applications = 12;
  int64_t jump_percent = 3;  // steps that let much time pass
  naive::features compared = naive::kernel_has;
};

// All of them, by name.
[[nodiscard]] const std::vector<profile> &profiles();
// A random one that the kernel can play.
[[nodiscard]] const profile &draw_profile(random &r);
// Null when there is none of that name.
[[nodiscard]] const profile *find_profile(const std::string &name);

}  // namespace tenon::sim
