// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "containment/quarantine.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <system_error>

namespace tenon::host {
namespace {

constexpr int64_t first_quarantine_ms = 10 * 60'000, longest_quarantine_ms = 24 * 3'600'000;
constexpr int64_t remembered_ms = 7 * longest_quarantine_ms;
constexpr size_t longest_line = 1024;

// The value of a line "name: value".
std::optional<std::string_view> value_of(std::string_view line, std::string_view name) {
  if (!line.starts_with(name) || line.substr(name.size(), 2) != ": ") return std::nullopt;
  return line.substr(name.size() + 2, longest_line);
}

int64_t how_long_ms(uint64_t times) {
  int64_t out = first_quarantine_ms;
  for (uint64_t i = 1; i < times && out < longest_quarantine_ms; ++i) out *= 2;
  return std::min(out, longest_quarantine_ms);
}

std::optional<quarantined> read_records(const std::filesystem::path &file, int64_t now_ms) {
  std::ifstream from(file);
  quarantined out{{}, 0, 0, file};
  std::string fault, slot;
  int64_t last_ms = 0;
  for (std::string line; std::getline(from, line);) {
    if (const auto words = value_of(line, "fault")) fault = *words;
    if (const auto words = value_of(line, "slot")) out.fault = fault + ", in " + std::string(*words);
    const auto at = value_of(line, "at_ms");
    int64_t at_ms = 0;
    if (!at || std::from_chars(at->data(), at->data() + at->size(), at_ms).ec != std::errc()) continue;
    at_ms = std::min(at_ms, now_ms);  // a clock that was wrong may have written one of tomorrow
    if (now_ms - at_ms > remembered_ms) continue;
    ++out.times;
    last_ms = std::max(last_ms, at_ms);
  }
  out.until_ms = last_ms + how_long_ms(out.times);
  return out.times == 0 || out.until_ms <= now_ms ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

std::string quarantined::text() const {
  return "it ended the process" + (times == 1 ? std::string() : " " + std::to_string(times) + " times") +
         ", last with: " + fault + " (" + record.string() + ")";
}

quarantine::quarantine(const std::filesystem::path &folder, int64_t now_ms) {
  std::error_code none;
  for (std::filesystem::directory_iterator at(folder, none), end; !none && at != end; at.increment(none)) {
    if (at->path().has_extension() || !at->is_regular_file(none)) continue;
    if (auto one = read_records(at->path(), now_ms)) by_key_.emplace(at->path().filename().string(), std::move(*one));
  }
}

std::optional<quarantined> quarantine::find(const std::string &key, int64_t now_ms) const {
  const std::scoped_lock lock(mutex_);
  const auto found = by_key_.find(key);
  const bool holds = found != by_key_.end() && found->second.until_ms > now_ms;
  return holds ? std::optional(found->second) : std::nullopt;
}

bool quarantine::lift(const std::string &key) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return false;
  std::error_code failed;
  std::filesystem::rename(found->second.record, found->second.record.string() + ".lifted", failed);
  if (failed) return false;
  by_key_.erase(found);
  return true;
}

}  // namespace tenon::host
