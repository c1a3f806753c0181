// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/run_policies.hpp"

#include <cstdlib>
#include <iostream>
#include <utility>

#include "run/exit_code.hpp"
#include "run/quiet_log.hpp"
#include "tenon/host/long_call.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/replaced_policies.hpp"

namespace tenon::cli {
namespace {

// Ends the program: a call in this process that does not return cannot be ended alone.
[[noreturn]] void end_over(const host::long_call &call) {
  std::cerr << call.text() << ": the program ends, since nothing else ends that call" << std::endl;
  std::_Exit(static_cast<int>(exit_code::contained));
}

}  // namespace

result<opened_policies> open_policies(const policy_choice &choice) {
  host::host_options options;
  options.budgets = false;
  options.watch_calls = true;
  options.on_hang = end_over;
  options.shadows = choice.shadows;
  options.log = quiet_log();
  if (!choice.module_path.empty()) options.module_path.emplace_back(choice.module_path);
  auto plan = host::deployment_of(choice.deployment);
  if (!plan) return plan.why();
  if (choice.keeps_calls) options.call_records = plan->containment.records;
  options.on_fault = choice.on_fault;
  for (const auto &[id, values] : choice.settings) host::configure_module(*plan, id, values);
  auto host = host::open_host(std::move(*plan), std::move(options));
  if (!host) return host.why();
  opened_policies out;
  out.known = (*host)->known();
  out.modules = host->get();
  out.source = std::move(*host);
  if (const auto these = host::replacements_from_environment(); !these.empty()) {
    auto replaced = host::replaced_policies::make(std::move(out.source), these);
    if (!replaced) return replaced.why();
    out.source = std::move(*replaced);
  }
  return out;
}

}  // namespace tenon::cli
