// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/queue_limits.hpp"

namespace tenon::internal {
namespace {

constexpr std::string_view everybody = "*";

}  // namespace

queue_limits::queue_limits(std::vector<limit_config> limits) : all_(std::move(limits)) {
  for (uint32_t i = 0; i < all_.size(); ++i) {
    for (const std::string &user : all_[i].users) users_.emplace(user, place{i, static_cast<uint32_t>(users_.size())});
    for (const std::string &group : all_[i].groups)
      groups_.emplace(group, place{i, static_cast<uint32_t>(groups_.size())});
  }
}

const limit_config *queue_limits::named(const places &in, std::string_view name) const {
  const auto found = in.find(name);
  return found == in.end() ? nullptr : &all_[found->second.limit];
}

const limit_config *queue_limits::of_user(std::string_view name) const {
  const limit_config *own = named(users_, name);
  return own != nullptr ? own : named(users_, everybody);
}

const limit_config *queue_limits::of_group(std::string_view name) const { return named(groups_, name); }

std::string_view queue_limits::group_among(std::span<const std::string> groups) const {
  if (groups_.empty()) return {};
  auto first = groups_.end();
  for (const std::string &group : groups) {
    const auto found = groups_.find(group);
    if (found == groups_.end()) continue;
    if (first == groups_.end() || found->second.position < first->second.position) first = found;
  }
  if (first == groups_.end()) first = groups_.find(everybody);
  return first == groups_.end() ? std::string_view{} : first->first;
}

}  // namespace tenon::internal
