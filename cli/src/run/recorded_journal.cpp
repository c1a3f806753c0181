// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/recorded_journal.hpp"

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "run/complain.hpp"
#include "run/output_file.hpp"
#include "tenon/config/bound_policies.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/kernel/journal.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::cli {

result<recorded_journal> read_recorded(const std::string &file, journal_start start, const opened_policies &policies,
                                       std::ostream &err) {
  auto bytes = read_file(file);
  if (!bytes) return bytes.why();
  recorded_journal out{std::move(*bytes)};
  std::set<std::string, std::less<>> swapped;
  std::vector<config::policy_name> bound;
  const auto add = [&](const cluster_config *queues) {
    if (queues == nullptr) return;
    for (config::policy_name &one : config::bound_policies(*queues)) bound.push_back(std::move(one));
  };
  const auto take = [&](int64_t, const command &c) {
    out.asks += std::holds_alternative<put_ask>(c);
    if (const auto *rm = std::get_if<register_rm>(&c)) add(rm->config);
    if (const auto *given = std::get_if<configure>(&c)) add(given->config);
    const auto *swap = std::get_if<swap_module>(&c);
    if (swap != nullptr && swapped.emplace(swap->module).second) policies.source->use_build(swap->module, swap->before);
  };
  const take_state begin = [&](int64_t, const saved_state &s) {
    cluster_config in_force;
    for (const saved_partition &one : s.partitions) in_force.partitions.push_back(one.config);
    add(&in_force);
    return std::nullopt;
  };
  const auto read = start == journal_start::any ? read_journal(out.bytes, begin, take) : read_journal(out.bytes, take);
  if (!read) {
    refusal why = read.why();
    why.where = file + ": " + why.where;
    return why;
  }
  for (refusal &other : policies.modules->other_policies(out.bytes, bound)) {
    other.where = file + ": " + other.where;
    remark(err, "warning: ", other);
  }
  return out;
}

}  // namespace tenon::cli
