// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/module_configuration.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cctype>
#include <span>
#include <vector>

#include "schema/json_schema.hpp"

namespace tenon::host {
namespace {

namespace json = boost::json;

const json::object *object_at(const json::object &in, std::string_view key) {
  const json::value *found = in.if_contains(key);
  return found == nullptr ? nullptr : found->if_object();
}

// A JSON value in few words, for a message.
std::string brief(const json::value &value) {
  std::string text = json::serialize(value);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

std::string display(const json_path &path) {
  std::string out;
  for (const std::string &step : path) {
    const bool index =
        !step.empty() && std::all_of(step.begin(), step.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (index)
      out += '[' + step + ']';
    else
      out += (out.empty() ? "" : ".") + step;
  }
  return out;
}

// The value at `path`, or nullptr.
const json::value *value_at(const json::value &root, const json_path &path) {
  const json::value *at = &root;
  for (const std::string &step : path) {
    if (const auto *object = at->if_object()) {
      at = object->if_contains(step);
    } else if (const auto *list = at->if_array()) {
      const size_t index = static_cast<size_t>(std::strtoull(step.c_str(), nullptr, 10));
      at = list->if_contains(index);
    } else {
      return nullptr;
    }
    if (at == nullptr) return nullptr;
  }
  return at;
}

// The part of the schema that speaks about the value at `path`, as far as plain properties and items lead.
const json::object *schema_at(const json::object &root, const json_path &path) {
  const json::object *at = &root;
  for (const std::string &step : path) {
    const json::object *properties = object_at(*at, "properties");
    const json::object *next = properties == nullptr ? nullptr : object_at(*properties, step);
    if (next == nullptr) next = object_at(*at, "items");
    if (next == nullptr) next = object_at(*at, "additionalProperties");
    if (next == nullptr) return nullptr;
    at = next;
  }
  return at;
}

// The nearest position that the text has for the value at `path`.
config::text_position position_at(const config::yaml_node &root, const json_path &path) {
  const config::yaml_node *at = &root;
  for (const std::string &step : path) {
    const config::yaml_node *next = nullptr;
    if (at->what == config::yaml_node::kind::map) {
      next = at->find(step);
    } else if (at->what == config::yaml_node::kind::list) {
      const size_t index = static_cast<size_t>(std::strtoull(step.c_str(), nullptr, 10));
      if (index < at->items.size()) next = &at->items[index];
    }
    if (next == nullptr) break;
    at = next;
  }
  return at->at;
}

void fill_defaults(const json::object &schema, json::value &value) {
  if (auto *list = value.if_array()) {
    if (const json::object *items = object_at(schema, "items"))
      for (json::value &item : *list) fill_defaults(*items, item);
    return;
  }
  json::object *object = value.if_object();
  const json::object *properties = object_at(schema, "properties");
  if (object == nullptr || properties == nullptr) return;
  for (const auto &[key, property] : *properties) {
    const json::object *about = property.if_object();
    if (about == nullptr) continue;
    if (const json::value *fallback = about->if_contains("default"); fallback != nullptr && !object->contains(key))
      object->insert_or_assign(key, *fallback);
    if (json::value *inner = object->if_contains(key)) fill_defaults(*about, *inner);
  }
}

struct unknown_key {
  json_path path;
  std::string suggestion;
};

// The first key that a schema which lists properties does not list.
std::optional<unknown_key> find_unknown(const json::object &schema, const json::value &value, json_path path) {
  if (const auto *list = value.if_array()) {
    const json::object *items = object_at(schema, "items");
    for (size_t i = 0; items != nullptr && i < list->size(); ++i) {
      json_path inner = path;
      inner.push_back(std::to_string(i));
      if (auto found = find_unknown(*items, (*list)[i], std::move(inner))) return found;
    }
    return std::nullopt;
  }
  const auto *object = value.if_object();
  const json::object *properties = object_at(schema, "properties");
  if (object == nullptr || properties == nullptr) return std::nullopt;
  const json::value *others = schema.if_contains("additionalProperties");
  bool open = others != nullptr && *others != json::value(false);
  for (const std::string_view says_more : {"patternProperties", "allOf", "anyOf", "oneOf"})
    open = open || schema.contains(says_more);
  for (const auto &[key, inner_value] : *object) {
    json_path inner = path;
    inner.emplace_back(key);
    const json::value *about = properties->if_contains(key);
    if (about == nullptr) {
      if (open) continue;
      std::vector<std::string_view> known;
      for (const auto &property : *properties) known.emplace_back(property.key());
      return unknown_key{inner, config::suggestion(key, known)};
    }
    if (const auto *inner_schema = about->if_object())
      if (auto found = find_unknown(*inner_schema, inner_value, std::move(inner))) return found;
  }
  return std::nullopt;
}

refusal refuse_value(const configuration &given, const json_path &path, std::string have, std::string want,
                     std::string fix) {
  const config::text_position at = position_at(given.source, path);
  std::string where = given.file;
  if (at.line != 0) where += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  return {std::move(where), std::move(want), std::move(have), std::move(fix)};
}

}  // namespace

std::string values_in_words(const json::object &schema) {
  std::vector<std::string> parts;
  if (const auto *words = schema.if_contains("enum"); words != nullptr && words->is_array()) {
    std::string list = "one of ";
    for (size_t i = 0; i < words->get_array().size(); ++i)
      list += (i == 0 ? "" : ", ") + json::serialize(words->get_array()[i]);
    parts.push_back(std::move(list));
  } else if (const auto *only = schema.if_contains("const")) {
    parts.push_back(json::serialize(*only));
  } else if (const auto *type = schema.if_contains("type")) {
    parts.push_back(type->is_string() ? std::string(type->get_string()) : "one of the types " + json::serialize(*type));
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> bounds{{{"minimum", "at least "},
                                                                                  {"exclusiveMinimum", "more than "},
                                                                                  {"maximum", "at most "},
                                                                                  {"exclusiveMaximum", "less than "},
                                                                                  {"multipleOf", "a multiple of "},
                                                                                  {"minLength", "characters at least "},
                                                                                  {"maxLength", "characters at most "},
                                                                                  {"minItems", "items at least "},
                                                                                  {"maxItems", "items at most "},
                                                                                  {"pattern", "matching "}}};
  for (const auto &[key, words] : bounds)
    if (const auto *bound = schema.if_contains(key)) parts.push_back(std::string(words) + json::serialize(*bound));
  std::string out;
  for (const std::string &part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

json::value to_json(const config::yaml_node &node) {
  using kind = config::yaml_node::kind;
  switch (node.what) {
    case kind::null:
      return nullptr;
    case kind::list: {
      json::array list;
      for (const auto &item : node.items) list.push_back(to_json(item));
      return list;
    }
    case kind::map: {
      json::object map;
      for (const auto &entry : node.entries) map.insert_or_assign(entry.key.text, to_json(entry.value));
      return map;
    }
    case kind::scalar:
      break;
  }
  switch (node.type()) {
    case config::scalar_type::null:
      return nullptr;
    case config::scalar_type::boolean:
      if (const auto value = node.as_boolean()) return *value;
      break;
    case config::scalar_type::integer:
      if (const auto value = node.as_integer()) return *value;
      if (const auto value = node.as_number()) return *value;
      break;
    case config::scalar_type::floating:
      if (const auto value = node.as_number()) return *value;
      break;
    case config::scalar_type::text:
      break;
  }
  return json::string(node.text);
}

result<json::object> complete_configuration(const json::object &schema, const configuration &given,
                                            std::string_view module) {
  json::value value = given.values;
  if (auto unknown = find_unknown(schema, value, {}))
    return refuse_value(given, unknown->path, "unknown key " + config::in_quotes(display(unknown->path)),
                        "a key of the module's configuration schema", unknown->suggestion);
  fill_defaults(schema, value);
  const auto found = violations(schema, value);
  if (found.empty()) return std::move(value.get_object());

  const schema_violation &first = found.front();
  const json::value *wrong = value_at(value, first.path);
  const json::object *about = schema_at(schema, first.path);
  std::string have = first.path.empty() ? "the configuration" : display(first.path);
  if (wrong != nullptr && !wrong->is_object()) have += " is " + brief(*wrong);
  return refuse_value(given, first.path, have + ": " + first.problem, about == nullptr ? "" : values_in_words(*about),
                      module.empty() ? "give a value that the schema allows"
                                     : "`tenon plugin describe " + std::string(module) + "` lists the options");
}

}  // namespace tenon::host
