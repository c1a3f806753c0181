// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reserved pass: pass A of the cycle, in which those for whom a node is kept go first.
#pragma once

#include "model/objects.hpp"

namespace tenon::internal {

class headroom;
class placement_checks;
class placer;
class preemption;
class ready_index;
class required_node_preemption;
class reserved_line;

class reserved_pass {
 public:
  reserved_pass(reserved_line &line, ready_index &ready, const internal::headroom &headroom, placement_checks &checks,
                internal::placer &placer, internal::preemption &preemption, required_node_preemption &on_node)
      : line_(line),
        ready_(ready),
        headroom_(headroom),
        checks_(checks),
        placer_(placer),
        preemption_(preemption),
        on_node_(on_node) {}

  [[nodiscard]] bool has_work() const;
  bool decide();

 private:
  bool try_one(reservation &r);
  bool place(reservation &r, bool &refused);

  reserved_line &line_;
  ready_index &ready_;
  const internal::headroom &headroom_;
  placement_checks &checks_;
  internal::placer &placer_;
  internal::preemption &preemption_;
  required_node_preemption &on_node_;
};

}  // namespace tenon::internal
