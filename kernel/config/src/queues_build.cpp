// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The kernel's values of a text that passed all checks: names in their final case, limits where they hold.
#include <algorithm>

#include "policy_names.hpp"
#include "queues_source.hpp"
#include "static_path.hpp"
#include "tenon/config/shape.hpp"
#include "tenon/kernel/names.hpp"
#include "tenon/kernel/partition_name.hpp"

namespace tenon::config {

namespace {

// What the field does with an application sort policy that it does not know; without a list of policies nobody
// can say which those are.
void replace_unknown_policy(std::map<std::string, std::string> &properties, const parse_options &options) {
  const auto found = properties.find("application.sort.policy");
  if (!options.known[module_kind::app_sort] || found == properties.end() || found->second.empty()) return;
  if (!provides(options.known, module_kind::app_sort, found->second)) found->second = "fifo";
}

std::vector<limit_config> build_limits(const std::vector<limit_source> &limits) {
  std::vector<limit_config> out;
  std::transform(limits.begin(), limits.end(), std::back_inserter(out),
                 [](const limit_source &limit) { return limit.value(); });
  return out;
}

queue_config build_queue(const queue_source &source, const parse_options &options) {
  queue_config out;
  out.name = lower_case(source.name);
  out.parent = source.parent || !source.queues.empty();
  out.guaranteed = source.guaranteed.amounts;
  if (!all_zero(source.max.amounts)) out.max = source.max.amounts;
  out.max_applications = source.max_applications;
  out.properties = source.properties;
  replace_unknown_policy(out.properties, options);
  out.admin_acl = source.admin_acl;
  out.submit_acl = source.submit_acl;
  out.child_template = source.child_template.value;
  replace_unknown_policy(out.child_template.properties, options);
  out.limits = build_limits(source.limits);
  for (const queue_source &child : source.queues) out.queues.push_back(build_queue(child, options));
  return out;
}

std::vector<std::string> texts(const std::vector<name_source> &names) {
  std::vector<std::string> out;
  std::transform(names.begin(), names.end(), std::back_inserter(out), [](const name_source &n) { return n.text; });
  return out;
}

placement_rule_config build_rule(const rule_source &source) {
  placement_rule_config out;
  out.name = lower_case(source.name);
  out.create = source.create;
  out.filter.allow = lower_case(source.filter_type) != "deny";
  out.filter.users = texts(source.filter_users);
  out.filter.groups = texts(source.filter_groups);
  // Queues and tags have no letter case; what a module makes of its value is the module's.
  const bool folded = out.name == fixed_rule || out.name == "tag";
  out.value = folded ? lower_case(source.value) : source.value;
  for (const rule_source &parent : source.parent) out.parent.push_back(build_rule(parent));
  return out;
}

partition_tuning build_tuning(const yaml_node &partition) {
  partition_tuning out;
  if (const yaml_node *reservation = partition.find("reservation")) {
    out.reservation_enabled = boolean_of(*reservation, "enabled", out.reservation_enabled);
    out.reservation_backfill = boolean_of(*reservation, "backfill", out.reservation_backfill);
    out.reservation_delay_ms = duration_ms_of(*reservation, "delay", out.reservation_delay_ms);
    out.reservation_wait_ms = duration_ms_of(*reservation, "wait", out.reservation_wait_ms);
    out.reservation_queue_delay_ms = duration_ms_of(*reservation, "queue_delay", out.reservation_queue_delay_ms);
    const uint64_t most = count_of(*reservation, "max_nodes", partition_tuning::tenth_of_nodes);
    out.reservation_max_nodes = static_cast<uint32_t>(std::min<uint64_t>(most, partition_tuning::tenth_of_nodes));
  }
  if (const yaml_node *preemption = partition.find("preemption")) {
    out.preemption_retry_ms = duration_ms_of(*preemption, "retry", out.preemption_retry_ms);
    const uint64_t most = count_of(*preemption, "max_steps", out.preemption_max_steps);
    out.preemption_max_steps = most == 0 ? INT64_MAX : most;
  }
  const yaml_node *timeouts = partition.find("timeouts");
  if (timeouts == nullptr) return out;
  const std::pair<std::string_view, int64_t partition_tuning::*> keys[] = {
      {"starting", &partition_tuning::starting_timeout_ms},
      {"completing", &partition_tuning::completing_timeout_ms},
      {"terminated", &partition_tuning::terminated_timeout_ms},
      {"placeholder", &partition_tuning::placeholder_timeout_ms},
      {"queuecleanup", &partition_tuning::queue_cleanup_ms},
      {"drain", &partition_tuning::drain_timeout_ms},
      {"releaseconfirm", &partition_tuning::release_confirm_timeout_ms},
      {"startretry", &partition_tuning::start_retry_ms},
      {"startretrymax", &partition_tuning::start_retry_max_ms},
  };
  for (const auto &[key, member] : keys) out.*member = duration_ms_of(*timeouts, key, out.*member);
  return out;
}

partition_config build_partition(const partition_source &source, const parse_options &options) {
  partition_config out;
  out.name = plain_partition(source.name);
  if (out.name.empty()) out.name = "default";
  out.root = build_queue(source.root, options);
  if (out.root.limits.empty()) out.root.limits = build_limits(source.limits);
  for (const rule_source &rule : source.rules) out.placement_rules.push_back(build_rule(rule));
  if (const yaml_node *preemption = source.node->find("preemption")) {
    out.preemption_enabled = boolean_of(*preemption, "enabled", out.preemption_enabled);
    out.quota_preemption_enabled = boolean_of(*preemption, "quotapreemptionenabled", out.quota_preemption_enabled);
  }
  out.node_sort = source.node_sort;
  out.canary = source.canary;
  out.user_group_resolver = source.user_group_resolver;
  out.tuning = build_tuning(*source.node);
  return out;
}

}  // namespace

cluster_config build_config(const yaml_node &root, const file_source &file, const parse_options &options) {
  cluster_config out;
  for (const partition_source &partition : file.partitions) {
    out.partitions.push_back(build_partition(partition, options));
  }
  if (const yaml_node *classes = root.find("priorityclasses")) {
    for (const yaml_entry &entry : classes->entries) {
      out.priority_classes.emplace(entry.key.text, static_cast<int32_t>(entry.value.as_integer().value_or(0)));
    }
  }
  return out;
}

}  // namespace tenon::config
