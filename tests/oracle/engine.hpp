// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The oracle where the command line takes a scheduler.
#pragma once

#include <memory>

#include "oracle/oracle.hpp"
#include "run/engine.hpp"

namespace tenon {

class oracle_engine final : public cli::engine {
 public:
  uint32_t apply(int64_t now_ms, const command &c) override { return oracle_.apply(now_ms, c); }
  void drain(const std::function<void(const decision_view &)> &take) override { oracle_.drain(take); }
  [[nodiscard]] std::optional<int64_t> next_due() const override { return oracle_.next_due(); }
  [[nodiscard]] std::span<const step_answer> answers() const override { return {}; }
  [[nodiscard]] std::optional<std::string> problem_with(const command &) const override { return std::nullopt; }
  void set_rm_check(rm_check check, rm_check reservations) override {
    oracle_.set_rm_check(std::move(check), std::move(reservations));
  }
  [[nodiscard]] bool has_work() const override { return true; }
  [[nodiscard]] kernel_snapshot snapshot() override { return oracle_.snapshot(); }
  std::optional<explanation> explain(std::string_view, std::string_view, std::string_view) override { return {}; }

 private:
  oracle oracle_;
};

// Has no policies: it knows the built-in ones by itself.
[[nodiscard]] inline cli::engine_factory oracle_factory() {
  return [](policy_source &) -> std::unique_ptr<cli::engine> { return std::make_unique<oracle_engine>(); };
}

}  // namespace tenon
