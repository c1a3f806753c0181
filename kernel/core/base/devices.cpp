// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/devices.hpp"

#include <charconv>

namespace tenon {
namespace {

// A decimal number from 0 to `most` at the front of the text, which it is taken from.
std::optional<int64_t> take_number(std::string_view &text, int64_t most) {
  int64_t value = 0;
  const bool digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<size_t>(end - text.data());
  if (!digit || problem != std::errc() || value > most || (text.front() == '0' && length > 1)) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

bool take(std::string_view &text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

// A number as text, without a string in between.
void append_number(std::string &out, int64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, static_cast<size_t>(end - digits));
}

// "T=A@N,N" at the front, up to the next ';' or the end.
std::optional<device_share> take_share(std::string_view &text) {
  device_share out;
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || !is_device_type(text.substr(0, equals))) return std::nullopt;
  out.type = text.substr(0, equals);
  text.remove_prefix(equals + 1);
  const auto amount = take_number(text, INT64_MAX);
  if (!amount || *amount == 0 || !take(text, '@')) return std::nullopt;
  out.amount = *amount;
  int64_t last = -1;
  do {
    const auto device = take_number(text, max_devices - 1);
    if (!device || *device <= last) return std::nullopt;
    last = *device;
    out.devices |= uint64_t{1} << *device;
  } while (take(text, ','));
  return out;
}

}  // namespace

std::optional<int64_t> device_split::sum() const {
  int64_t out = 0;
  if (__builtin_mul_overflow(int64_t{count}, amount, &out)) return std::nullopt;
  return out;
}

std::optional<device_split> parse_device_split(std::string_view text) {
  const auto count = take_number(text, max_devices);
  if (!count || *count == 0 || !take(text, 'x')) return std::nullopt;
  const auto amount = take_number(text, INT64_MAX);
  if (!amount || *amount == 0 || !text.empty()) return std::nullopt;
  return device_split{static_cast<uint32_t>(*count), *amount};
}

std::optional<std::string_view> devices_type(std::string_view key) {
  if (!key.starts_with(devices_prefix)) return std::nullopt;
  return key.substr(devices_prefix.size());
}

bool is_device_type(std::string_view type) {
  return !type.empty() && type.find_first_of(";=") == std::string_view::npos;
}

void append_share(std::string &detail, std::string_view type, int64_t amount, uint64_t devices) {
  if (!detail.empty()) detail += ';';
  detail.append(type);
  detail += '=';
  append_number(detail, amount);
  char before = '@';
  for (uint64_t left = devices; left != 0; left &= left - 1) {
    detail += before;
    append_number(detail, __builtin_ctzll(left));
    before = ',';
  }
}

std::optional<std::vector<device_share>> parse_detail(std::string_view detail) {
  std::vector<device_share> out;
  if (detail.empty()) return out;
  do {
    auto share = take_share(detail);
    if (!share || (!out.empty() && share->type <= out.back().type)) return std::nullopt;
    out.push_back(std::move(*share));
  } while (take(detail, ';'));
  if (!detail.empty()) return std::nullopt;
  return out;
}

}  // namespace tenon
