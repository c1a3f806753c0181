// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tune/space.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>

#include "tenon/config/shape.hpp"
#include "tenon/config/yaml.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using node_kind = config::yaml_node::kind;
using config::value_kind;

constexpr config::key_spec range_keys[] = {
    {.key = "from", .kind = value_kind::number, .summary = "The first value.", .required = true},
    {.key = "to", .kind = value_kind::number, .summary = "No value is above it.", .required = true},
    {.key = "step", .kind = value_kind::number, .summary = "From one value to the next.", .required = true},
};
constexpr config::object_spec range_spec{"range", "Numbers with equal steps.", range_keys};

// Of a quotient of decimal fractions, so that 3 × 0.1 is 0.3.
double rounded(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value);
  return std::strtod(text.data(), nullptr);
}

const json::object *object_at(const json::object &in, std::string_view key) {
  const json::value *found = in.if_contains(key);
  return found == nullptr ? nullptr : found->if_object();
}

bool is_of_objects(const json::object &schema) {
  const json::value *type = schema.if_contains("type");
  return type != nullptr && type->is_string() && type->get_string() == "object";
}

bool same(const json::value &a, const json::value &b) {
  if (a.is_number() && b.is_number()) return a.to_number<double>() == b.to_number<double>();
  return a == b;
}

json::value value_at(const json::object &from, std::span<const std::string> path) {
  const json::value *found = from.if_contains(path.front());
  if (found == nullptr) return nullptr;
  if (path.size() == 1) return *found;
  const json::object *below = found->if_object();
  return below == nullptr ? json::value(nullptr) : value_at(*below, path.subspan(1));
}

void set(json::object &into, std::span<const std::string> path, const json::value &value) {
  if (path.size() == 1) {
    into.insert_or_assign(path.front(), value);
    return;
  }
  json::value &below = into[path.front()];
  if (!below.is_object()) below = json::object();
  set(below.get_object(), path.subspan(1), value);
}

}  // namespace

class space_reader {
 public:
  space_reader(const json::object &schema, config::problems &report) : schema_(schema), report_(report) {
    schema_.erase("required");  // others may give the module what it must be given
  }

  void read(const config::yaml_node &from, search_space &to) {
    if (from.what != node_kind::map || from.entries.empty()) {
      report_.refuse(from.at, from.describe(), "a map of the module's keys, each with the values to try",
                     "write a key of the module's configuration, and [values] behind it");
      return;
    }
    std::vector<std::string> path;
    read_keys(from, schema_, path, to);
    if (!report_.refused() && to.size() > most_points) {
      report_.refuse(from.at, std::to_string(to.size()) + " points", "at most " + std::to_string(most_points),
                     "take values out, or make steps wider");
    }
  }

 private:
  void read_keys(const config::yaml_node &from, const json::object &schema, std::vector<std::string> &path,
                 search_space &to) {
    for (const config::yaml_entry &entry : from.entries) {
      const json::object *about = schema_of(schema, entry.key);
      if (about == nullptr) continue;
      path.push_back(entry.key.text);
      if (entry.value.what == node_kind::map && is_of_objects(*about)) {
        read_keys(entry.value, *about, path, to);
      } else {
        read_values(entry.value, path, to);
      }
      path.pop_back();
    }
  }

  const json::object *schema_of(const json::object &schema, const config::yaml_node &key) {
    const json::object *properties = object_at(schema, "properties");
    if (properties != nullptr)
      if (const json::object *found = object_at(*properties, key.text)) return found;
    if (const json::object *others = object_at(schema, "additionalProperties")) return others;
    std::vector<std::string_view> known;
    if (properties != nullptr)
      for (const auto &one : *properties) known.emplace_back(one.key());
    report_.refuse(key.at, "unknown key " + config::in_quotes(key.text),
                   known.empty() ? "nothing: there is no configuration here" : "a key of the module's configuration",
                   config::suggestion(key.text, known));
    return nullptr;
  }

  void read_values(const config::yaml_node &from, const std::vector<std::string> &path, search_space &to) {
    dimension out{path, {}};
    if (from.what == node_kind::list && !from.items.empty()) {
      for (const config::yaml_node &item : from.items) add(item, host::to_json(item), out, to);
    } else if (from.what == node_kind::map) {
      read_range(from, out, to);
    } else {
      report_.refuse(from.at, from.describe(), "a list of values, or { from: 0, to: 1, step: 0.1 }",
                     "write [value, value], also where there is one");
    }
    to.dimensions_.push_back(std::move(out));
  }

  void read_range(const config::yaml_node &from, dimension &out, search_space &to) {
    if (!config::check_shape(from, range_spec, report_)) return;
    const double first = config::number_of(from, "from", 0), last = config::number_of(from, "to", 0),
                 step = config::number_of(from, "step", 0);
    if (!(step > 0) || last < first) {
      report_.refuse(from.at, step > 0 ? "to below from" : "a step that is not above 0",
                     "from, to and a step from one to the other", "swap from and to, or write another step");
      return;
    }
    const double steps = std::floor((last - first) / step + 1e-9);
    if (steps >= static_cast<double>(most_points)) {
      report_.refuse(from.at, "more than " + std::to_string(most_points) + " values", "fewer", "make the step wider");
      return;
    }
    const bool whole = from.find("from")->type() == config::scalar_type::integer &&
                       from.find("step")->type() == config::scalar_type::integer;
    for (double i = 0; i <= steps; ++i) {
      const double value = rounded(first + i * step);
      add(from, whole ? json::value(static_cast<int64_t>(value)) : json::value(value), out, to);
    }
  }

  void add(const config::yaml_node &at, json::value value, dimension &out, const search_space &to) {
    const auto equal = [&](const json::value &other) { return same(other, value); };
    if (std::any_of(out.values.begin(), out.values.end(), equal)) {
      report_.refuse(at.at, shown_value(value) + " a second time", "values that differ", "take one of them out");
      return;
    }
    host::configuration tried{to.usual_, "", {}};
    set(tried.values, out.path, value);
    if (const auto complete = host::complete_configuration(schema_, tried); !complete) {
      const refusal &why = complete.why();
      report_.refuse(at.at, why.have, why.want, why.fix);
    }
    out.values.push_back(std::move(value));
  }

  json::object schema_;
  config::problems &report_;
};

std::string dimension::name() const {
  std::string out;
  for (const std::string &key : path) out += (out.empty() ? "" : ".") + key;
  return out;
}

std::optional<search_space> search_space::read(std::string_view text, const json::object &schema,
                                               const json::object &usual, config::problems &report) {
  const auto root = config::read_yaml(text, report);
  if (!root) return std::nullopt;
  search_space out;
  out.usual_ = usual;
  space_reader(schema, report).read(*root, out);
  if (report.refused()) return std::nullopt;
  return out;
}

size_t search_space::size() const {
  size_t out = 1;
  for (const dimension &one : dimensions_) {
    out *= one.values.size();
    if (out > most_points * most_points) break;  // too many, however many more
  }
  return out;
}

std::vector<json::value> search_space::values_of(size_t point) const {
  std::vector<json::value> out(dimensions_.size());
  for (size_t i = dimensions_.size(); i-- > 0;) {
    const auto &values = dimensions_[i].values;
    out[i] = values[point % values.size()];
    point /= values.size();
  }
  return out;
}

std::vector<json::value> search_space::usual_values() const {
  std::vector<json::value> out;
  for (const dimension &one : dimensions_) out.push_back(value_at(usual_, one.path));
  return out;
}

bool search_space::is_usual(size_t point) const {
  const auto own = values_of(point), usual = usual_values();
  return std::equal(own.begin(), own.end(), usual.begin(), same);
}

json::object search_space::configuration_of(size_t point) const {
  json::object all = usual_, out;
  const auto values = values_of(point);
  for (size_t i = 0; i < values.size(); ++i) set(all, dimensions_[i].path, values[i]);
  for (const dimension &one : dimensions_) out[one.path.front()] = all.at(one.path.front());
  return out;
}

std::string shown_value(const json::value &value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return std::string(value.get_string());
  if (!value.is_double()) return json::serialize(value);
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value.get_double()).ptr;
  return {text.data(), end};
}

}  // namespace tenon::cli
