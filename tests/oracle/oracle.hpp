// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The naive kernel: the rules of docs/decisions.md in the shortest code that says them. Everything is sorted
// again and scanned from end to end at every decision; nothing is cached and nothing is indexed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "features.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon {

// Has the shape of `kernel`, and policies of its own by the names of the built-in ones.
class oracle {
 public:
  explicit oracle(kernel_options options = {}, naive::features has = {});
  ~oracle();
  oracle(const oracle &) = delete;
  oracle &operator=(const oracle &) = delete;

  uint32_t apply(int64_t now_ms, const command &c);
  void drain(const std::function<void(const decision_view &)> &take);
  [[nodiscard]] std::optional<int64_t> next_due() const;
  [[nodiscard]] int64_t now_ms() const;
  void set_rm_check(rm_check check, rm_check reservations = {});
  [[nodiscard]] kernel_snapshot snapshot() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace tenon
