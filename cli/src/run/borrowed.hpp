// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Owned values as the spans that commands borrow. Each lives until the command has been applied.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::cli {

class borrowed_amounts {
 public:
  explicit borrowed_amounts(const amount_map &from) {
    for (const auto &[type, amount] : from) items_.push_back({type, amount});
  }
  explicit borrowed_amounts(amount_map &&) = delete;
  operator amounts() const { return items_; }

 private:
  std::vector<named_amount> items_;
};

class borrowed_texts {
 public:
  explicit borrowed_texts(const std::map<std::string, std::string> &from) {
    for (const auto &[key, text] : from) items_.push_back({key, text});
  }
  explicit borrowed_texts(std::map<std::string, std::string> &&) = delete;
  operator texts() const { return items_; }

 private:
  std::vector<named_text> items_;
};

class borrowed_names {
 public:
  explicit borrowed_names(const std::vector<std::string> &from) : items_(from.begin(), from.end()) {}
  explicit borrowed_names(std::vector<std::string> &&) = delete;
  operator names() const { return items_; }

 private:
  std::vector<std::string_view> items_;
};

}  // namespace tenon::cli
