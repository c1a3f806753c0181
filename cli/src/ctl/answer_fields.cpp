// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/answer_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "run/formats.hpp"
#include "run/text_table.hpp"

namespace tenon::cli::answer_fields {
namespace {

namespace json = boost::json;

const json::value *amount_of(const json::object &of, std::string_view key, const std::string &type) {
  const json::object *amounts = of.at(key).if_object();
  return amounts == nullptr ? nullptr : amounts->if_contains(type);
}

}  // namespace

std::string text(const json::object &of, std::string_view key) { return std::string(of.at(key).as_string()); }
bool yes(const json::object &of, std::string_view key) { return of.at(key).as_bool(); }
int64_t number(const json::object &of, std::string_view key) { return of.at(key).to_number<int64_t>(); }
std::string count(const json::object &of, std::string_view key) { return std::to_string(number(of, key)); }
std::string size(const json::object &of, std::string_view key) { return std::to_string(of.at(key).as_array().size()); }

std::string text_or_nothing(const json::object &of, std::string_view key) {
  const json::value *found = of.if_contains(key);
  return found == nullptr || !found->is_string() ? std::string() : std::string(found->as_string());
}

std::string or_none(std::string value) { return value.empty() ? "-" : value; }

std::set<std::string> types_of(const json::array &items, std::initializer_list<std::string_view> keys) {
  std::set<std::string> out;
  for (const json::value &item : items)
    for (const std::string_view key : keys)
      if (const json::object *amounts = item.as_object().at(key).if_object())
        for (const auto &one : *amounts) out.insert(std::string(one.key()));
  return out;
}

std::string used(const json::object &of, std::string_view key, const std::string &type) {
  const json::value *found = amount_of(of, key, type);
  return amount_text(type, found == nullptr ? 0 : found->to_number<int64_t>());
}

std::string set(const json::object &of, std::string_view key, const std::string &type) {
  const json::value *found = amount_of(of, key, type);
  return found == nullptr ? "-" : amount_text(type, found->to_number<int64_t>());
}

std::string amounts_text(const json::object &of, std::string_view key) {
  std::string out;
  for (const auto &one : of.at(key).as_object()) {
    const std::string type(one.key());
    out += (out.empty() ? "" : ", ") + type + " " + amount_text(type, one.value().to_number<int64_t>());
  }
  return out.empty() ? "0" : out;
}

std::string title(std::string type, std::string_view what) {
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::toupper(c); });
  return type + " " + std::string(what);
}

std::string age(const json::object &of, std::string_view key, int64_t now_ms) {
  const int64_t from = number(of, key);
  return from == 0 ? "-" : duration_text(static_cast<double>(std::max<int64_t>(now_ms - from, 0)) / 1000);
}

int64_t waiting(const json::object &application) {
  int64_t out = 0;
  for (const json::value &ask : application.at("asks").as_array()) out += number(ask.as_object(), "pending_count");
  return out;
}

std::string waits_for(const json::object &application, const std::string &hold) {
  if (waiting(application) == 0) return {};
  if (!hold.empty()) return hold;
  std::map<std::string, int64_t> causes;
  for (const json::value &value : application.at("asks").as_array()) {
    const json::object &ask = value.as_object();
    if (number(ask, "pending_count") == 0) continue;
    const std::string cause = text(ask, "blocker");
    causes[cause.empty() ? "its turn" : cause] += number(ask, "pending_count");
  }
  std::vector<std::pair<std::string, int64_t>> sorted(causes.begin(), causes.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  if (sorted.size() == 1) return sorted.front().first;
  constexpr size_t shown = 2;
  std::string out;
  for (size_t i = 0; i < sorted.size() && i < shown; ++i)
    out += fmt::format("{}{} ({})", i == 0 ? "" : "; ", sorted[i].first, sorted[i].second);
  if (sorted.size() > shown) out += "; " + std::to_string(sorted.size() - shown) + " more";
  return out;
}

std::string devices(const json::object &node) {
  std::string out;
  for (const auto &one : node.at("devices").as_object()) {
    const std::string type(one.key());
    out += (out.empty() ? "" : ", ") + type;
    for (const json::value &free : one.value().as_array()) out += " " + amount_text(type, free.to_number<int64_t>());
  }
  return out;
}

}  // namespace tenon::cli::answer_fields
