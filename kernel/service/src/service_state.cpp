// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "service_state.hpp"

#include "tenon/config/problems.hpp"

namespace tenon::service {

result<group_config> service_state::read(std::string_view text, std::string_view file) const {
  config::parse_options options;
  options.known = known;
  options.max_queue_depth = max_queue_depth;
  auto parsed = config::parse_queues(text, file, options);
  if (!parsed.config) return config::first_reason(parsed);
  if (auto no = modules->refusal_by_lock(*parsed.config)) return *no;
  group_config out;
  out.text = text;
  out.config = std::make_shared<const cluster_config>(std::move(*parsed.config));
  out.file = file;
  out.has_content = parsed.has_content;
  for (const refusal &one : parsed.warnings) out.warnings.push_back(one.text());
  return out;
}

void service_state::warn_of(const group_config &read) const {
  for (const std::string &one : read.warnings) warn(one);
}

// Where nothing is configured, everybody is in the default group with the default text.
result<group_config> service_state::group(std::string_view name) const {
  const std::string wanted(name.empty() ? std::string_view("default") : name);
  const std::lock_guard lock(groups_mutex_);
  if (const auto found = groups_.find(wanted); found != groups_.end()) return found->second;
  std::vector<std::string_view> names;
  std::string known_names;
  for (const auto &[one, config] : groups_) {
    names.push_back(one);
    known_names += (known_names.empty() ? "" : ", ") + one;
  }
  const auto close = config::closest(wanted, names);
  return refusal{"", "one of the deployment's policy groups: " + known_names,
                 "no policy group " + config::in_quotes(wanted),
                 close.empty() ? "register with one of them, or add it to policy_groups"
                               : "did you mean " + config::in_quotes(close) + "?"};
}

std::map<std::string, group_config> service_state::groups() const {
  const std::lock_guard lock(groups_mutex_);
  return groups_;
}

void service_state::set_groups(std::map<std::string, group_config> groups) {
  const std::lock_guard lock(groups_mutex_);
  groups_ = std::move(groups);
}

std::map<std::string, group_config> service_state::of_rms() const {
  const std::lock_guard lock(groups_mutex_);
  return of_rms_;
}

void service_state::set_of_rm(const std::string &rm, group_config config) {
  const std::lock_guard lock(groups_mutex_);
  of_rms_.insert_or_assign(rm, std::move(config));
}

bool service_state::drop_of_rm(const std::string &rm) {
  const std::lock_guard lock(groups_mutex_);
  return of_rms_.erase(rm) != 0;
}

}  // namespace tenon::service
