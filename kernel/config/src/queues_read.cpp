// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "queues_source.hpp"
#include "tenon/config/amounts.hpp"
#include "tenon/config/shape.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::config {

namespace {

constexpr std::string_view default_partition = "default";

// Entries of a list that are there; a null one is as if it were not written.
std::vector<const yaml_node *> items_of(const yaml_node &map, std::string_view key) {
  std::vector<const yaml_node *> out;
  const yaml_node *list = map.find(key);
  if (list == nullptr) return out;
  for (const yaml_node &item : list->items) {
    if (item.type() != scalar_type::null) out.push_back(&item);
  }
  return out;
}

std::vector<name_source> read_names(const yaml_node &map, std::string_view key) {
  std::vector<name_source> out;
  for (const yaml_node *item : items_of(map, key)) out.push_back({item->at, item->text});
  return out;
}

quantities_source read_quantities(const yaml_node *map) {
  quantities_source out;
  out.node = map;
  if (map == nullptr) return out;
  for (const yaml_entry &entry : map->entries) {
    // A null is an empty text, which is no quantity.
    const bool none = entry.value.type() == scalar_type::null;
    const auto amount = read_quantity(entry.key.text, none ? std::string_view{} : entry.value.text);
    if (amount) {
      out.amounts.emplace(entry.key.text, *amount);
    } else {
      out.bad.push_back({entry.value.at, amount.why()});
    }
  }
  return out;
}

quantities_source read_quantities_in(const yaml_node &map, std::string_view outer, std::string_view key) {
  const yaml_node *resources = map.find(outer);
  return read_quantities(resources == nullptr ? nullptr : resources->find(key));
}

std::map<std::string, std::string> read_texts(const yaml_node &map, std::string_view key) {
  std::map<std::string, std::string> out;
  const yaml_node *texts = map.find(key);
  if (texts == nullptr) return out;
  for (const yaml_entry &entry : texts->entries) {
    out.emplace(entry.key.text, entry.value.type() == scalar_type::null ? std::string{} : entry.value.text);
  }
  return out;
}

bool says_nothing(const quantities_source &quantities) {
  if (!quantities.written()) return true;
  return std::all_of(quantities.node->entries.begin(), quantities.node->entries.end(), [](const yaml_entry &entry) {
    return entry.value.type() == scalar_type::null || entry.value.text.empty();
  });
}

child_template_source read_template(const yaml_node &queue) {
  child_template_source out;
  const yaml_node *node = queue.find("childtemplate");
  if (node == nullptr) return out;
  out.value.max_applications = count_of(*node, "maxapplications", 0);
  out.value.properties = read_texts(*node, "properties");
  std::erase_if(out.value.properties, [](const auto &p) { return p.first.empty() || p.second.empty(); });
  auto guaranteed = read_quantities_in(*node, "resources", "guaranteed");
  auto max = read_quantities_in(*node, "resources", "max");
  // A template of empty values is none, and its quantities are not looked at.
  const bool none = out.value.empty() && says_nothing(guaranteed) && says_nothing(max);
  if (none) return out;
  out.guaranteed = std::move(guaranteed);
  out.max = std::move(max);
  if (!all_zero(out.guaranteed.amounts)) out.value.guaranteed = out.guaranteed.amounts;
  if (!all_zero(out.max.amounts)) out.value.max = out.max.amounts;
  return out;
}

std::vector<limit_source> read_limits(const yaml_node &map) {
  std::vector<limit_source> out;
  for (const yaml_node *item : items_of(map, "limits")) {
    limit_source limit;
    limit.at = item->at;
    limit.description = text_of(*item, "limit");
    limit.users = read_names(*item, "users");
    limit.groups = read_names(*item, "groups");
    limit.max = read_quantities(item->find("maxresources"));
    limit.max_applications = count_of(*item, "maxapplications", 0);
    limit.max_applications_at = place_in(*item, "maxapplications");
    out.push_back(std::move(limit));
  }
  return out;
}

queue_source read_queue(const yaml_node &node) {
  queue_source out;
  out.node = &node;
  out.at = node.at;
  out.name = text_of(node, "name");
  out.name_at = place_in(node, "name");
  out.parent = boolean_of(node, "parent", false);
  out.guaranteed = read_quantities_in(node, "resources", "guaranteed");
  out.max = read_quantities_in(node, "resources", "max");
  out.max_applications = count_of(node, "maxapplications", 0);
  out.max_applications_at = place_in(node, "maxapplications");
  out.properties = read_texts(node, "properties");
  out.admin_acl = text_of(node, "adminacl");
  out.submit_acl = text_of(node, "submitacl");
  out.child_template = read_template(node);
  out.limits = read_limits(node);
  for (const yaml_node *item : items_of(node, "queues")) out.queues.push_back(read_queue(*item));
  return out;
}

rule_source read_rule(const yaml_node &node) {
  rule_source out;
  out.node = &node;
  out.name = text_of(node, "name");
  out.create = boolean_of(node, "create", false);
  out.value = text_of(node, "value");
  if (const yaml_node *filter = node.find("filter")) {
    out.filter_type = text_of(*filter, "type");
    out.filter_users = read_names(*filter, "users");
    out.filter_groups = read_names(*filter, "groups");
  }
  if (const yaml_node *parent = node.find("parent")) out.parent.push_back(read_rule(*parent));
  return out;
}

// Exactly one top queue, root: it is put above what is written where it is not.
queue_source read_root(const yaml_node &partition) {
  std::vector<queue_source> top;
  for (const yaml_node *item : items_of(partition, "queues")) top.push_back(read_queue(*item));
  if (top.size() == 1 && lower_case(top[0].name) == root_queue_name) {
    top[0].parent = true;
    return std::move(top[0]);
  }
  queue_source root;
  root.at = place_in(partition, "queues");
  root.name = root_queue_name;
  root.name_at = root.at;
  root.parent = true;
  root.queues = std::move(top);
  return root;
}

node_sort_config read_node_sort(const yaml_node &sort) {
  node_sort_config out;
  if (const std::string type = text_of(sort, "type"); !type.empty()) out.type = type;
  if (const yaml_node *weights = sort.find("resourceweights")) {
    for (const yaml_entry &entry : weights->entries) {
      out.resource_weights.emplace(entry.key.text, entry.value.as_number().value_or(0));
    }
  }
  return out;
}

uint32_t read_count(const yaml_node &map, std::string_view key, uint32_t otherwise) {
  return static_cast<uint32_t>(count_of(map, key, otherwise));
}

canary_limits read_canary_limits(const yaml_node &node) {
  canary_limits out;
  out.faults = read_count(node, "faults", out.faults);
  out.placements = read_count(node, "placements", out.placements);
  out.waiting_p99_ms = duration_ms_of(node, "waitingp99", 0);
  out.waiting_factor = read_count(node, "waitingfactor", 0);
  return out;
}

canary_config read_canary(const yaml_node &node) {
  canary_config out;
  if (const yaml_node *sort = node.find("nodesortpolicy")) out.node_sort = read_node_sort(*sort);
  for (const yaml_node *item : items_of(node, "queues")) out.queues.push_back(lower_case(item->text));
  out.share = read_count(node, "share", out.share);
  out.salt = text_of(node, "salt");
  out.predicate = text_of(node, "predicate");
  if (const yaml_node *back = node.find("back")) out.back = read_canary_limits(*back);
  return out;
}

partition_source read_partition(const yaml_node &node) {
  partition_source out;
  out.node = &node;
  out.name = text_of(node, "name");
  if (out.name.empty() || lower_case(out.name) == default_partition) out.name = default_partition;
  out.has_queues = node.find("queues") != nullptr;
  out.root = read_root(node);
  out.limits = read_limits(node);
  for (const yaml_node *item : items_of(node, "placementrules")) out.rules.push_back(read_rule(*item));
  if (const yaml_node *sort = node.find("nodesortpolicy")) out.node_sort = read_node_sort(*sort);
  if (const yaml_node *canary = node.find("canary")) out.canary.push_back(read_canary(*canary));
  if (const yaml_node *resolver = node.find("usergroupresolver")) out.user_group_resolver = text_of(*resolver, "type");
  return out;
}

}  // namespace

text_position place_in(const yaml_node &map, std::string_view key) {
  const yaml_entry *entry = map.find_entry(key);
  return entry == nullptr ? map.at : entry->value.at;
}

text_position quantities_source::place_of(const std::string &type) const {
  return node == nullptr ? text_position{} : place_in(*node, type);
}

void quantities_source::report_bad(problems &report) const {
  for (const bad_quantity &b : bad) report.refuse(b.at, b.why.have, b.why.want, b.why.fix);
}

text_position queue_source::place_of(std::string_view key) const { return node == nullptr ? at : place_in(*node, key); }
text_position rule_source::place_of(std::string_view key) const { return place_in(*node, key); }
text_position partition_source::place_of(std::string_view key) const { return place_in(*node, key); }

limit_config limit_source::value() const {
  limit_config out;
  out.description = description;
  for (const name_source &user : users) out.users.push_back(user.text);
  for (const name_source &group : groups) out.groups.push_back(group.text);
  out.max_resources = max.amounts;
  out.max_applications = max_applications;
  return out;
}

file_source read_source(const yaml_node &root) {
  file_source out;
  for (const yaml_node *item : items_of(root, "partitions")) out.partitions.push_back(read_partition(*item));
  return out;
}

}  // namespace tenon::config
