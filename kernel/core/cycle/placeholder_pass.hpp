// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placeholder pass: pass B of the cycle, which puts real asks in the place of placeholders.
#pragma once

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct placeholder_pass_access {
  class_table &classes;
  const node_fitness &fitness;
  placement_checks &checks;
  internal::placer &placer;
  ask_lines &lines;
  gang_turns &gangs;
  internal::replacements &replacements;
};

class placeholder_pass : placeholder_pass_access {
 public:
  explicit placeholder_pass(const placeholder_pass_access &all) : placeholder_pass_access(all) {}

  [[nodiscard]] bool has_work() const;
  bool decide();

 private:
  bool replace_in(application &app);
  bool replace_one(ask &a, task_group &g, bool &rm_refuses);
};

}  // namespace tenon::internal
