// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/policies.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <string_view>
#include <utility>

#include "tenon/abi/app_sort.h"
#include "tenon/abi/node_sort.h"
#include "tenon/abi/queue_sort.h"
#include "tenon/host/module_host.hpp"

namespace tenon::cli {
namespace {

// Loading is told only where something is wrong with it: what a run says is its outcome.
std::shared_ptr<spdlog::logger> quiet_log() {
  auto log = std::make_shared<spdlog::logger>("tenon", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  log->set_level(spdlog::level::warn);
  return log;
}

// The names of one kind that the host's modules provide.
std::vector<std::string> names_of(const host::module_host &host, std::string_view interface) {
  std::vector<std::string> names;
  for (const host::module_status &module : host.modules()) {
    for (const host::provided_interface &provided : module.provides) {
      if (provided.interface == interface) names.push_back(provided.name);
    }
  }
  return names;
}

}  // namespace

result<opened_policies> open_policies(const policy_choice &choice) {
  host::host_options options;
  options.budgets = false;
  options.log = quiet_log();
  if (!choice.module_path.empty()) options.module_path.emplace_back(choice.module_path);
  auto host = host::open_deployment(choice.deployment, std::move(options));
  if (!host) return host.why();
  opened_policies out;
  out.known.queue_sort = names_of(**host, TENON_QUEUE_SORT);
  out.known.app_sort = names_of(**host, TENON_APP_SORT);
  out.known.node_sort = names_of(**host, TENON_NODE_SORT);
  out.source = std::move(*host);
  return out;
}

}  // namespace tenon::cli
