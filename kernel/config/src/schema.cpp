// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/schema.hpp"

#include <boost/json.hpp>

#include "tenon/config/queues_spec.hpp"

namespace tenon::config {

namespace {

namespace json = boost::json;

constexpr std::string_view dialect = "http://json-schema.org/draft-07/schema#";
constexpr std::string_view quantity_pattern = "^\\s*([0-9]+\\s*([kMGTPE]|[KMGTPE]i|m)?)?\\s*$";
constexpr std::string_view duration_pattern =
    "^\\+?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|\xC2\xB5s|\xCE\xBCs|ms|s|m|h))+)$";

json::array types(std::initializer_list<std::string_view> names) {
  json::array out;
  for (const std::string_view name : names) out.emplace_back(name);
  return out;
}

// Any scalar is a text, as in the field; nothing is as if the key were absent.
json::object text() { return {{"type", types({"string", "number", "boolean", "null"})}}; }

json::object reference(const object_spec &spec) { return {{"$ref", "#/definitions/" + std::string(spec.name)}}; }

json::object map_of(json::object values) {
  return {{"type", types({"object", "null"})}, {"additionalProperties", values}};
}
json::object list_of(json::object items) { return {{"type", types({"array", "null"})}, {"items", items}}; }

json::object boolean() {
  json::array listed{true, false, nullptr};
  for (const char *word :
       {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF"}) {
    listed.emplace_back(word);
  }
  return {{"enum", listed}};
}

json::object quantity() {
  return {{"type", types({"string", "integer", "null"})}, {"pattern", quantity_pattern}, {"minimum", 0}};
}

json::object whole_number(const key_spec &key) {
  return {{"type", "integer"}, {"minimum", key.least}, {"maximum", key.most}};
}

json::object named_text(const key_spec &key) {
  json::object out = text();
  if (!key.pattern.empty()) out["pattern"] = key.pattern;
  if (key.allowed.empty()) return out;
  json::array listed{nullptr};
  for (const std::string_view word : key.allowed) listed.emplace_back(word);
  return {{"enum", listed}};
}

json::object value_of(const key_spec &key) {
  switch (key.kind) {
    case value_kind::text:
      return named_text(key);
    case value_kind::boolean:
      return boolean();
    case value_kind::count:
      return {{"type", types({"number", "null"})}, {"minimum", 0}};
    case value_kind::integer: {
      json::object out = whole_number(key);
      out["type"] = types({"integer", "null"});
      return out;
    }
    case value_kind::number:
      return {{"type", types({"number", "null"})}};
    case value_kind::duration: {
      json::object out{{"type", types({"string", "integer", "null"})}, {"pattern", duration_pattern}};
      out["minimum"] = out["maximum"] = 0;  // of numbers only 0 needs no unit
      return out;
    }
    case value_kind::text_list:
      return list_of(text());
    case value_kind::text_map:
      return map_of(text());
    case value_kind::quantity_map:
      return map_of(quantity());
    case value_kind::number_map:
      return map_of({{"type", types({"number", "null"})}});
    case value_kind::integer_map:
      return map_of(whole_number(key));
    case value_kind::object:
      return reference(*key.object);
    case value_kind::object_list: {
      json::object item{{"anyOf", json::array{reference(*key.object), json::object{{"type", "null"}}}}};
      return list_of(item);
    }
    case value_kind::any:
      return {};
  }
  return {};
}

std::string description(const key_spec &key) {
  std::string out(key.summary);
  if (!key.fallback.empty()) out += " Default: " + std::string(key.fallback) + ".";
  if (key.tenon_only) out += " Tenon's own.";
  return out;
}

// The definitions of an object and of all that it leads to.
void define(const object_spec &spec, json::object &definitions) {
  if (definitions.contains(spec.name)) return;
  definitions[spec.name] = nullptr;  // begun: objects contain themselves
  json::object properties;
  json::array required;
  for (const key_spec &key : spec.keys) {
    json::object value = value_of(key);
    // Beside $ref other keywords are ignored in this draft.
    if (value.contains("$ref")) value = {{"allOf", json::array{value}}};
    value["description"] = description(key);
    properties[key.key] = std::move(value);
    if (key.required) required.emplace_back(key.key);
    if (key.object != nullptr) define(*key.object, definitions);
  }
  json::object out{{"type", types({"object", "null"})},
                   {"description", spec.summary},
                   {"additionalProperties", false},
                   {"properties", properties}};
  if (!required.empty()) out["required"] = required;
  if (spec.takes_own) out["patternProperties"] = json::object{{"^x-", true}};
  definitions[spec.name] = std::move(out);
}

json::object schema_of(const object_spec &root, std::string_view title) {
  json::object definitions;
  define(root, definitions);
  return {{"$schema", dialect},
          {"title", title},
          {"allOf", json::array{reference(root)}},
          {"definitions", std::move(definitions)}};
}

void add_properties(json::object &schema, const object_spec &to) {
  json::object known;
  for (const property_spec &property : queue_properties()) {
    json::object value = text();
    value["description"] = std::string(property.summary) + " Values: " + std::string(property.values) +
                           ". Default: " + std::string(property.fallback) + ".";
    known[property.name] = std::move(value);
  }
  json::object &definition = schema["definitions"].as_object()[to.name].as_object();
  definition["properties"].as_object()["properties"].as_object()["properties"] = std::move(known);
}

// Two blanks a level, one member a line.
class printer {
 public:
  std::string print(const json::value &value) {
    put(value, 0);
    out_ += '\n';
    return std::move(out_);
  }

 private:
  void new_line(size_t depth) {
    out_ += '\n';
    out_.append(2 * depth, ' ');
  }

  void put(const json::value &value, size_t depth) {
    if (const json::object *object = value.if_object(); object != nullptr && !object->empty()) {
      const char *before = "{";
      for (const auto &member : *object) {
        out_ += std::exchange(before, ",");
        new_line(depth + 1);
        out_ += json::serialize(member.key()) + ": ";
        put(member.value(), depth + 1);
      }
      new_line(depth);
      out_ += '}';
    } else {
      out_ += json::serialize(value);
    }
  }

  std::string out_;
};

}  // namespace

std::string json_schema(const object_spec &root, std::string_view title) {
  return printer().print(schema_of(root, title));
}

std::string queues_json_schema() {
  json::object schema = schema_of(queues_file_spec, "queues.yaml");
  add_properties(schema, queue_spec);
  add_properties(schema, child_template_spec);
  return printer().print(schema);
}

}  // namespace tenon::config
