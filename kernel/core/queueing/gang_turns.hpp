// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gang turns: the applications in which an ask may take the place of a placeholder, in the order in which pass B looks
// at them. One in which nothing could be replaced is stuck, and not looked at before something changes for it.
#pragma once

#include <vector>

#include "model/objects.hpp"

namespace tenon::internal {

class gang_turns {
 public:
  [[nodiscard]] bool has_work() const { return !heap_.empty(); }
  [[nodiscard]] application &first() const { return *heap_.top(); }
  void tried(application &app);  // in vain

  // -- What may be possible now, or is not any more. --
  // Asks that wait in the group, or its placeholders, came or went. `more`: what could not be done may be possible now.
  void changed(task_group &g, bool more);
  void changed(application &app);  // whether it runs
  void wake_stuck();
  void wake_on(const node &n);  // those that have something to do with the node

 private:
  gang_heap heap_;
  std::vector<application *> stuck_;
};

}  // namespace tenon::internal
