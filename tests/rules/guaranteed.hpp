// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene.hpp"

namespace tenon::testing {

// A queue with a guarantee, whose asks preempt a second after they came.
inline queue_config guaranteed(std::string name, amount_map amounts, std::vector<queue_config> children = {}) {
  queue_config q = make_queue(std::move(name), std::move(children));
  q.guaranteed = std::move(amounts);
  q.properties["preemption.delay"] = "1s";
  return q;
}

}  // namespace tenon::testing
