// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "configurations.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <set>

#include "check.hpp"
#include "tenon/abi/identity.h"
#include "tenon/abi/transport.h"
#include "tenon/host/library_file.hpp"
#include "tenon/host/module_configuration.hpp"

namespace tenon::conformance {
namespace {

namespace json = boost::json;

double number_or(const json::object &schema, const char *key, double otherwise) {
  const json::value *v = schema.if_contains(key);
  return v == nullptr || !v->is_number() ? otherwise : v->to_number<double>();
}

json::value any_value(const json::value &schema, dice &d, int depth);

std::string any_text(const json::object &schema, dice &d) {
  static const std::vector<std::string> texts{"a", "zone", "root.a", "x y", "\xC3\xA9", "10", "dept-", "memory"};
  std::string out = d.one_of(texts);
  const auto least = static_cast<size_t>(number_or(schema, "minLength", 0));
  const auto most = static_cast<size_t>(number_or(schema, "maxLength", 1e6));
  while (out.size() < least) out += 'a';
  if (out.size() > most) out.resize(most);
  return out;
}

json::value any_number(const json::object &schema, dice &d, bool whole) {
  const double least = number_or(schema, "minimum", number_or(schema, "exclusiveMinimum", -1000));
  const double most = number_or(schema, "maximum", number_or(schema, "exclusiveMaximum", std::max(least + 2000, 1e6)));
  static const std::vector<double> parts{0, 1, 0.5, 0.25, 0.001, 0.999};
  double value = least + (most - least) * d.one_of(parts);
  if (schema.contains("exclusiveMinimum") && value <= least) value = std::nextafter(least, most);
  if (const double step = number_or(schema, "multipleOf", 0); step > 0) value = std::ceil(least / step) * step;
  if (!whole) return value;
  value = std::ceil(value);
  return static_cast<int64_t>(std::min(value, most));
}

json::value any_object(const json::object &schema, dice &d, int depth) {
  json::object out;
  std::set<std::string> required;
  if (const json::value *names = schema.if_contains("required"); names != nullptr && names->is_array()) {
    for (const json::value &name : names->get_array()) required.insert(std::string(name.as_string()));
  }
  if (const json::value *properties = schema.if_contains("properties"); properties != nullptr) {
    for (const auto &[key, of] : properties->as_object()) {
      if (required.contains(std::string(key)) || d.chance(60)) out[key] = any_value(of, d, depth + 1);
    }
  }
  const json::value *others = schema.if_contains("additionalProperties");
  if (others != nullptr && others->is_object()) {
    for (const char *key : {"memory", "vcore", "nvidia.com/gpu"}) {
      if (d.chance(40)) out[key] = any_value(*others, d, depth + 1);
    }
  }
  return out;
}

json::value any_of_type(std::string_view type, const json::object &schema, dice &d, int depth) {
  if (type == "object") return any_object(schema, d, depth);
  if (type == "string") return json::string(any_text(schema, d));
  if (type == "integer" || type == "number") return any_number(schema, d, type == "integer");
  if (type == "boolean") return d.chance(50);
  if (type == "array") {
    json::array out;
    const auto least = static_cast<uint64_t>(number_or(schema, "minItems", 0));
    const auto most = static_cast<uint64_t>(number_or(schema, "maxItems", static_cast<double>(least) + 3));
    const json::value *items = schema.if_contains("items");
    for (uint64_t n = least + d.below(most - least + 1); n > 0 && depth < 6; --n) {
      json::value v = items == nullptr ? json::value(1) : any_value(*items, d, depth + 1);
      if (std::find(out.begin(), out.end(), v) == out.end()) out.push_back(std::move(v));
    }
    return out;
  }
  return nullptr;
}

json::value any_value(const json::value &schema, dice &d, int depth) {
  if (!schema.is_object() || depth > 6) return nullptr;
  const json::object &s = schema.get_object();
  if (const json::value *fixed = s.if_contains("const"); fixed != nullptr) return *fixed;
  if (const json::value *listed = s.if_contains("enum"); listed != nullptr && listed->is_array())
    return listed->get_array()[d.below(listed->get_array().size())];
  if (const json::value *usual = s.if_contains("default"); usual != nullptr && d.chance(25)) return *usual;
  if (const json::value *shown = s.if_contains("examples"); shown != nullptr && shown->is_array())
    return shown->get_array()[d.below(shown->get_array().size())];
  for (const char *several : {"oneOf", "anyOf"}) {
    if (const json::value *these = s.if_contains(several); these != nullptr && these->is_array())
      return any_value(these->get_array()[d.below(these->get_array().size())], d, depth + 1);
  }
  const json::value *type = s.if_contains("type");
  if (type != nullptr && type->is_array() && !type->get_array().empty())
    type = &type->get_array()[d.below(type->get_array().size())];
  if (type != nullptr && type->is_string()) return any_of_type(type->get_string(), s, d, depth);
  return s.contains("properties") ? any_object(s, d, depth) : json::value(json::object{});
}

// As the host hands it over: defaults filled in. Nothing where the schema refuses it.
std::optional<std::string> complete(const json::object &schema, json::object values) {
  const auto whole = host::complete_configuration(schema, {std::move(values), "a configuration", {}});
  return whole ? std::optional(json::serialize(*whole)) : std::nullopt;
}

void spell(const json::value &v, dice &d, std::string &out);

void spell_text(std::string_view text, dice &d, std::string &out) {
  out += '"';
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x80 && d.chance(20)) {
      static constexpr char digits[] = "0123456789abcdef";
      out += "\\u00";
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[static_cast<unsigned char>(c) & 15];
    } else if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) {
      const std::string one = json::serialize(json::value(json::string(std::string(1, c))));
      out += one.substr(1, one.size() - 2);
    } else {
      out += c;
    }
  }
  out += '"';
}

void blanks(dice &d, std::string &out) {
  for (uint64_t n = d.below(3); n > 0; --n) out += d.chance(50) ? ' ' : '\n';
}

void spell(const json::value &v, dice &d, std::string &out) {
  if (v.is_string()) return spell_text(v.get_string(), d, out);
  if (v.is_array()) {
    out += '[';
    bool first = true;
    for (const json::value &item : v.get_array()) {
      if (!std::exchange(first, false)) out += ',';
      blanks(d, out), spell(item, d, out), blanks(d, out);
    }
    out += ']';
    return;
  }
  if (!v.is_object()) {
    out += json::serialize(v);
    return;
  }
  std::vector<std::pair<std::string, json::value>> entries;
  for (const auto &[key, value] : v.get_object()) entries.emplace_back(std::string(key), value);
  for (size_t i = entries.size(); i > 1; --i) std::swap(entries[i - 1], entries[d.below(i)]);
  out += '{';
  bool first = true;
  for (const auto &[key, value] : entries) {
    if (!std::exchange(first, false)) out += ',';
    blanks(d, out), spell_text(key, d, out), blanks(d, out);
    out += ':';
    blanks(d, out), spell(value, d, out), blanks(d, out);
  }
  out += '}';
}

void names_in(const json::object &schema, std::set<std::string> &out) {
  if (const json::value *properties = schema.if_contains("properties");
      properties != nullptr && properties->is_object()) {
    for (const auto &[key, of] : properties->get_object()) out.insert(std::string(key));
  }
}

// Texts in the library that could be the name of a tag or an attribute.
void names_in_library(const host::module_manifest &manifest, std::set<std::string> &out) {
  const auto file = host::read_library(manifest.library_path());
  if (!file) return;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.' ||
           c == '-' || c == '_';
  };
  std::string now;
  for (const std::byte b : file->bytes) {
    const char c = static_cast<char>(b);
    if (fits(c)) {
      now += c;
      continue;
    }
    const bool named = now.find('/') != std::string::npos || now.find('-') != std::string::npos;
    if (now.size() >= 4 && now.size() <= 32 && now[0] >= 'a' && now[0] <= 'z' && (named || c == '\0') &&
        now.find("..") == std::string::npos && now.find('_') == std::string::npos &&
        now.find(".so") == std::string::npos)
      out.insert(now);
    now.clear();
  }
}

bool provides(const host::module_manifest &manifest, std::string_view interface) {
  return std::any_of(manifest.provides.begin(), manifest.provides.end(),
                     [&](const host::provided_interface &one) { return one.interface == interface; });
}

// Where a transport listens by default there may be one at work: it names an example that is free on any machine. A
// source of groups names one that says where the source is.
json::object first_examples(const json::object &schema) {
  json::object out;
  const json::value *properties = schema.if_contains("properties");
  if (properties == nullptr || !properties->is_object()) return out;
  for (const auto &[name, of] : properties->get_object()) {
    const json::value *shown = of.is_object() ? of.get_object().if_contains("examples") : nullptr;
    if (shown != nullptr && shown->is_array() && !shown->get_array().empty()) out[name] = shown->get_array().front();
  }
  return out;
}

}  // namespace

std::string usual_configuration(const host::module_manifest &manifest) {
  json::object shown;
  if (provides(manifest, TENON_TRANSPORT) || provides(manifest, TENON_IDENTITY))
    shown = first_examples(manifest.configuration);
  if (auto usual = complete(manifest.configuration, std::move(shown))) return *usual;
  dice d(1);
  // What is required and nothing else.
  const json::value *required = manifest.configuration.if_contains("required");
  const json::value *properties = manifest.configuration.if_contains("properties");
  for (int tries = 0; tries < 20 && required != nullptr && properties != nullptr; ++tries) {
    json::object least;
    for (const json::value &name : required->as_array()) {
      const json::value *of = properties->as_object().if_contains(name.as_string());
      if (of != nullptr) least[name.as_string()] = any_value(*of, d, 1);
    }
    if (auto whole = complete(manifest.configuration, std::move(least))) return *whole;
  }
  auto some = random_configurations(manifest, 1, d);
  if (some.empty())
    probe::skip("no configuration that its schema accepts was found; give `default` or `examples` to what it requires");
  return some.front();
}

std::vector<std::string> random_configurations(const host::module_manifest &manifest, size_t count, dice &d) {
  std::vector<std::string> out;
  for (size_t tries = 0; tries < count * 20 && out.size() < count; ++tries) {
    json::value v = any_object(manifest.configuration, d, 0);
    if (auto whole = complete(manifest.configuration, v.get_object())) out.push_back(std::move(*whole));
  }
  return out;
}

std::optional<std::string> away_configuration(const host::module_manifest &manifest) {
  const json::value *given = manifest.configuration.if_contains("x-away");
  if (given == nullptr) return std::nullopt;
  if (given->is_object()) {
    if (auto whole = complete(manifest.configuration, given->get_object())) return whole;
  }
  probe::fail("`x-away` in its schema is no configuration that the schema accepts");
}

std::string outside_of(const host::module_manifest &manifest) {
  const json::value *outside = manifest.configuration.if_contains("x-outside");
  return outside != nullptr && outside->is_string() ? std::string(outside->get_string()) : std::string();
}

std::string respelled(const std::string &configuration, dice &d) {
  std::string out;
  spell(json::parse(configuration), d, out);
  return out;
}

std::vector<std::string> vocabulary_of(const host::module_manifest &manifest,
                                       const std::vector<column_declared> &columns) {
  std::set<std::string> names, others;
  names_in(manifest.tags, names);
  names_in(manifest.queue_properties, names);
  for (const column_declared &c : columns) {
    if (const auto colon = c.id.find(':'); colon != std::string::npos) names.insert(c.id.substr(colon + 1));
  }
  names_in_library(manifest, others);
  std::vector<std::string> out(names.begin(), names.end());
  for (const std::string &other : others) {
    if (out.size() >= 24) break;
    if (other.find('/') != std::string::npos || names.empty()) out.push_back(other);
  }
  return out;
}

}  // namespace tenon::conformance
