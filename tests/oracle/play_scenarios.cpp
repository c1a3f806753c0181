// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// oracle-scenarios: scenario files played on the oracle, as `tenon scenario run` plays them on the kernel.
#include <iostream>

#include "oracle.hpp"
#include "scenario/run_command.hpp"

namespace tenon {
namespace {

class oracle_engine final : public cli::engine {
 public:
  uint32_t apply(int64_t now_ms, const command &c) override { return oracle_.apply(now_ms, c); }
  void drain(const std::function<void(const decision_view &)> &take) override { oracle_.drain(take); }
  std::optional<int64_t> next_due() const override { return oracle_.next_due(); }
  std::span<const step_answer> answers() const override { return {}; }
  void set_rm_check(rm_check check) override { oracle_.set_rm_check(std::move(check)); }
  bool has_work() const override { return true; }
  kernel_snapshot snapshot() const override { return oracle_.snapshot(); }
  std::optional<explanation> explain(std::string_view, std::string_view, std::string_view) override { return {}; }

 private:
  oracle oracle_;
};

}  // namespace
}  // namespace tenon

int main(int argc, char **argv) {
  tenon::cli::scenario_run_options options;
  options.paths.assign(argv + 1, argv + argc);
  if (options.paths.empty()) {
    std::cerr << "usage: oracle-scenarios FILE-OR-FOLDER..." << std::endl;
    return 2;
  }
  return static_cast<int>(tenon::cli::run_scenarios(
      options, std::cout, std::cerr, [](tenon::policy_source &) { return std::make_unique<tenon::oracle_engine>(); }));
}
