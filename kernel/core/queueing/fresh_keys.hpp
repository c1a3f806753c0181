// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Fresh keys: those of queues and applications as their policies would make them now, kept nowhere: for those who look
// at an order and change nothing of it.
#pragma once

#include <map>
#include <vector>

#include "core.hpp"
#include "model/objects.hpp"
#include "policies/call_contexts.hpp"

namespace tenon::internal {

struct fresh_keys_access {
  const core &shared;
  const call_contexts &contexts;
};

class fresh_keys : fresh_keys_access {
 public:
  template <class Item>
  using keys_of = std::map<const Item *, sort_key>;  // any order: looked up, never walked

  explicit fresh_keys(const fresh_keys_access &all) : fresh_keys_access(all) {}

  // `fine`: whether the policy made them.
  keys_of<queue> of_children(const queue &parent, bool *fine = nullptr) const;
  keys_of<application> of_applications(const queue &leaf, bool *fine = nullptr) const;
  // Of some of them.
  keys_of<application> of_applications(const queue &leaf, const std::vector<application *> &some,
                                       bool *fine = nullptr) const;
};

}  // namespace tenon::internal
