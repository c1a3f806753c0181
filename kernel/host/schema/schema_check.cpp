// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Is it a JSON Schema? Every keyword and the kind of its value, at its place in the manifest.
#include <algorithm>
#include <array>
#include <cmath>

#include "schema/json_schema.hpp"
#include "tenon/host/expression.hpp"
#include "tenon/host/module_configuration.hpp"

namespace tenon::host {
namespace {

using config::yaml_node;

enum class takes : uint8_t {
  anything,
  text,
  expression,  // a regular expression
  boolean,
  number,
  positive,      // a number above 0
  count,         // a whole number from 0
  texts,         // a list
  types,         // a type or a list of them
  values,        // a list that is not empty
  schema,        // or true or false
  schemas,       // a list that is not empty
  schema_items,  // a schema or a list of them
  named_schemas,
  named_patterns,  // schemas by regular expression
  dependencies,    // schemas or lists of texts by name
};

struct keyword {
  std::string_view name;
  takes value;
};

constexpr std::array keywords{
    keyword{"$comment", takes::text},
    keyword{"$id", takes::text},
    keyword{"$schema", takes::text},
    keyword{"additionalItems", takes::schema},
    keyword{"additionalProperties", takes::schema},
    keyword{"allOf", takes::schemas},
    keyword{"anyOf", takes::schemas},
    keyword{"const", takes::anything},
    keyword{"contains", takes::schema},
    keyword{"default", takes::anything},
    keyword{"dependencies", takes::dependencies},
    keyword{"description", takes::text},
    keyword{"else", takes::schema},
    keyword{"enum", takes::values},
    keyword{"examples", takes::values},
    keyword{"exclusiveMaximum", takes::number},
    keyword{"exclusiveMinimum", takes::number},
    keyword{"format", takes::text},
    keyword{"if", takes::schema},
    keyword{"items", takes::schema_items},
    keyword{"maxItems", takes::count},
    keyword{"maxLength", takes::count},
    keyword{"maxProperties", takes::count},
    keyword{"maximum", takes::number},
    keyword{"minItems", takes::count},
    keyword{"minLength", takes::count},
    keyword{"minProperties", takes::count},
    keyword{"minimum", takes::number},
    keyword{"multipleOf", takes::positive},
    keyword{"not", takes::schema},
    keyword{"oneOf", takes::schemas},
    keyword{"pattern", takes::expression},
    keyword{"patternProperties", takes::named_patterns},
    keyword{"properties", takes::named_schemas},
    keyword{"propertyNames", takes::schema},
    keyword{"required", takes::texts},
    keyword{"then", takes::schema},
    keyword{"title", takes::text},
    keyword{"type", takes::types},
    keyword{"uniqueItems", takes::boolean},
};
constexpr std::array<std::string_view, 7> type_names{"array",  "boolean", "integer", "null",
                                                     "number", "object",  "string"};

bool is_expression(const std::string &text) { return static_cast<bool>(expression::compile(text)); }

class schema_checker {
 public:
  schema_checker(std::string_view name, config::problems &report) : name_(name), report_(report) {}

  void check(const yaml_node &schema) {
    if (schema.what == yaml_node::kind::scalar && schema.type() == config::scalar_type::boolean) return;
    if (schema.what != yaml_node::kind::map) return refuse(schema, "a schema", "a JSON Schema: a map");
    for (const config::yaml_entry &entry : schema.entries) check_entry(entry);
  }

 private:
  using kind = yaml_node::kind;

  void check_entry(const config::yaml_entry &entry) {
    const std::string &key = entry.key.text;
    const auto found = std::find_if(keywords.begin(), keywords.end(), [&](const keyword &k) { return k.name == key; });
    if (key == "$ref" || key == "definitions") {
      report_.refuse(entry.key.at, config::in_quotes(key) + " in " + name_, "a schema without references",
                     "write the part out where it is used");
    } else if (found != keywords.end()) {
      check_value(found->value, entry.value, key);
    } else if (key.substr(0, 2) != "x-") {
      std::array<std::string_view, keywords.size()> names;
      std::transform(keywords.begin(), keywords.end(), names.begin(), [](const keyword &k) { return k.name; });
      const std::string_view close = config::closest(key, names);
      report_.refuse(entry.key.at, "unknown JSON Schema keyword " + config::in_quotes(key) + " in " + name_,
                     "a keyword of JSON Schema draft 7, or one that starts with x-",
                     close.empty() ? "remove it" : "did you mean " + config::in_quotes(close) + "?");
    }
  }

  void check_value(takes wanted, const yaml_node &value, const std::string &key) {
    const bool scalar = value.what == kind::scalar;
    const auto type = scalar ? value.type() : config::scalar_type::null;
    const bool is_number = scalar && (type == config::scalar_type::integer || type == config::scalar_type::floating) &&
                           value.as_number() && std::isfinite(*value.as_number());
    switch (wanted) {
      case takes::anything:
        return;
      case takes::text:
        return need(is_text(value), value, key, "a text");
      case takes::expression:
        return need(is_text(value) && is_expression(value.text), value, key,
                    "a regular expression, in the syntax of RE2");
      case takes::boolean:
        return need(scalar && type == config::scalar_type::boolean, value, key, "true or false");
      case takes::number:
        return need(is_number, value, key, "a number");
      case takes::positive:
        return need(is_number && *value.as_number() > 0 && at_least_one_if_whole(value), value, key,
                    "a number above 0");
      case takes::count:
        return need(scalar && type == config::scalar_type::integer && value.as_integer().value_or(-1) >= 0, value, key,
                    "a whole number from 0");
      case takes::texts:
        return need(is_list_of_texts(value), value, key, "a list of texts");
      case takes::types:
        return need(is_type(value) || (value.what == kind::list && !value.items.empty() &&
                                       std::all_of(value.items.begin(), value.items.end(), is_type)),
                    value, key, "array, boolean, integer, null, number, object, string, or a list of them");
      case takes::values:
        return need(value.what == kind::list && !value.items.empty(), value, key, "a list of values");
      case takes::schema:
        return check(value);
      case takes::schemas:
        need(value.what == kind::list && !value.items.empty(), value, key, "a list of schemas");
        return check_all(value);
      case takes::schema_items:
        return value.what == kind::list ? check_all(value) : check(value);
      case takes::named_schemas:
      case takes::named_patterns:
      case takes::dependencies:
        return check_named(wanted, value, key);
    }
  }

  void check_all(const yaml_node &list) {
    for (const yaml_node &item : list.items) check(item);
  }

  void check_named(takes wanted, const yaml_node &map, const std::string &key) {
    need(map.what == kind::map, map, key, "a map of schemas");
    for (const config::yaml_entry &entry : map.entries) {
      if (wanted == takes::named_patterns)
        need(is_expression(entry.key.text), entry.key, key, "regular expressions, in the syntax of RE2");
      if (wanted == takes::dependencies && entry.value.what == kind::list)
        need(is_list_of_texts(entry.value), entry.value, key, "a list of texts");
      else
        check(entry.value);
    }
  }

  // Whole numbers that are multiples of less than one say nothing.
  static bool at_least_one_if_whole(const yaml_node &value) {
    return value.type() != config::scalar_type::integer || value.as_integer().value_or(0) >= 1;
  }
  // And not what YAML takes for a number or null, unless it is quoted.
  static bool is_text(const yaml_node &value) { return value.what == kind::scalar && to_json(value).is_string(); }
  static bool is_list_of_texts(const yaml_node &value) {
    return value.what == kind::list && std::all_of(value.items.begin(), value.items.end(), is_text);
  }
  static bool is_type(const yaml_node &value) {
    return is_text(value) && std::find(type_names.begin(), type_names.end(), value.text) != type_names.end();
  }

  void need(bool holds, const yaml_node &value, const std::string &key, std::string want) {
    if (!holds) refuse(value, key, std::move(want));
  }
  void refuse(const yaml_node &value, const std::string &what, std::string want) {
    std::string fix = "write " + want;
    if (const auto near = config::closest(value.text, type_names); what == "type" && !near.empty())
      fix = "did you mean " + config::in_quotes(near) + "?";
    report_.refuse(value.at, name_ + " is no JSON Schema: " + what + " is " + value.describe(), std::move(want),
                   std::move(fix));
  }

  std::string name_;
  config::problems &report_;
};

void check_defaults(std::string_view name, const config::yaml_node &schema, config::problems &report) {
  const config::yaml_node *properties = schema.find("properties");
  if (properties == nullptr) return;
  for (const config::yaml_entry &property : properties->entries) {
    if (const config::yaml_node *fallback = property.value.find("default")) {
      const auto found = violations(to_json(property.value), to_json(*fallback));
      if (!found.empty())
        report.refuse(fallback->at,
                      "the default of " + std::string(name) + "." + property.key.text + ", " + fallback->describe() +
                          ", is refused by its own schema: " + found.front().problem,
                      "a default that the schema allows", "write another default, or change the schema");
    }
    check_defaults(name, property.value, report);
  }
}

}  // namespace

void check_schema(std::string_view name, const config::yaml_node &schema, config::problems &report) {
  if (schema.what == config::yaml_node::kind::null) return;
  if (schema.what != config::yaml_node::kind::map) {
    report.refuse(schema.at, std::string(name) + " is " + schema.describe(), "a JSON Schema: a map",
                  "write the schema in YAML, as {type: object, properties: {...}}");
    return;
  }
  const size_t refused_before = report.refused_count();
  schema_checker(name, report).check(schema);
  if (report.refused_count() == refused_before) check_defaults(name, schema, report);
}

}  // namespace tenon::host
