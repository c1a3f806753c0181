// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A user handed to a source of groups as the host would.
#pragma once

#include <string>
#include <vector>

#include "tenon/kernel/policies.hpp"
#include "tenon/testing/policy_table.hpp"

namespace tenon::testing {

struct resolved {
  tenon_status status = TENON_OK;
  std::vector<std::string> groups;
  uint64_t wanted_groups = 0, wanted_bytes = 0;
  std::string text;
};

inline resolved resolve(const bound_policy &source, const std::string &user, uint32_t group_buffer = 1000,
                        size_t byte_capacity = 100'000) {
  const tenon_resolve_in in{sizeof in, 0, as_text(user)};
  std::vector<tenon_text> groups(group_buffer);
  std::string entry(byte_capacity, '?'), buffer(200, '?');
  tenon_message error{sizeof error, static_cast<uint32_t>(buffer.size()), buffer.data(), 0};
  tenon_resolve_out out{sizeof out, group_buffer, groups.data(), 0, entry.data(), byte_capacity, 0, &error};
  resolved answer;
  answer.status = source.identity->resolve(source.instance, &in, &out);
  answer.wanted_groups = out.group_count;
  answer.wanted_bytes = out.room_length;
  answer.text = buffer.substr(0, error.length);
  if (answer.status != TENON_OK) return answer;
  for (uint64_t i = 0; i < out.group_count; ++i) answer.groups.emplace_back(groups[i].data, groups[i].length);
  return answer;
}

}  // namespace tenon::testing
