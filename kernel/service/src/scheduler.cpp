// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/service/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "scheduler_impl.hpp"

namespace tenon::service {

scheduler::scheduler(std::unique_ptr<impl> state) : impl_(std::move(state)) {}
scheduler::~scheduler() { impl_->stop(); }

result<std::unique_ptr<scheduler>> scheduler::open(std::unique_ptr<host::module_host> host, scheduler_options options) {
  auto state = std::make_unique<impl>(std::move(host), std::move(options));
  if (auto why = state->open_configurations()) return *why;
  return std::unique_ptr<scheduler>(new scheduler(std::move(state)));
}

void scheduler::listen(decision_listener listener) { impl_->listeners.push_back(std::move(listener)); }
void scheduler::listen_to_turns(turn_listener listener) { impl_->turn_listeners.push_back(std::move(listener)); }

void scheduler::listen_to_end(std::function<void()> listener) { impl_->end_listeners.push_back(std::move(listener)); }

void scheduler::listen_to_facts(fact_listener *listener) { impl_->fact_taker = listener; }

void scheduler::attach(std::string name, const tenon_transport_v1 *table, tenon_instance *instance) {
  impl_->attached.push_back({std::move(name), table, instance});
}

const tenon_host *scheduler::linked_host() { return impl_->linked_host(); }
const tenon_host_rm *scheduler::rm_service() { return &rm_table(); }

std::optional<refusal> scheduler::start() { return impl_->start(); }
void scheduler::stop() { impl_->stop(); }
uint32_t scheduler::step(uint32_t max_decisions, std::optional<int64_t> now_ms, std::optional<partition_id> only) {
  return impl_->step(max_decisions, now_ms, only);
}

bool scheduler::is_manual() const { return impl_->options.manual; }

configured scheduler::reload_files(const reload_wish &wish) { return impl_->reload_files(wish); }
configured scheduler::configure(const people_configuration &sent) { return impl_->configure(sent); }
std::vector<configuration_revision> scheduler::revisions() const { return impl_->revisions(); }
result<scheduler::configuration_source> scheduler::source_of(const std::string &policy_group) const {
  return impl_->source_of(policy_group);
}
std::optional<refusal> scheduler::reload(const std::map<std::string, std::string> &policy_groups) {
  return impl_->reload_texts(policy_groups);
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

result<module_swap_outcome> scheduler::swap_module(const module_swap_wish &wish) { return impl_->swap_module(wish); }

void scheduler::post(std::function<void(cycle_access &)> work) {
  impl_->post([work = std::move(work)](cycle &on) { work(on); });
}

bool scheduler::call(const std::function<void(cycle_access &)> &work) {
  return impl_->call_unless_held_up([&work](cycle &on) { work(on); });
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
