// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is accepted and hardly meant: queues that nobody can use, access lists that keep nobody out, guarantees that
// nothing can give back, bytes that were meant to be more, types that were meant to be others.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

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

bool is_open(const std::string &text) {
  const auto list = parse_acl(text);
  return list && list->all;
}

// Whoever may submit to a queue may submit to all below it, and whoever administers one may administer those.
void check_open_parents(const queue_source &queue, const std::string &path, const std::string &open_to_submit,
                        const std::string &open_to_all, problems &report) {
  const auto warn = [&](std::string_view key, const std::string &text, const std::string &above) {
    if (above.empty() || !names_somebody(text) || is_open(text)) return;
    report.warn(
        queue.place_of(key),
        std::string(key) + " of queue " + path + " keeps nobody out: " + above + " lets everybody in there, too",
        "a queue above that lets in those alone who may use all below it",
        "take '*' out of " + above + ", or remove this list");
  };
  warn("submitacl", queue.submit_acl, open_to_submit.empty() ? open_to_all : open_to_submit);
  warn("adminacl", queue.admin_acl, open_to_all);
  const auto open = [&](const std::string &above, const std::string &key, const std::string &text) {
    return above.empty() && is_open(text) ? key + " of queue " + path : above;
  };
  const std::string submit = open(open_to_submit, "submitacl", queue.submit_acl);
  const std::string all = open(open_to_all, "adminacl", queue.admin_acl);
  for (const queue_source &child : queue.queues)
    check_open_parents(child, path + "." + lower_case(child.name), submit, all, report);
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

// Types that resource managers of the field name. Others are fine: a cluster has what its nodes have.
constexpr std::string_view well_known[] = {"vcore", "memory", "pods", "ephemeral-storage"};
// What people write who mean one of them.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"cpu", "vcore"},
    {"cpus", "vcore"},
    {"core", "vcore"},
    {"cores", "vcore"},
    {"vcores", "vcore"},
    {"vcpu", "vcore"},
    {"vcpus", "vcore"},
    {"mem", "memory"},
    {"ram", "memory"},
    {"pod", "pods"},
    {"storage", "ephemeral-storage"},
};

// The known type that a type looks like; empty: it is one, or like none.
std::string meant_type(std::string_view type) {
  if (std::find(std::begin(well_known), std::end(well_known), type) != std::end(well_known)) return {};
  std::string name = lower_case(type);
  for (const std::string_view quota : {"requests.", "limits."}) {
    if (!name.starts_with(quota)) continue;
    name.erase(0, quota.size());
    if (name.find('/') != std::string::npos) return name;  // requests.nvidia.com/gpu
  }
  for (const auto &[other, known] : other_names)
    if (name == other) return std::string(known);
  return std::string(closest(name, well_known));
}

void check_types(const quantities_source &of, std::set<std::string> &known, problems &report) {
  if (of.node == nullptr) return;
  for (const yaml_entry &entry : of.node->entries) {
    const std::string &type = entry.key.text;
    const std::string meant = meant_type(type);
    if (meant.empty() || meant == type || !known.insert(type).second) continue;
    report.warn(entry.key.at, "the resource type " + in_quotes(type) + ", which no node has unless it says so",
                "types that nodes and asks name", "did you mean " + in_quotes(meant) + "?");
  }
}

// `types`: those that were warned of.
void check_units(const queue_source &queue, std::set<std::string> &types, problems &report) {
  const auto check = [&](const quantities_source &one) {
    check_memory(one, report);
    check_types(one, types, report);
  };
  for (const quantities_source *one :
       {&queue.guaranteed, &queue.max, &queue.child_template.guaranteed, &queue.child_template.max})
    check(*one);
  for (const limit_source &limit : queue.limits) check(limit.max);
  for (const queue_source &child : queue.queues) check_units(child, types, report);
}

// A leaf has nothing below it that could have its template.
void check_templates(const queue_source &queue, const std::string &path, problems &report) {
  if (queue.queues.empty() && !queue.parent && !queue.child_template.value.empty()) {
    report.warn(queue.place_of("childtemplate"), "queue " + path + " is a leaf, and its childtemplate has no effect",
                "a template of a queue that may have child queues",
                "add parent: true where placement rules are to create queues below it, or remove the template");
  }
  for (const queue_source &child : queue.queues) check_templates(child, path + "." + lower_case(child.name), report);
}

}  // namespace

void check_meaning(const partition_source &partition, const queue_source &root, problems &report) {
  check_leaves(partition, report);
  check_access(root, "root", report);
  check_fences(root, "root", true, report);
  check_open_parents(root, "root", {}, {}, report);
  check_templates(root, "root", report);
  std::set<std::string> types;
  check_units(root, types, report);
}

}  // namespace tenon::config
