// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/service/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "scheduler_impl.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/text_file.hpp"

namespace tenon::service {
namespace {

// An empty file is what a reader sees of one that is being written, and never what somebody wants to change to.
std::optional<refusal> refuse_change_to_nothing(const std::string &name, const group_config &to,
                                                const std::map<std::string, group_config> &in_force) {
  const auto before = in_force.find(name);
  if (to.has_content || before == in_force.end() || !before->second.has_content) return std::nullopt;
  return refusal{
      to.file, "queues, as those that are in force", "a text without content",
      "nothing was changed; write the whole text, a file by renaming a complete one to its name, and try again"};
}

std::optional<refusal> read_groups(const std::map<std::string, std::string> &texts,
                                   const std::map<std::string, std::filesystem::path> &files,
                                   const service_state &shared, std::map<std::string, group_config> &to) {
  const std::map<std::string, group_config> in_force = shared.groups();
  const auto take = [&](const std::string &name, result<group_config> config) -> std::optional<refusal> {
    if (!config) return config.why();
    if (auto why = refuse_change_to_nothing(name, *config, in_force)) return why;
    to.insert_or_assign(name, std::move(*config));
    return std::nullopt;
  };
  for (const auto &[name, text] : texts) {
    if (auto why = take(name, shared.read(text, "policy group '" + name + "'"))) return why;
  }
  for (const auto &[name, file] : files) {
    if (texts.contains(name)) continue;
    const auto text = host::read_text_file(file);
    if (!text) return text.why();
    if (auto why = take(name, shared.read(*text, file.string()))) return why;
  }
  if (!to.empty()) return std::nullopt;
  auto config = shared.read(config::default_queues_yaml(), "the built-in configuration");
  if (!config) return config.why();
  to.emplace("default", std::move(*config));
  return std::nullopt;
}

const std::map<std::string, std::filesystem::path> no_files;

}  // namespace

scheduler::scheduler(std::unique_ptr<impl> state) : impl_(std::move(state)) {}
scheduler::~scheduler() { impl_->stop(); }

result<std::unique_ptr<scheduler>> scheduler::open(std::unique_ptr<host::module_host> host, scheduler_options options) {
  auto state = std::make_unique<impl>(std::move(host), std::move(options));
  std::map<std::string, group_config> groups;
  const auto &texts = state->options.policy_groups;
  if (auto why =
          read_groups(texts, texts.empty() ? state->modules->plan().policy_groups : no_files, state->shared, groups))
    return *why;
  for (const auto &[name, group] : groups) state->shared.warn_of(group);
  state->shared.set_groups(std::move(groups));
  return std::unique_ptr<scheduler>(new scheduler(std::move(state)));
}

void scheduler::listen(decision_listener listener) { impl_->listeners.push_back(std::move(listener)); }
void scheduler::listen_to_turns(turn_listener listener) { impl_->turn_listeners.push_back(std::move(listener)); }

void scheduler::listen_to_facts(fact_listener *listener) { impl_->fact_taker = listener; }

void scheduler::attach(std::string name, const tenon_transport_v1 *table, tenon_instance *instance) {
  impl_->attached.push_back({std::move(name), table, instance});
}

const tenon_host *scheduler::linked_host() { return impl_->linked_host(); }
const tenon_host_rm *scheduler::rm_service() { return &rm_table(); }

std::optional<refusal> scheduler::start() { return impl_->start(); }
void scheduler::stop() { impl_->stop(); }
uint32_t scheduler::step(uint32_t max_decisions, std::optional<int64_t> now_ms) {
  return impl_->step(max_decisions, now_ms);
}

bool scheduler::is_manual() const { return impl_->options.manual; }

std::optional<refusal> scheduler::reload() {
  std::map<std::string, group_config> groups;
  const auto &texts = impl_->options.policy_groups;
  if (auto why =
          read_groups(texts, texts.empty() ? impl_->modules->plan().policy_groups : no_files, impl_->shared, groups))
    return why;
  return impl_->reload(std::move(groups));
}

std::optional<refusal> scheduler::reload_group(const std::string &policy_group) {
  auto groups = impl_->shared.groups();
  std::map<std::string, std::string> texts;
  std::map<std::string, std::filesystem::path> files;
  const auto &all_texts = impl_->options.policy_groups;
  const auto &all_files = impl_->modules->plan().policy_groups;
  if (const auto text = all_texts.find(policy_group); text != all_texts.end())
    texts.insert(*text);
  else if (const auto file = all_files.find(policy_group); file != all_files.end() && all_texts.empty())
    files.insert(*file);
  if (texts.empty() && files.empty()) return reload();  // what is built in
  if (auto why = read_groups(texts, files, impl_->shared, groups)) return why;
  return impl_->reload(std::move(groups));
}

result<scheduler::configuration_source> scheduler::source_of(const std::string &policy_group) const {
  const auto &texts = impl_->options.policy_groups;
  if (const auto text = texts.find(policy_group); text != texts.end())
    return configuration_source{"policy group '" + policy_group + "'", text->second};
  const auto &files = impl_->modules->plan().policy_groups;
  const auto file = files.find(policy_group);
  if (file == files.end() || !texts.empty())
    return configuration_source{"the built-in configuration", std::string(config::default_queues_yaml())};
  const auto text = host::read_text_file(file->second);
  if (!text) return text.why();
  return configuration_source{file->second.string(), *text};
}

std::optional<refusal> scheduler::reload(const std::map<std::string, std::string> &policy_groups) {
  auto groups = impl_->shared.groups();
  if (auto why = read_groups(policy_groups, {}, impl_->shared, groups)) return why;
  return impl_->reload(std::move(groups));
}

std::map<std::string, std::string> scheduler::policy_groups() const {
  std::map<std::string, std::string> out;
  for (const auto &[name, group] : impl_->shared.groups()) out.emplace(name, group.text);
  return out;
}

std::vector<std::string> scheduler::configuration_warnings() const {
  std::vector<std::string> out;
  for (const auto &[name, group] : impl_->shared.groups())
    out.insert(out.end(), group.warnings.begin(), group.warnings.end());
  return out;
}

void scheduler::post(std::function<void(cycle_access &)> work) {
  impl_->post([work = std::move(work)](cycle &on) { work(on); });
}

bool scheduler::call(const std::function<void(cycle_access &)> &work) {
  return impl_->call([&work](cycle &on) { work(on); });
}

void scheduler::tell(std::string_view rm, const tenon_rm_event &event) {
  impl_->call([&](cycle &on) { on.tell(rm, event); });
}

service_counters scheduler::counters() const { return impl_->counters(); }
std::vector<rm_status> scheduler::rms() const { return impl_->rms(); }

std::vector<transport_status> scheduler::transports() const {
  std::vector<transport_status> out;
  for (const auto &runner : impl_->runners) out.push_back(runner->status());
  return out;
}

events::event_hub *scheduler::events() const { return impl_->hub.get(); }
const host::running_limits &scheduler::limits() const { return impl_->shared.limits; }
host::module_host &scheduler::modules() { return *impl_->modules; }

}  // namespace tenon::service
