// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reserved pass: pass A of the cycle, in which those for whom a node is kept go first.
#pragma once

#include "forward.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct reserved_pass_access {
  reserved_line &line;
  ready_index &ready;
  const internal::headroom &headroom;
  placement_checks &checks;
  internal::placer &placer;
  internal::preemption &preemption;
  required_node_preemption &on_node;
};

class reserved_pass : reserved_pass_access {
 public:
  explicit reserved_pass(const reserved_pass_access &all) : reserved_pass_access(all) {}

  [[nodiscard]] bool has_work() const;
  bool decide();

 private:
  bool try_one(reservation &r);
  bool place(reservation &r, bool &refused);
};

}  // namespace tenon::internal
