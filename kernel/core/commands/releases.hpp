// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Releases: what the resource manager gives back, or confirms to be gone.
#pragma once

#include "forward.hpp"
#include "model/application_table.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct releases_access {
  const application_table &of;
  application_states &states;
  allocation_states &allocations;
  foreign_allocations &foreign;
  internal::proposals &proposals;
  internal::replacements &replacements;
  unfit_placements &unfit;
  change_dispatcher &changes;
};

class releases : releases_access {
 public:
  explicit releases(const releases_access &all) : releases_access(all) {}

  void obey(const tenon::release &c);

 private:
  void release_of(application &app, const tenon::release &c);
  void end_allocation(allocation &a, termination why);
};

}  // namespace tenon::internal
