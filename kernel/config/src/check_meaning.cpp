// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is accepted and hardly meant: queues that nobody can use, guarantees that nothing can give back, bytes that were
// meant to be more.
#include <algorithm>

#include "queues_source.hpp"
#include "tenon/kernel/acl.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::config {
namespace {

bool names_somebody(const std::string &text) {
  const auto list = parse_acl(text);
  return list && (list->all || !list->users.empty() || !list->groups.empty());
}

bool lets_in(const queue_source &queue) { return names_somebody(queue.submit_acl) || names_somebody(queue.admin_acl); }

bool lets_in_below(const queue_source &queue) {
  return lets_in(queue) || std::any_of(queue.queues.begin(), queue.queues.end(), lets_in_below);
}

// Of a tree in which nobody may submit anywhere, the top. Access is inherited downwards.
void check_access(const queue_source &queue, const std::string &path, problems &report) {
  if (lets_in(queue)) return;
  if (!lets_in_below(queue)) {
    const std::string where = queue.queues.empty() ? "queue " + path : "queue " + path + " and all below it";
    report.warn(queue.at, "nobody may submit to " + where, "a submitacl there or above, as submitacl: '*'",
                "add one; only recovered applications get in as it is");
    return;
  }
  for (const queue_source &child : queue.queues) check_access(child, path + "." + lower_case(child.name), report);
}

bool creates(const rule_source &rule) { return rule.create; }

void check_leaves(const partition_source &partition, problems &report) {
  if (!partition.root.queues.empty()) return;
  if (std::any_of(partition.rules.begin(), partition.rules.end(), creates)) return;
  report.warn(partition.root.at,
              "root of partition " + partition.name + " has no child queue, and no placement rule creates one",
              "a queue that takes applications", "add a queue below root, or a placement rule with create: true");
}

std::string property(const queue_source &queue, const std::string &name) {
  const auto found = queue.properties.find(name);
  return found == queue.properties.end() ? std::string() : lower_case(found->second);
}

bool is_fence(const queue_source &queue) {
  const std::string policies = "," + property(queue, "preemption.policy") + ",";
  return policies.find(",fence,") != std::string::npos;
}

void add_guaranteed(const queue_source &queue, const std::string &path, std::vector<std::string> &to) {
  if (!all_zero(queue.guaranteed.amounts)) to.push_back(path);
  for (const queue_source &child : queue.queues) {
    // What is inside of another fence is that one's.
    if (!is_fence(child)) add_guaranteed(child, path + "." + lower_case(child.name), to);
  }
}

// Asks of a queue behind a fence take nothing back from outside of it.
void check_fences(const queue_source &queue, const std::string &path, bool is_root, problems &report) {
  if (is_fence(queue) && !is_root) {
    std::vector<std::string> guaranteed;
    add_guaranteed(queue, path, guaranteed);
    if (!guaranteed.empty()) {
      constexpr size_t shown = 3;
      std::string names;
      for (size_t i = 0; i < guaranteed.size() && i < shown; ++i) names += (i == 0 ? "" : ", ") + guaranteed[i];
      if (guaranteed.size() > shown) names += " and " + std::to_string(guaranteed.size() - shown) + " more";
      const yaml_node *properties = queue.node->find("properties");
      report.warn(
          place_in(*properties, "preemption.policy"),
          "what " + names + " has guaranteed is behind the preemption fence of " + path,
          "a guarantee that preemption can take back from queues outside of " + path,
          "take 'fence' out, or leave it as it is: then the guarantee holds against queues inside the fence alone");
    }
  }
  for (const queue_source &child : queue.queues)
    check_fences(child, path + "." + lower_case(child.name), false, report);
}

// Bytes. Less than this of memory are no use to anybody.
constexpr int64_t least_meant = 1'048'576;

void check_memory(const quantities_source &of, problems &report) {
  if (of.node == nullptr) return;
  const yaml_entry *entry = of.node->find_entry("memory");
  const auto amount = of.amounts.find("memory");
  if (entry == nullptr || amount == of.amounts.end() || amount->second <= 0 || amount->second >= least_meant) return;
  const std::string &text = entry->value.text;
  if (text.empty() || text.find_first_not_of("0123456789+.eE_") != std::string::npos) return;
  report.warn(entry->value.at, "memory of " + std::to_string(amount->second) + " bytes: a number without unit is bytes",
              "a unit, as " + text + "Mi or " + text + "Gi", "write the unit");
}

void check_units(const queue_source &queue, problems &report) {
  for (const quantities_source *one :
       {&queue.guaranteed, &queue.max, &queue.child_template.guaranteed, &queue.child_template.max})
    check_memory(*one, report);
  for (const limit_source &limit : queue.limits) check_memory(limit.max, report);
  for (const queue_source &child : queue.queues) check_units(child, report);
}

}  // namespace

void check_meaning(const partition_source &partition, const queue_source &root, problems &report) {
  check_leaves(partition, report);
  check_access(root, "root", report);
  check_fences(root, "root", true, report);
  check_units(root, report);
}

}  // namespace tenon::config
