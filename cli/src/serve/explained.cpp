// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/explained.hpp"

#include <algorithm>

#include "control/control_json.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/observe/kernel_access.hpp"

namespace tenon::cli {
namespace {

// An empty key is no question.
bool has(const kernel_snapshot &in, std::string_view partition, std::string_view application, std::string_view key) {
  for (const partition_snapshot &p : in.partitions) {
    if (!is_partition(p.name, std::string(partition))) continue;
    for (const application_snapshot &one : p.applications) {
      const auto is_it = [&](const ask_snapshot &ask) { return ask.key == key; };
      if (one.id == application && (key.empty() || std::any_of(one.asks.begin(), one.asks.end(), is_it))) return true;
    }
  }
  return false;
}

}  // namespace

void find_application(const kernel_snapshot &in, std::string_view partition, std::string &application,
                      std::string &key) {
  if (!key.empty() || has(in, partition, application, {})) return;
  for (const bool with_its_ask : {true, false}) {
    size_t slash = application.rfind('/');
    for (; slash != std::string::npos && slash != 0; slash = application.rfind('/', slash - 1)) {
      const std::string of = application.substr(0, slash), ask = application.substr(slash + 1);
      if (ask.empty() || !has(in, partition, of, with_its_ask ? ask : std::string())) continue;
      application = of;
      key = ask;
      return;
    }
  }
}

std::string short_hold(const std::vector<service::rm_status> &rms, std::string_view partition) {
  for (const service::rm_status &one : rms) {
    if (std::find(one.partitions.begin(), one.partitions.end(), partition) == one.partitions.end()) continue;
    const std::string rm = "RM " + config::in_quotes(one.id);
    if (one.state == rm_state::paused) return rm + (one.connected ? " does not take its answers" : " is away");
    if (one.held) return rm + ": its recovery is not done";
    if (one.throttled) return rm + " does not take its answers";
  }
  return {};
}

std::string held_up(const std::vector<service::rm_status> &rms, std::string_view partition) {
  for (const service::rm_status &one : rms) {
    if (std::find(one.partitions.begin(), one.partitions.end(), partition) == one.partitions.end()) continue;
    return observe::held_up(one.id, one.held, one.throttled);
  }
  return {};
}

}  // namespace tenon::cli
