// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "configuration_text.hpp"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <span>

#include "path_names.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;

// A choice is a flag whose absence is neither yes nor no.
enum class is { text, flag, choice, count, text_list, text_map, number_map, one, list };

// A key of queues.yaml and the field's name for it.
struct key {
  const char *yaml;
  const char *name;
  is type = is::text;
  std::span<const key> (*of)() = nullptr;
  bool always = false;  // in JSON also where nothing is said; objects are always there
};

std::span<const key> queue_keys();
std::span<const key> rule_keys();
std::span<const key> resource_keys() {
  static constexpr key keys[] = {{"guaranteed", "Guaranteed", is::text_map}, {"max", "Max", is::text_map}};
  return keys;
}
std::span<const key> template_keys() {
  static constexpr key keys[] = {{"maxapplications", "MaxApplications", is::count},
                                 {"properties", "Properties", is::text_map},
                                 {"resources", "Resources", is::one, resource_keys}};
  return keys;
}
std::span<const key> limit_keys() {
  static constexpr key keys[] = {{"limit", "Limit", is::text, nullptr, true},
                                 {"users", "Users", is::text_list},
                                 {"groups", "Groups", is::text_list},
                                 {"maxresources", "MaxResources", is::text_map},
                                 {"maxapplications", "MaxApplications", is::count}};
  return keys;
}
std::span<const key> queue_keys() {
  static constexpr key keys[] = {{"name", "Name", is::text, nullptr, true},
                                 {"parent", "Parent", is::flag},
                                 {"resources", "Resources", is::one, resource_keys},
                                 {"maxapplications", "MaxApplications", is::count},
                                 {"properties", "Properties", is::text_map},
                                 {"adminacl", "AdminACL"},
                                 {"submitacl", "SubmitACL"},
                                 {"childtemplate", "ChildTemplate", is::one, template_keys},
                                 {"queues", "Queues", is::list, queue_keys},
                                 {"limits", "Limits", is::list, limit_keys}};
  return keys;
}
std::span<const key> filter_keys() {
  static constexpr key keys[] = {{"type", "Type", is::text, nullptr, true},
                                 {"users", "Users", is::text_list},
                                 {"groups", "Groups", is::text_list}};
  return keys;
}
std::span<const key> rule_keys() {
  static constexpr key keys[] = {{"name", "Name", is::text, nullptr, true},
                                 {"create", "Create", is::flag},
                                 {"filter", "Filter", is::one, filter_keys},
                                 {"parent", "Parent", is::one, rule_keys},
                                 {"value", "Value"}};
  return keys;
}
std::span<const key> preemption_keys() {
  static constexpr key keys[] = {{"enabled", "Enabled", is::choice},
                                 {"quotapreemptionenabled", "QuotaPreemptionEnabled", is::choice}};
  return keys;
}
std::span<const key> node_order_keys() {
  static constexpr key keys[] = {{"type", "Type", is::text, nullptr, true},
                                 {"resourceweights", "ResourceWeights", is::number_map}};
  return keys;
}
std::span<const key> resolver_keys() {
  static constexpr key keys[] = {{"type", "type"}};
  return keys;
}
std::span<const key> partition_keys() {
  static constexpr key keys[] = {{"name", "Name", is::text, nullptr, true},
                                 {"queues", "Queues", is::list, queue_keys, true},
                                 {"placementrules", "PlacementRules", is::list, rule_keys},
                                 {"limits", "Limits", is::list, limit_keys},
                                 {"preemption", "Preemption", is::one, preemption_keys},
                                 {"nodesortpolicy", "NodeSortPolicy", is::one, node_order_keys},
                                 {"usergroupresolver", "UserGroupResolver", is::one, resolver_keys}};
  return keys;
}

// Of a map, whatever the case of the letters of its keys.
YAML::Node member(const YAML::Node &map, std::string_view name) {
  if (map.IsMap()) {
    for (const auto &entry : map)
      if (same_without_case(entry.first.as<std::string>(std::string{}), name)) return entry.second;
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

std::string scalar(const YAML::Node &n) { return n.IsScalar() ? n.Scalar() : std::string{}; }

// Null where nothing is said, or no more than what goes without saying.
json::value value_of(const YAML::Node &n, const key &k);

json::value object_of(const YAML::Node &n, std::span<const key> keys) {
  json::object out;
  for (const key &k : keys) {
    json::value v = value_of(member(n, k.yaml), k);
    if (v.is_null() && !k.always) continue;
    if (v.is_null() && k.type == is::text) v = json::string();
    out[k.name] = std::move(v);
  }
  return out;
}

json::value map_of(const YAML::Node &n, bool numbers) {
  if (!n.IsDefined() || !n.IsMap() || n.size() == 0) return nullptr;
  json::object out;
  for (const auto &entry : n) {
    const std::string name = entry.first.as<std::string>(std::string{});
    if (numbers) {
      out[name] = entry.second.as<double>(0.0);
    } else {
      out[name] = scalar(entry.second);
    }
  }
  return out;
}

json::value value_of(const YAML::Node &n, const key &k) {
  switch (k.type) {
    case is::text:
      if (!n.IsDefined() || scalar(n).empty()) return nullptr;
      return json::string(scalar(n));
    case is::flag:
      if (!n.IsDefined() || !n.as<bool>(false)) return nullptr;
      return true;
    case is::choice:
      if (!n.IsDefined() || n.IsNull()) return nullptr;
      return n.as<bool>(false);
    case is::count:
      if (!n.IsDefined() || n.as<uint64_t>(0) == 0) return nullptr;
      return n.as<uint64_t>(0);
    case is::text_map:
      return map_of(n, false);
    case is::number_map:
      return map_of(n, true);
    case is::one:
      if ((!n.IsDefined() || n.IsNull()) && k.of == rule_keys) return nullptr;  // rules end somewhere
      return object_of(n, k.of());
    case is::text_list:
    case is::list: {
      if (!n.IsDefined() || !n.IsSequence() || n.size() == 0) return nullptr;
      json::array out;
      for (const auto &element : n) {
        if (k.type == is::list) {
          out.push_back(object_of(element, k.of()));
        } else {
          out.emplace_back(scalar(element));
        }
      }
      return out;
    }
  }
  return nullptr;
}

// The same, for YAML: what is not there is left out.
YAML::Node kept(const YAML::Node &n, std::span<const key> keys) {
  YAML::Node out(YAML::NodeType::Map);
  for (const key &k : keys) {
    const YAML::Node value = member(n, k.yaml);
    if (!value.IsDefined() || value.IsNull()) continue;
    if (k.type == is::one) {
      out[k.yaml] = kept(value, k.of());
    } else if (k.type == is::list) {
      YAML::Node list(YAML::NodeType::Sequence);
      for (const auto &element : value) list.push_back(kept(element, k.of()));
      out[k.yaml] = list;
    } else {
      out[k.yaml] = value;
    }
  }
  return out;
}

json::object rule_json(const YAML::Node &rule) {
  const std::string name = lower_case(scalar(member(rule, "name")));
  const YAML::Node create = member(rule, "create");
  const std::string value = scalar(member(rule, "value"));
  json::object parameters{{"create", create.IsDefined() && create.as<bool>(false) ? "true" : "false"}};
  if (name == "tag") parameters["tagName"] = lower_case(value);
  if (name == "fixed") {
    parameters["queue"] = lower_case(value);
    parameters["qualified"] = lower_case(value).starts_with("root") ? "true" : "false";
  }
  object_writer out;
  out.always("name", name);
  out.put("parameters", std::move(parameters));
  if (const YAML::Node parent = member(rule, "parent"); parent.IsDefined() && parent.IsMap()) {
    out.put("parentRule", rule_json(parent));
  }
  if (const YAML::Node filter = member(rule, "filter"); filter.IsDefined() && filter.IsMap()) {
    object_writer f;
    const std::string type = lower_case(scalar(member(filter, "type")));
    f.put("type", type.empty() ? std::string("allow") : type);
    const auto names = [&](const char *yaml_key, std::string_view list_key, std::string_view expression_key) {
      const YAML::Node entries = member(filter, yaml_key);
      if (!entries.IsDefined() || !entries.IsSequence()) return;
      const bool expression =
          entries.size() == 1 && scalar(entries[0]).find_first_of("^$*+?()[{}|") != std::string::npos;
      if (expression) return f.put(expression_key, scalar(entries[0]));
      json::array all;
      for (const auto &entry : entries) all.emplace_back(scalar(entry));
      f.put(list_key, std::move(all));
    };
    names("users", "userList", "userExp");
    names("groups", "groupList", "groupExp");
    out.put("filter", f.take());
  }
  return out.take();
}

}  // namespace

json::object configuration_json(std::string_view yaml, std::string_view checksum, const pairs &extra) {
  const YAML::Node all = YAML::Load(std::string(yaml));
  static constexpr key partitions{"partitions", "Partitions", is::list, partition_keys};
  json::object out{{"Partitions", value_of(member(all, "partitions"), partitions)}};
  if (!checksum.empty()) out["Checksum"] = checksum;
  json::object more;
  for (const auto &[name, value] : extra) more[name] = value;
  if (!more.empty()) out["Extra"] = std::move(more);
  out["DeadlockDetectionEnabled"] = false;
  out["DeadlockTimeoutSeconds"] = 0;
  return out;
}

std::string configuration_yaml(std::string_view yaml, std::string_view checksum, const pairs &extra) {
  const YAML::Node all = YAML::Load(std::string(yaml));
  YAML::Node out(YAML::NodeType::Map);
  YAML::Node list(YAML::NodeType::Sequence);
  for (const auto &partition : member(all, "partitions")) list.push_back(kept(partition, partition_keys()));
  out["partitions"] = list;
  if (!checksum.empty()) out["checksum"] = std::string(checksum);
  YAML::Node more(YAML::NodeType::Map);
  for (const auto &[name, value] : extra) more[name] = value;
  if (!extra.empty()) out["extra"] = more;
  out["deadlockdetectionenabled"] = false;
  out["deadlocktimeoutseconds"] = 0;
  YAML::Emitter text;
  text << out;
  return std::string(text.c_str()) + "\n";
}

json::array placement_rules_json(std::string_view yaml, std::string_view partition) {
  const YAML::Node all = YAML::Load(std::string(yaml));
  json::array out;
  for (const auto &one : member(all, "partitions")) {
    if (!same_without_case(scalar(member(one, "name")), partition)) continue;
    const YAML::Node rules = member(one, "placementrules");
    if (rules.IsDefined() && rules.IsSequence())
      for (const auto &rule : rules) out.push_back(rule_json(rule));
  }
  if (out.empty()) out.push_back(json::object{{"name", "provided"}, {"parameters", json::object{{"create", "false"}}}});
  out.push_back(json::object{{"name", "recovery"}, {"parameters", json::object{{"queue", "root.@recovery@"}}}});
  return out;
}

}  // namespace tenon::rest
