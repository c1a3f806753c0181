// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <stdexcept>

#include "copied_state.hpp"
#include "faulty_predicates.hpp"
#include "oracle/oracle.hpp"
#include "orders/policies_with_orders.hpp"
#include "read_state.hpp"
#include "session.hpp"
#include "tenon/host/replaced_policies.hpp"
#include "tenon/kernel/kernel.hpp"
#include "told_state.hpp"

namespace tenon::sim {
namespace {

// So few that they run out.
constexpr kernel_options few_types{.max_resource_types = 16};

// The built-in policies and those of tests, and in place of those of some kinds the modules that the environment names.
std::unique_ptr<policy_source> make_policies() {
  auto built_in = std::make_unique<testing::policies_with_orders>(
      std::vector<builtin_policy_source::predicate_use>{{"node-attributes"}});
  const auto these = host::replacements_from_environment();
  if (these.empty()) return built_in;
  auto replaced = host::replaced_policies::make(std::move(built_in), these);
  if (!replaced) throw std::runtime_error(replaced.why().text());
  return std::move(*replaced);
}

class kernel_scheduler : public scheduler {
 public:
  // `faulty`: the number from which the faults of its predicates are drawn.
  explicit kernel_scheduler(std::optional<uint64_t> faulty) : policies_(make_policies(), faulty) {
    kernel_.set_fact_listener(&told_);
  }
  uint32_t apply(int64_t now_ms, const command &c) override {
    copied_.before(kernel_, now_ms, c);
    policies_.set_armed(true);
    const uint32_t made = kernel_.apply(now_ms, c);
    policies_.set_armed(false);
    const auto is_fault = [](const step_answer &a) { return a.what == step_answer::kind::policy_fault; };
    const auto answers = kernel_.answers();
    if (std::any_of(answers.begin(), answers.end(), is_fault)) copied_.forget();
    return made;
  }
  void drain(const std::function<void(const decision_view &)> &take) override {
    kernel_.drain([&](const decision_view &d) {
      copied_.hear(d);
      take(d);
    });
  }
  [[nodiscard]] std::span<const step_answer> answers() const override { return kernel_.answers(); }
  [[nodiscard]] kernel_snapshot snapshot() override { return kernel_.snapshot(); }
  [[nodiscard]] std::optional<int64_t> next_due() const override { return kernel_.next_due(); }
  [[nodiscard]] bool has_work() const override { return kernel_.has_work(); }
  [[nodiscard]] std::vector<std::string> told_wrong(const kernel_snapshot &s) override {
    std::vector<std::string> out = told_.differences(s);
    for (std::string &line : read_.differences(kernel_)) out.push_back(std::move(line));
    for (std::string &line : copied_.differences(kernel_)) out.push_back(std::move(line));
    return out;
  }

 private:
  copied_state copied_;
  read_state read_;
  told_state told_;
  faulty_predicates policies_;
  kernel kernel_{policies_, few_types};
};

class oracle_scheduler : public scheduler {
 public:
  explicit oracle_scheduler(const naive::features &has) : oracle_(few_types, has) {}
  uint32_t apply(int64_t now_ms, const command &c) override { return oracle_.apply(now_ms, c); }
  void drain(const std::function<void(const decision_view &)> &take) override { oracle_.drain(take); }
  [[nodiscard]] kernel_snapshot snapshot() override { return oracle_.snapshot(); }
  [[nodiscard]] std::optional<int64_t> next_due() const override { return oracle_.next_due(); }
  [[nodiscard]] bool has_work() const override { return true; }

 private:
  oracle oracle_;
};

}  // namespace

std::unique_ptr<scheduler> make_kernel(const naive::features &) {
  return std::make_unique<kernel_scheduler>(std::nullopt);
}
std::unique_ptr<scheduler> make_faulty_kernel(const naive::features &, uint64_t seed) {
  return std::make_unique<kernel_scheduler>(seed);
}
std::unique_ptr<scheduler> make_oracle(const naive::features &wanted) {
  return std::make_unique<oracle_scheduler>(wanted);
}

}  // namespace tenon::sim
