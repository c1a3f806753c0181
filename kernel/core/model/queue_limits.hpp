// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The limits of a queue, found by user or group: a queue may have as many as it has users.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

class queue_limits {
 public:
  queue_limits() = default;
  explicit queue_limits(std::vector<limit_config> limits);
  queue_limits(const queue_limits &) = delete;
  queue_limits &operator=(const queue_limits &) = delete;
  queue_limits(queue_limits &&) = default;
  queue_limits &operator=(queue_limits &&) = default;
  ~queue_limits() = default;

  // In the order of the configuration.
  [[nodiscard]] const std::vector<limit_config> &all() const { return all_; }
  // The first that names the user, else the first of "*"; null: there is none.
  [[nodiscard]] const limit_config *of_user(std::string_view name) const;
  // The first that names the group, which may be "*".
  [[nodiscard]] const limit_config *of_group(std::string_view name) const;
  // The one of the groups that a limit names first, else "*" where a limit is for it, else "".
  [[nodiscard]] std::string_view group_among(std::span<const std::string> groups) const;

 private:
  struct place {
    uint32_t limit = 0;     // in all_
    uint32_t position = 0;  // among the names of all limits
  };
  // Names lie in all_, whose elements stay where they are when this is moved.
  using places = boost::unordered_flat_map<std::string_view, place>;
  [[nodiscard]] const limit_config *named(const places &in, std::string_view name) const;

  std::vector<limit_config> all_;
  places users_, groups_;
};

}  // namespace tenon::internal
