// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tenon/kernel/duration.hpp"

namespace tenon::config {

namespace {

using kind = yaml_node::kind;

constexpr size_t longest_hint = 40;

class shape_checker {
 public:
  explicit shape_checker(problems &report) : report_(report) {}

  void check_object(const yaml_node &node, const object_spec &spec) {
    if (node.what != kind::map) {
      std::string keys;
      for (const key_spec &key : spec.keys) keys += (keys.empty() ? "" : ", ") + std::string(key.key);
      refuse(node, "a map with the keys of a " + std::string(spec.name),
             "write " + as_map(node, spec) + ", with these keys: " + keys);
      return;
    }
    for (const yaml_entry &entry : node.entries) {
      const auto known =
          std::find_if(spec.keys.begin(), spec.keys.end(), [&](const key_spec &k) { return k.key == entry.key.text; });
      if (known == spec.keys.end() && spec.takes_own && entry.key.text.starts_with("x-")) continue;
      if (known == spec.keys.end()) {
        refuse_unknown(entry.key, spec);
      } else if (entry.value.type() != scalar_type::null) {
        check_value(entry.value, *known);
      }
    }
    for (const key_spec &key : spec.keys) {
      if (!key.required || node.find(key.key) != nullptr) continue;
      report_.refuse(node.at, "a " + std::string(spec.name) + " without '" + std::string(key.key) + "'",
                     std::string(key.summary), "add '" + std::string(key.key) + ":'");
    }
  }

 private:
  // The map that a word in its place may stand for: {use: tenon.grpc}.
  static std::string as_map(const yaml_node &node, const object_spec &spec) {
    const bool is_short =
        node.text.size() <= longest_hint && node.text.find_first_of(",[]{}#:'\"\n ") == std::string::npos;
    const value_kind wanted = node.as_boolean() ? value_kind::boolean : value_kind::text;
    const auto meant =
        std::find_if(spec.keys.begin(), spec.keys.end(), [&](const key_spec &k) { return k.kind == wanted; });
    if (node.what != kind::scalar || !is_short || meant == spec.keys.end()) return "{key: value}";
    return "{" + std::string(meant->key) + ": " + node.text + "}";
  }

  void refuse(const yaml_node &node, std::string want, std::string fix = {}) {
    report_.refuse(node.at, node.describe(), std::move(want), std::move(fix));
  }

  void refuse_unknown(const yaml_node &key, const object_spec &spec) {
    std::vector<std::string_view> known;
    if (!report_.full()) {
      for (const key_spec &k : spec.keys) known.push_back(k.key);
    }
    // What is not near may be a key of another kind of file.
    constexpr std::string_view deployment = "a deployment (tenon.yaml), which has apiVersion: tenon/v1";
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> homes{
        {{"partitions",
          "queues (queues.yaml, which --config of `tenon simulate` and policy_groups of a deployment name)"},
         {"queues", "a partition or queue (queues.yaml)"},
         {"policy_groups", deployment},
         {"module_path", deployment},
         {"modules", deployment},
         {"transports", deployment},
         {"events", deployment},
         {"apiVersion", "a deployment (tenon.yaml), of its lock or of a module's manifest"},
         {"steps", "a scenario"},
         {"provides", "a module's manifest, which has apiVersion: tenon.module/v1"}}};
    std::string fix = suggestion(key.text, known);
    if (spec.takes_own && closest(key.text, known).empty())
      fix = "write x-" + key.text.substr(0, longest_hint) + " for a key of your own, or " + fix;
    for (const auto &[name, file] : homes)
      if (key.text == name)
        fix = "it is a key of " + std::string(file) + ": give that file where one is wanted; here " + fix;
    const std::string object = (spec.name.find_first_of("aeio") == 0 ? "an " : "a ") + std::string(spec.name);
    report_.refuse(key.at, "unknown key " + in_quotes(key.text) + " in " + object, "a key of " + object,
                   std::move(fix));
  }

  void check_value(const yaml_node &node, const key_spec &key) {
    const std::string of = " for '" + std::string(key.key) + "'";
    switch (key.kind) {
      case value_kind::any:
        return;
      case value_kind::text:
        return check_text(node, key);
      case value_kind::boolean:
        if (!node.as_boolean()) refuse(node, "true or false" + of);
        return;
      case value_kind::count:
        return check_count(node, of);
      case value_kind::integer:
        return check_integer(node, key.least, key.most, of);
      case value_kind::number:
        return check_number(node, of);
      case value_kind::duration:
        return check_duration(node);
      case value_kind::object:
        return check_object(node, *key.object);
      case value_kind::text_list:
        return check_text_list(node, of);
      case value_kind::object_list:
        if (node.what != kind::list) return refuse(node, "a list" + of, "begin each entry with '- '");
        for (const yaml_node &item : node.items) {
          if (item.type() != scalar_type::null) check_object(item, *key.object);
        }
        return;
      case value_kind::text_map:
      case value_kind::quantity_map:
      case value_kind::number_map:
      case value_kind::integer_map:
        return check_map(node, key.kind, of);
    }
  }

  void check_text(const yaml_node &node, const key_spec &key) {
    if (node.what != kind::scalar)
      return refuse(node, "a text for '" + std::string(key.key) + "'", as_text(node, key.commas));
    if (key.allowed.empty() || std::find(key.allowed.begin(), key.allowed.end(), node.text) != key.allowed.end())
      return;
    std::string want = "one of:";
    for (const std::string_view word : key.allowed) want += word.empty() ? " ''" : " " + std::string(word);
    const auto near = closest(node.text, key.allowed);
    refuse(node, want, near.empty() ? std::string{} : "did you mean '" + std::string(near) + "'?");
  }

  // The text that a list in its place may stand for.
  static std::string as_text(const yaml_node &list, bool commas) {
    if (list.items.empty() || (list.items.size() > 1 && !commas)) return {};
    std::string text;
    for (const yaml_node &item : list.items) {
      if (item.what != kind::scalar) return {};
      text += (text.empty() ? "" : ",") + item.text;
    }
    return text.size() > longest_hint ? std::string() : "write " + text + " without [ ]";
  }

  void check_count(const yaml_node &node, const std::string &of) {
    const auto count = node.as_count();
    const bool was_text = node.what == kind::scalar && !node.plain;
    const bool is_below = node.what == kind::scalar && node.plain && node.text.starts_with('-');
    if (!count)
      return refuse(node, "a whole number from 0" + of,
                    was_text   ? "remove the quotes"
                    : is_below ? "leave the key out where there is to be no limit"
                               : std::string{});
    const auto exact = node.as_number();
    if (exact && *exact != std::floor(*exact)) {
      report_.warn(node.at, node.describe(), "a whole number" + of, "it is read as " + std::to_string(*count));
    }
  }

  void check_integer(const yaml_node &node, int32_t least, int32_t most, const std::string &of) {
    const auto value = node.as_integer();
    if (!value || *value < least || *value > most) {
      refuse(node, "a whole number between " + std::to_string(least) + " and " + std::to_string(most) + of);
    }
  }

  void check_number(const yaml_node &node, const std::string &of) {
    const auto value = node.as_number();
    if (value && std::isfinite(*value)) return;
    const auto span_ms = parse_duration_ms(node.text);
    refuse(node, "a number" + of,
           span_ms && *span_ms % 1000 == 0 ? "write " + std::to_string(*span_ms / 1000) + ", in seconds" : "");
  }

  void check_duration(const yaml_node &node) {
    if (node.what != kind::scalar) return refuse(node, "a duration like 30s or 1h30m");
    const auto value = parse_duration_ms(node.text);
    if (!value) {
      const std::string fix = with_unit(node.text);
      report_.refuse(node.at, value.why().have, value.why().want, fix.empty() ? value.why().fix : fix);
    } else if (*value < 0) {
      refuse(node, "a duration that is not negative");
    }
  }

  void check_text_list(const yaml_node &node, const std::string &of) {
    if (node.what != kind::list) {
      return refuse(node, "a list of texts" + of,
                    node.what == kind::scalar ? "write [" + node.text.substr(0, longest_hint) + "]" : std::string{});
    }
    for (const yaml_node &item : node.items) {
      if (item.what == kind::list || item.what == kind::map) refuse(item, "a text in the list" + of);
    }
  }

  void check_map(const yaml_node &node, value_kind values, const std::string &of) {
    if (node.what != kind::map)
      return refuse(node, "a map" + of, "write {name: value}, or lines of 'name: value' below the key");
    for (const yaml_entry &entry : node.entries) {
      const std::string of_entry = " for " + in_quotes(entry.key.text);
      const yaml_node &value = entry.value;
      if (values == value_kind::number_map) {
        if (value.type() != scalar_type::null) check_number(value, of_entry);
      } else if (values == value_kind::integer_map) {
        check_integer(value, key_spec{}.least, key_spec{}.most, of_entry);
      } else if (value.what == kind::list || value.what == kind::map) {
        refuse(value, (values == value_kind::quantity_map ? "a quantity" : "a text") + of_entry, as_text(value, false));
      }
    }
  }

  problems &report_;
};

}  // namespace

bool check_shape(const yaml_node &node, const object_spec &spec, problems &report) {
  const size_t before = report.refused_count();
  shape_checker(report).check_object(node, spec);
  return report.refused_count() == before;
}

std::string with_unit(std::string_view text) {
  const bool is_number =
      !text.empty() && text.size() <= longest_hint && text.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? "write " + std::string(text) + "s for seconds; other units are ns, us, ms, m and h"
                   : std::string();
}

std::string text_of(const yaml_node &map, std::string_view key, std::string_view fallback) {
  const yaml_node *value = map.find(key);
  return value == nullptr ? std::string(fallback) : value->text;
}

bool boolean_of(const yaml_node &map, std::string_view key, bool fallback) {
  const yaml_node *value = map.find(key);
  return value == nullptr ? fallback : value->as_boolean().value_or(fallback);
}

uint64_t count_of(const yaml_node &map, std::string_view key, uint64_t fallback) {
  const yaml_node *value = map.find(key);
  return value == nullptr ? fallback : value->as_count().value_or(fallback);
}

double number_of(const yaml_node &map, std::string_view key, double fallback) {
  const yaml_node *value = map.find(key);
  return value == nullptr ? fallback : value->as_number().value_or(fallback);
}

int64_t duration_ms_of(const yaml_node &map, std::string_view key, int64_t fallback_ms) {
  const yaml_node *value = map.find(key);
  if (value == nullptr) return fallback_ms;
  const auto parsed = parse_duration_ms(value->text);
  return parsed ? *parsed : fallback_ms;
}

std::vector<std::string> texts_of(const yaml_node &map, std::string_view key) {
  std::vector<std::string> out;
  const yaml_node *value = map.find(key);
  if (value == nullptr) return out;
  for (const yaml_node &item : value->items) {
    if (item.type() != scalar_type::null) out.push_back(item.text);
  }
  return out;
}

}  // namespace tenon::config
