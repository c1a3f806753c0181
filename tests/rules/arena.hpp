// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Arena: owns what commands only point to.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/commands.hpp"

namespace tenon::testing {

class arena {
 public:
  std::string_view text(std::string value) { return texts_.emplace_back(std::move(value)); }

  amounts resources(const amount_map &from) {
    std::vector<named_amount> &out = amounts_.emplace_back();
    for (const auto &[type, amount] : from) out.push_back({text(type), amount});
    return out;
  }

  texts tags(const std::map<std::string, std::string> &from) {
    std::vector<named_text> &out = tags_.emplace_back();
    for (const auto &[key, value] : from) out.push_back({text(key), text(value)});
    return out;
  }

  names list(const std::vector<std::string> &from) {
    std::vector<std::string_view> &out = names_.emplace_back();
    for (const std::string &one : from) out.push_back(text(one));
    return out;
  }

  std::span<const existing_allocation> existing(std::vector<existing_allocation> from) {
    return existing_.emplace_back(std::move(from));
  }

  std::span<const swapped_policy> policies(std::vector<swapped_policy> from) {
    return policies_.emplace_back(std::move(from));
  }

  const cluster_config *config(cluster_config from) { return &configs_.emplace_back(std::move(from)); }

 private:
  std::deque<std::string> texts_;
  std::deque<std::vector<named_amount>> amounts_;
  std::deque<std::vector<named_text>> tags_;
  std::deque<std::vector<std::string_view>> names_;
  std::deque<std::vector<existing_allocation>> existing_;
  std::deque<std::vector<swapped_policy>> policies_;
  std::deque<cluster_config> configs_;
};

}  // namespace tenon::testing
