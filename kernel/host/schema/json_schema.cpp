// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "schema/json_schema.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "schema/json_formats.hpp"
#include "tenon/host/expression.hpp"

namespace tenon::host {
namespace {

namespace json = boost::json;

constexpr size_t most_found = 32;
constexpr size_t most_steps =
    5'000'000;  // about a second; a step is a keyword at a value, or 64 bytes of a pattern's text

double as_number(const json::value &of) { return of.to_number<double>(); }

bool is_integer(const json::value &value) { return value.is_int64() || value.is_uint64(); }

bool has_type(const json::value &value, std::string_view type) {
  if (type == "integer") return is_integer(value);
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return value.is_null();
}

// 1 and 1.0 are one number.
bool equal(const json::value &a, const json::value &b) {
  if (a.is_number() && b.is_number()) return (is_integer(a) && is_integer(b)) ? a == b : as_number(a) == as_number(b);
  if (a.kind() != b.kind()) return false;
  if (a.is_array()) {
    return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(), b.get_array().end(), equal);
  }
  if (!a.is_object()) return a == b;
  return a.get_object().size() == b.get_object().size() &&
         std::all_of(a.get_object().begin(), a.get_object().end(), [&](const auto &member) {
           const json::value *other = b.get_object().if_contains(member.key());
           return other != nullptr && equal(member.value(), *other);
         });
}

// Values that are equal have the same: keys in order, and 1 for 1.0.
json::value plain(const json::value &of) {
  if (const json::array *list = of.if_array()) {
    json::array out;
    for (const json::value &each : *list) out.push_back(plain(each));
    return out;
  }
  if (const json::object *object = of.if_object()) {
    std::map<std::string_view, const json::value *> in_order;
    for (const auto &member : *object) in_order.emplace(std::string_view(member.key()), &member.value());
    json::object out;
    for (const auto &[key, value] : in_order) out.emplace(key, plain(*value));
    return out;
  }
  constexpr double exact = 9007199254740992.0;  // 2^53
  const double *number = of.if_double();
  if (number != nullptr && std::trunc(*number) == *number && std::abs(*number) <= exact) {
    return static_cast<int64_t>(*number);
  }
  return of;
}

// Characters, not bytes.
size_t length_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

class validator {
 public:
  // Whether `value` satisfies `schema`; what is wrong is added to `found`.
  bool check(const json::value &schema, const json::value &value) {
    if (const bool *all = schema.if_bool()) return *all || wrong("nothing is allowed here");
    const json::object *keywords = schema.if_object();
    if (keywords == nullptr) return true;
    bool fine = true;
    for (const auto &[key, wanted] : *keywords) {
      if (!step()) return false;
      fine = keyword(*keywords, key, wanted, value) && fine;
    }
    return fine;
  }

  std::vector<schema_violation> found;

 private:
  // One keyword. Those of objects that belong together are looked at with the first of them.
  bool keyword(const json::object &all, std::string_view key, const json::value &wanted, const json::value &value) {
    if (key == "type") return type(wanted, value);
    if (key == "enum") return any_equal(wanted.get_array(), value) || wrong("is none of the values that are allowed");
    if (key == "const") return equal(wanted, value) || wrong("is not the only value that is allowed");
    if (key == "allOf" || key == "anyOf" || key == "oneOf") return combined(key, wanted.get_array(), value);
    if (key == "not") return !quietly(wanted, value) || wrong("is what is not allowed");
    if (key == "if") return conditional(all, wanted, value);
    if (value.is_number()) return number(key, wanted, as_number(value));
    if (const json::string *text = value.if_string()) return text_keyword(key, wanted, *text);
    if (const json::array *list = value.if_array()) return list_keyword(all, key, wanted, *list);
    if (const json::object *object = value.if_object()) return object_keyword(all, key, wanted, *object);
    return true;
  }

  bool type(const json::value &wanted, const json::value &value) {
    if (const json::string *one = wanted.if_string()) return has_type(value, *one) || wrong("is of another type");
    const json::array &several = wanted.get_array();
    return std::any_of(several.begin(), several.end(),
                       [&](const json::value &each) { return has_type(value, each.get_string()); }) ||
           wrong("is of another type");
  }

  bool any_equal(const json::array &list, const json::value &value) {
    return std::any_of(list.begin(), list.end(), [&](const json::value &each) { return step() && equal(each, value); });
  }

  bool combined(std::string_view key, const json::array &schemas, const json::value &value) {
    if (key == "allOf") {
      bool fine = true;
      for (const json::value &each : schemas) fine = check(each, value) && fine;
      return fine;
    }
    const size_t before = found.size();
    size_t fit = 0;
    for (const json::value &each : schemas) fit += check(each, value) ? 1 : 0;
    if (key == "anyOf" ? fit > 0 : fit == 1) {
      found.resize(before);
      return true;
    }
    return wrong(fit == 0 ? "satisfies none of the schemas of " + std::string(key) : "satisfies several of oneOf");
  }

  bool conditional(const json::object &all, const json::value &condition, const json::value &value) {
    const json::value *follows = all.if_contains(quietly(condition, value) ? "then" : "else");
    return follows == nullptr || check(*follows, value);
  }

  bool number(std::string_view key, const json::value &wanted, double value) {
    if (key == "minimum") return value >= as_number(wanted) || wrong("is less than the minimum");
    if (key == "maximum") return value <= as_number(wanted) || wrong("is more than the maximum");
    if (key == "exclusiveMinimum") return value > as_number(wanted) || wrong("is not more than exclusiveMinimum");
    if (key == "exclusiveMaximum") return value < as_number(wanted) || wrong("is not less than exclusiveMaximum");
    if (key == "multipleOf") return is_multiple(value, as_number(wanted)) || wrong("is no multiple");
    return true;
  }

  static bool is_multiple(double value, double of) {
    const double times = value / of;
    return std::abs(times - std::round(times)) <= 1e-9 * std::max(1.0, std::abs(times));
  }

  bool text_keyword(std::string_view key, const json::value &wanted, std::string_view text) {
    if (key == "minLength") return length_of(text) >= as_number(wanted) || wrong("has too few characters");
    if (key == "maxLength") return length_of(text) <= as_number(wanted) || wrong("has too many characters");
    if (key == "pattern") return matches(wanted.get_string(), text) || wrong("does not match the pattern");
    if (key == "format") return has_format(wanted.get_string(), text) || wrong("is not of the format");
    return true;
  }

  bool list_keyword(const json::object &all, std::string_view key, const json::value &wanted, const json::array &list) {
    if (key == "minItems") return list.size() >= as_number(wanted) || wrong("has too few items");
    if (key == "maxItems") return list.size() <= as_number(wanted) || wrong("has too many items");
    if (key == "uniqueItems") return !wanted.get_bool() || are_unique(list) || wrong("has an item twice");
    if (key == "items") return items(all, wanted, list);
    if (key != "contains") return true;
    return std::any_of(list.begin(), list.end(), [&](const json::value &each) { return quietly(wanted, each); }) ||
           wrong("has no item as 'contains' wants it");
  }

  bool items(const json::object &all, const json::value &wanted, const json::array &list) {
    const json::array *first = wanted.if_array();
    const json::value *others = first == nullptr ? &wanted : all.if_contains("additionalItems");
    bool fine = true;
    for (size_t i = 0; i < list.size(); ++i) {
      const json::value *of = first != nullptr && i < first->size() ? &(*first)[i] : others;
      fine = (of == nullptr || inside(std::to_string(i), *of, list[i])) && fine;
    }
    return fine;
  }

  bool are_unique(const json::array &list) {
    std::set<std::string> seen;
    return std::all_of(list.begin(), list.end(), [&](const json::value &each) {
      return step() && seen.insert(json::serialize(plain(each))).second;
    });
  }

  bool object_keyword(const json::object &all, std::string_view key, const json::value &wanted,
                      const json::object &object) {
    if (key == "minProperties") return object.size() >= as_number(wanted) || wrong("has too few keys");
    if (key == "maxProperties") return object.size() <= as_number(wanted) || wrong("has too many keys");
    if (key == "required") return required(wanted.get_array(), object);
    if (key == "propertyNames") return names(wanted, object);
    if (key == "dependencies") return dependencies(wanted.get_object(), object);
    constexpr std::string_view together[] = {"properties", "patternProperties", "additionalProperties"};
    const auto *first = std::find_if(std::begin(together), std::end(together),
                                     [&](std::string_view each) { return all.contains(each); });
    return first == std::end(together) || key != *first || members(all, object);
  }

  bool required(const json::array &keys, const json::object &object) {
    bool fine = true;
    for (const json::value &each : keys) {
      if (!step()) return false;
      const std::string_view key = each.get_string();
      if (!object.contains(key)) fine = wrong("lacks the key '" + std::string(key) + "'");
    }
    return fine;
  }

  bool names(const json::value &wanted, const json::object &object) {
    bool fine = true;
    for (const auto &member : object) fine = inside(member.key(), wanted, json::value(member.key())) && fine;
    return fine;
  }

  bool dependencies(const json::object &wanted, const json::object &object) {
    bool fine = true;
    for (const auto &[key, follows] : wanted) {
      if (!step()) return false;
      if (!object.contains(key)) continue;
      const json::array *keys = follows.if_array();
      fine = (keys != nullptr ? required(*keys, object) : check(follows, object)) && fine;
    }
    return fine;
  }

  // By properties and patterns that name them; those that none does by additionalProperties.
  bool members(const json::object &all, const json::object &object) {
    const auto of = [&](std::string_view key) {
      const json::value *found_there = all.if_contains(key);
      return found_there == nullptr ? nullptr : found_there->if_object();
    };
    const json::object *properties = of("properties");
    const json::object *patterns = of("patternProperties");
    const json::value *others = all.if_contains("additionalProperties");
    bool fine = true;
    for (const auto &[key, value] : object) {
      bool named = false;
      if (const json::value *own = properties == nullptr ? nullptr : properties->if_contains(key)) {
        named = true;
        fine = inside(key, *own, value) && fine;
      }
      for (auto at = patterns == nullptr ? nullptr : patterns->begin(); at != nullptr && at != patterns->end(); ++at) {
        if (!matches(at->key(), key)) continue;
        named = true;
        fine = inside(key, at->value(), value) && fine;
      }
      if (!named && others != nullptr) fine = inside(key, *others, value) && fine;
    }
    return fine;
  }

  bool inside(std::string_view key, const json::value &schema, const json::value &value) {
    path_.emplace_back(key);
    const bool fine = check(schema, value);
    path_.pop_back();
    return fine;
  }

  // Whether it fits, without a word.
  bool quietly(const json::value &schema, const json::value &value) {
    const size_t before = found.size();
    const bool fine = check(schema, value);
    if (!is_over_) found.resize(std::min(before, found.size()));
    return fine;
  }

  bool matches(std::string_view pattern, std::string_view text) {
    if (!step(text.size() / 64)) return false;
    auto at = patterns_.find(pattern);
    if (at == patterns_.end()) {
      auto made = expression::compile(pattern);
      at = patterns_.emplace(pattern, made ? std::optional(*made) : std::nullopt).first;
    }
    return at->second && at->second->found_in(text);
  }

  bool step(size_t more = 0) {
    if (is_over_) return false;
    steps_ += 1 + more;
    if (steps_ <= most_steps) return true;
    is_over_ = true;
    found.assign(1, {{}, "is so large that its schema cannot be looked at in a bounded time"});
    return false;
  }

  bool wrong(std::string problem) {
    if (!is_over_ && found.size() < most_found) found.push_back({path_, std::move(problem)});
    return false;
  }

  json_path path_;
  std::map<std::string, std::optional<expression>, std::less<>> patterns_;
  size_t steps_ = 0;
  bool is_over_ = false;
};

}  // namespace

std::vector<schema_violation> violations(const json::value &schema, const json::value &value) {
  validator of;
  if (of.check(schema, value)) return {};
  return std::move(of.found);
}

}  // namespace tenon::host
