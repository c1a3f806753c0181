// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "deployment/key_reader.hpp"

#include <system_error>

#include "tenon/host/module_manifest.hpp"

namespace tenon::host {
namespace {

constexpr char default_remedy[] = "leave it out for the default";

}  // namespace

void key_reader::text(std::string_view key, std::string &to) const {
  if (of_ != nullptr) to = config::text_of(*of_, key, to);
}

void key_reader::module_id(std::string_view key, std::string &to) const {
  text(key, to);
  const config::yaml_node *given = find(key);
  if (given != nullptr && !is_module_id(to))
    report_.refuse(given->at, config::in_quotes(to) + " is no module id",
                   "a reverse-domain name of lower-case letters, digits and '-', as acme.binpack");
}

void key_reader::policy_name(std::string_view key, std::string &to) const {
  text(key, to);
  const config::yaml_node *given = find(key);
  if (given != nullptr && !is_policy_name(to))
    report_.refuse(given->at, std::string(key) + " is " + config::in_quotes(to),
                   "lower-case letters, digits and '-', at most 64");
}

void key_reader::flag(std::string_view key, bool &to) const {
  if (of_ != nullptr) to = config::boolean_of(*of_, key, to);
}

uint64_t key_reader::count_of(std::string_view key, uint64_t now, uint64_t least, uint64_t most) const {
  const config::yaml_node *given = find(key);
  if (given == nullptr) return now;
  const uint64_t out = config::count_of(*of_, key, now);
  if (out < least || out > most)
    report_.refuse(given->at, std::string(key) + " is " + std::to_string(out),
                   out < least ? "at least " + std::to_string(least) : "at most " + std::to_string(most),
                   default_remedy);
  return out;
}

void key_reader::duration(std::string_view key, int64_t &to_ms, int64_t least_ms) const {
  const config::yaml_node *given = find(key);
  if (given == nullptr) return;
  to_ms = config::duration_ms_of(*of_, key, to_ms);
  if (to_ms < least_ms)
    report_.refuse(given->at, std::string(key) + " is " + config::in_quotes(given->text),
                   "a duration above 0, as 500ms", default_remedy);
}

void key_reader::duration(std::string_view key, std::chrono::milliseconds &to, int64_t least_ms) const {
  int64_t to_ms = to.count();
  duration(key, to_ms, least_ms);
  to = std::chrono::milliseconds(to_ms);
}

std::filesystem::path key_reader::resolve(const std::string &name) const {
  return (file_.parent_path() / name).lexically_normal();
}

void key_reader::path(std::string_view key, std::filesystem::path &to, const std::string &want) const {
  const config::yaml_node *given = find(key);
  if (given == nullptr) return;
  if (given->text.empty()) report_.refuse(given->at, std::string(key) + " is empty", want, default_remedy);
  to = resolve(given->text);
}

std::filesystem::path key_reader::file(const config::yaml_node &name, const std::string &want) const {
  std::filesystem::path out = resolve(name.text);
  std::error_code failed;
  if (!std::filesystem::is_regular_file(out, failed))
    report_.refuse(name.at, "no file " + config::in_quotes(out.string()), want,
                   "correct the name; it is relative to this file");
  return out;
}

std::map<std::string, std::filesystem::path> key_reader::files(std::string_view key, const std::string &want) const {
  std::map<std::string, std::filesystem::path> out;
  const config::yaml_node *given = find(key);
  if (given == nullptr) return out;
  for (const config::yaml_entry &one : given->entries)
    out.emplace(one.key.text, file(one.value, want + config::in_quotes(one.key.text)));
  return out;
}

}  // namespace tenon::host
