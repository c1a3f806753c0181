// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the command line asks of a scheduler: the kernel's public shape behind an interface, so that
// scenarios and loads can also be played against the oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/host/thread_role.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon::cli {

// See tenon::kernel for the contract of each function.
class engine {
 public:
  virtual ~engine() = default;
  virtual uint32_t apply(int64_t now_ms, const command &c) = 0;
  virtual void drain(const std::function<void(const decision_view &)> &take) = 0;
  [[nodiscard]] virtual std::optional<int64_t> next_due() const = 0;
  [[nodiscard]] virtual std::span<const step_answer> answers() const = 0;
  virtual void set_rm_check(rm_check check, rm_check reservations) = 0;
  // Nothing where it cannot say.
  [[nodiscard]] virtual std::optional<std::string> problem_with(const command &c) const = 0;
  [[nodiscard]] virtual bool has_work() const = 0;
  [[nodiscard]] virtual kernel_snapshot snapshot() = 0;
  [[nodiscard]] virtual std::optional<explanation> explain(std::string_view partition, std::string_view application,
                                                           std::string_view key) = 0;
  // Nothing where policies cannot be asked.
  [[nodiscard]] virtual std::vector<policy_answer> ask_policies(std::string_view /*partition*/,
                                                                const policy_question & /*about*/) {
    return {};
  }
  // One that decides as this one would, or by the policies of `by`, and ends before it. Null where there is none; see
  // kernel::copy().
  [[nodiscard]] virtual std::unique_ptr<engine> copy(policy_source * /*by*/ = nullptr) const { return nullptr; }
};

template <class Scheduler>
class engine_of final : public engine {
 public:
  template <class... Arguments>
  explicit engine_of(Arguments &&...arguments)
      : scheduler_(std::make_unique<Scheduler>(std::forward<Arguments>(arguments)...)) {}
  explicit engine_of(std::unique_ptr<Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}

  uint32_t apply(int64_t now_ms, const command &c) override { return scheduler_->apply(now_ms, c); }
  void drain(const std::function<void(const decision_view &)> &take) override { scheduler_->drain(take); }
  std::optional<int64_t> next_due() const override { return scheduler_->next_due(); }
  std::span<const step_answer> answers() const override { return scheduler_->answers(); }
  void set_rm_check(rm_check check, rm_check reservations) override {
    scheduler_->set_rm_check(std::move(check), std::move(reservations));
  }
  std::optional<std::string> problem_with(const command &c) const override {
    if constexpr (requires { scheduler_->problem_with(c); }) return scheduler_->problem_with(c);
    return std::nullopt;
  }
  bool has_work() const override { return scheduler_->has_work(); }
  kernel_snapshot snapshot() override { return scheduler_->snapshot(); }
  std::optional<explanation> explain(std::string_view partition, std::string_view application,
                                     std::string_view key) override {
    const host::role_guard cycle(host::thread_role::cycle);  // policies are asked for keys
    return scheduler_->explain(scheduler_->find_partition(partition), application, key);
  }
  std::vector<policy_answer> ask_policies(std::string_view partition, const policy_question &about) override {
    if constexpr (requires { scheduler_->ask_policies(partition_id::none, about); }) {
      const host::role_guard cycle(host::thread_role::cycle);
      return scheduler_->ask_policies(scheduler_->find_partition(partition), about);
    } else {
      return {};
    }
  }
  std::unique_ptr<engine> copy(policy_source *by) const override {
    if constexpr (requires { scheduler_->copy(); }) {
      const host::role_guard cycle(host::thread_role::cycle);
      return std::make_unique<engine_of>(scheduler_->copy({}, by));
    } else {
      return nullptr;
    }
  }

 private:
  std::unique_ptr<Scheduler> scheduler_;
};

// Makes a fresh engine; the policies outlive it.
using engine_factory = std::function<std::unique_ptr<engine>(policy_source &policies)>;

// The factory of real kernels.
[[nodiscard]] inline engine_factory kernel_factory() {
  return
      [](policy_source &policies) -> std::unique_ptr<engine> { return std::make_unique<engine_of<kernel>>(policies); };
}

}  // namespace tenon::cli
