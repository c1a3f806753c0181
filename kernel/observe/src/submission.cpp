// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/observe/config_plan.hpp"

namespace tenon::observe {

submission submission_of(const add_application &c) {
  submission one;
  one.partition = c.partition;
  one.queue = c.queue;
  one.user = c.user;
  for (const std::string_view group : c.groups) one.groups.emplace_back(group);
  for (const named_text &tag : c.tags) one.tags[std::string(tag.key)] = tag.value;
  for (const named_amount &a : c.placeholder_ask) one.placeholder_ask[std::string(a.type)] = a.amount;
  one.hard_gang = c.hard_gang;
  return one;
}

}  // namespace tenon::observe
