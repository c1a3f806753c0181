// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reserver: an ask that no node has room for gets one kept for it, when it waited long enough.
#pragma once

#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

class node_search;
class reservations;
class reserved_line;
struct core;

class reserver {
 public:
  reserver(const core &shared, const reserved_line &line, node_search &search, internal::reservations &reservations)
      : shared_(shared), line_(line), search_(search), reservations_(reservations) {}

  // `refused`: set where the resource manager did not agree with a node.
  bool reserve(ask &a, ask_class &c, bool &refused);

 private:
  const core &shared_;
  const reserved_line &line_;
  node_search &search_;
  internal::reservations &reservations_;
};

}  // namespace tenon::internal
