// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include <algorithm>
#include <charconv>
#include <regex>

#include "amounts.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {
namespace {

const std::string prefix = "tenon/devices/";

std::optional<int64_t> number(const std::string &digits) {
  int64_t out = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return end.ec == std::errc() ? std::optional(out) : std::nullopt;
}

std::optional<division> parse_division(const std::string &text) {
  static const std::regex form("([1-9][0-9]*)x([1-9][0-9]*)");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return std::nullopt;
  const auto count = number(parts[1]), amount = number(parts[2]);
  if (!count || !amount || *count > 64) return std::nullopt;
  return division{*count, *amount};
}

bool is_product(int64_t count, int64_t amount, int64_t product) {
  return product % count == 0 && product / count == amount;
}

}  // namespace

division_map divisions_in(const std::map<std::string, std::string> &texts) {
  division_map out;
  for (const auto &[key, value] : texts) {
    if (!key.starts_with(prefix)) continue;
    if (const auto one = parse_division(value)) out[key.substr(prefix.size())] = *one;
  }
  return out;
}

std::string problem_of_division(const std::string &key, const std::string &value) {
  if (!key.starts_with(prefix)) return {};
  const std::string type = key.substr(prefix.size());
  if (type.empty() || type.find_first_of(";=") != std::string::npos) return messages::devices_type_invalid(key);
  return parse_division(value) ? std::string() : messages::devices_malformed(key, value);
}

std::string problem_of_device_tags(texts tags, const amount_map &resources) {
  for (const named_text &tag : tags) {
    const std::string key(tag.key), value(tag.value);
    if (!key.starts_with(prefix)) continue;
    if (std::string why = problem_of_division(key, value); !why.empty()) return why;
    const std::string type = key.substr(prefix.size());
    const division wanted = *parse_division(value);
    const int64_t amount = amount_of(resources, type);
    if (!is_product(wanted.count, wanted.amount, amount)) return messages::devices_not_the_amount(type, value, amount);
  }
  return {};
}

std::string to_text(const detail_map &detail) {
  std::string out;
  for (const auto &[type, held] : detail) {
    out += (out.empty() ? "" : ";") + type + '=' + std::to_string(held.amount);
    char before = '@';
    for (const int64_t device : held.devices) {
      out += before + std::to_string(device);
      before = ',';
    }
  }
  return out;
}

std::optional<detail_map> parse_detail(const std::string &text) {
  static const std::regex part("([^;=]+)=([1-9][0-9]*)@((?:0|[1-9][0-9]*)(?:,(?:0|[1-9][0-9]*))*)(;|$)");
  detail_map out;
  std::string left = text;
  for (std::smatch one; !left.empty(); left = one.suffix()) {
    if (!std::regex_search(left, one, part, std::regex_constants::match_continuous)) return std::nullopt;
    const auto amount = number(one[2]);
    if (!amount) return std::nullopt;
    holding &held = out[one[1]] = {*amount, {}};
    for (std::string rest = one[3]; !rest.empty();) {
      const size_t comma = rest.find(',');
      const auto device = number(rest.substr(0, comma));
      if (!device || *device > 63) return std::nullopt;
      held.devices.insert(*device);
      rest = comma == std::string::npos ? std::string() : rest.substr(comma + 1);
    }
  }
  return to_text(out) == text ? std::optional(out) : std::nullopt;
}

std::string problem_of_detail(const std::string &key, const std::string &text, const amount_map &resources) {
  const auto detail = parse_detail(text);
  if (!detail) return messages::detail_malformed(key, text);
  for (const auto &[type, held] : *detail) {
    const int64_t amount = amount_of(resources, type);
    if (!is_product(static_cast<int64_t>(held.devices.size()), held.amount, amount)) {
      return messages::detail_not_the_amount(key, text, type, amount);
    }
  }
  return {};
}

namespace {

void change(device_map &devices, const detail_map &detail, int64_t sign) {
  for (auto &[type, free] : devices) {
    if (!detail.contains(type)) continue;
    for (const int64_t device : detail.at(type).devices) {
      if (device >= static_cast<int64_t>(free.size())) continue;
      int64_t &left = free[static_cast<size_t>(device)];
      left = add_saturating(left, sign * detail.at(type).amount);
    }
  }
}

}  // namespace

void take(device_map &from, const detail_map &detail) { change(from, detail, -1); }

void free_capacity::add(const amount_map &resources, const detail_map &detail) {
  naive::add(free, resources);
  change(devices, detail, 1);
}

detail_map resized(const detail_map &detail, const amount_map &resources) {
  detail_map out;
  for (const auto &[type, held] : detail) {
    const int64_t amount = amount_of(resources, type), count = static_cast<int64_t>(held.devices.size());
    if (amount > 0 && amount % count == 0) out[type] = {amount / count, held.devices};
  }
  return out;
}

std::optional<holding> choose_devices(const std::vector<int64_t> &free, int64_t size, const division_map &wanted,
                                      const std::string &type, int64_t amount) {
  division want{1, amount};
  if (wanted.contains(type)) {
    want = wanted.at(type);
  } else if (amount > size) {
    if (amount % size != 0) return std::nullopt;
    want = {amount / size, size};
  }
  std::vector<std::pair<int64_t, int64_t>> enough;  // what is free, number
  for (size_t i = 0; i < free.size(); ++i) {
    if (free[i] >= want.amount) enough.emplace_back(free[i], static_cast<int64_t>(i));
  }
  if (static_cast<int64_t>(enough.size()) < want.count) return std::nullopt;
  std::sort(enough.begin(), enough.end());
  holding out{want.amount, {}};
  for (int64_t i = 0; i < want.count; ++i) out.devices.insert(enough[static_cast<size_t>(i)].second);
  return out;
}

}  // namespace tenon::naive
