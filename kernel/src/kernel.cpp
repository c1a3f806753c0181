// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/kernel.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core.hpp"
#include "partition.hpp"
#include "readers/frozen_state_impl.hpp"
#include "readers/partition_copy.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/partition_name.hpp"

namespace tenon {

using internal::partition;
using internal::timer;

namespace {

// How a command is refused whose partition is unknown. Others are refused by nobody: what they are about is gone.
template <class Decided>
struct rejection {
  std::string_view application, key, node;
  std::string words;
};
[[gnu::cold]] rejection<decided::application_rejected> without_partition(const add_application &c) {
  return {c.application, {}, {}, messages::application_without_partition(c.application, c.partition)};
}
[[gnu::cold]] rejection<decided::ask_rejected> without_partition(const put_ask &c) {
  return {c.application, c.key, {}, messages::no_partition(c.partition)};
}
[[gnu::cold]] rejection<decided::allocation_rejected> without_partition(const put_allocation &c) {
  const put_ask &a = c.allocation.ask;
  return {a.application, a.key, c.node, messages::no_partition(c.partition)};
}
[[gnu::cold]] rejection<decided::node_rejected> without_partition(const add_node &c) {
  return {{}, {}, c.node, messages::node_rejected(messages::node_without_partition(c.partition, c.node))};
}
[[gnu::cold]] rejection<decided::node_update_rejected> without_partition(const update_node &c) {
  return {{}, {}, c.node, messages::no_partition(c.partition)};
}
[[gnu::cold]] rejection<decided::node_update_rejected> without_partition(const change_node &c) {
  return {{}, {}, c.node, messages::no_partition(c.partition)};
}

}  // namespace

struct kernel::impl {
  impl(policy_source &policies, kernel_options options) : shared(policies, options) {}

  internal::core shared;
  std::vector<std::unique_ptr<partition>> partitions;  // in creation order
  std::vector<std::unique_ptr<partition>> gone;        // until the next drain: decisions name them
  struct manager {
    internal::owned_state<rm_state, manager> state;
    int64_t check_deadline_ms = 0;
  };
  std::map<std::string, manager, std::less<>> rms;
  uint32_t next_partition = 1;
  std::vector<step_answer> answers;

  [[nodiscard]] partition *find(std::string_view name) const;
  [[nodiscard]] partition *find(uint32_t id) const;
  void bury(size_t at);
  void bury_gone();
  void bury_all_of(std::string_view rm);
  void fire_due(int64_t now);

  decision_view &emit(const decided_what &what, std::string_view partition);
  void apply(const register_rm &c);
  void apply(const configure &c);
  void apply(const signal_rm &c);
  uint32_t apply(const step &c);
  void apply(const inspect &c);
  static void apply(const advance &) {}  // time has moved on already
  void wake_refused();
  // Of one partition.
  template <class Command>
  void apply(const Command &c) {
    if (partition *p = find(c.partition); p != nullptr) return p->obey(c);
    if constexpr (requires { without_partition(c); }) reject(c.partition, without_partition(c));
  }
  template <class Decided>
  [[gnu::cold]] void reject(std::string_view partition_name, rejection<Decided> why);
  uint32_t dispatch(const command &c);
};

partition *kernel::impl::find(std::string_view name) const {
  for (const auto &p : partitions) {
    if (p->name == name) return p.get();
  }
  return nullptr;
}

partition *kernel::impl::find(uint32_t id) const {
  for (const auto &p : partitions) {
    if (p->id == id) return p.get();
  }
  return nullptr;
}

void kernel::impl::bury(size_t at) {
  gone.push_back(std::move(partitions[at]));
  partitions.erase(partitions.begin() + static_cast<ptrdiff_t>(at));
}

void kernel::impl::bury_gone() {
  for (size_t i = partitions.size(); i-- > 0;) {
    if (partitions[i]->gone) bury(i);
  }
}

void kernel::impl::bury_all_of(std::string_view rm) {
  for (size_t i = partitions.size(); i-- > 0;) {
    if (partitions[i]->rm == rm) bury(i);
  }
}

void kernel::impl::fire_due(int64_t now) {
  while (!shared.timers.empty() && shared.timers.top().due_ms <= now) {
    const timer t = shared.timers.pop();
    shared.now_ms = std::max(shared.now_ms, t.due_ms);
    if (partition *p = find(t.where); p != nullptr && !p->is_void(t)) {
      p->fire(t);
      p->quotas.stop_idle();
      if (p->gone) bury_gone();
    }
  }
  shared.now_ms = now;
}

decision_view &kernel::impl::emit(const decided_what &what, std::string_view partition) {
  const std::string_view full = shared.keep(std::string(partition));
  const auto name = read_partition_name(full);
  return shared.emit(what, name ? name->rm : std::string_view{}, full);
}

void kernel::impl::apply(const register_rm &c) {
  const auto refuse = [&](const std::string &why) {
    const std::string_view words = shared.keep(messages::registration_failed(why));
    shared.emit(decided::rm_rejected{words}, shared.keep(std::string(c.rm)), {});
  };
  if (c.rm.empty() || c.rm.find_first_of(partition_brackets) != std::string_view::npos)
    return refuse(messages::rm_id_invalid(c.rm));
  std::vector<std::unique_ptr<partition>> fresh;
  for (const partition_config &config : c.config->partitions) {
    auto &p = fresh.emplace_back(
        std::make_unique<partition>(shared, next_partition++, std::string(c.rm), config.name, c.check_deadline_ms));
    if (std::string problem = p->check_config(config); !problem.empty()) return refuse(problem);
  }
  bury_all_of(c.rm);
  for (size_t i = 0; i < fresh.size(); ++i) {
    fresh[i]->apply_config(c.config->partitions[i], c.config->priority_classes);
    partitions.push_back(std::move(fresh[i]));
  }
  impl::manager &registered = rms[std::string(c.rm)];
  internal::ledger::transition(registered.state, rm_event::register_);
  registered.check_deadline_ms = c.check_deadline_ms;
  shared.emit(decided::rm_registered{}, shared.keep(std::string(c.rm)), {});
}

void kernel::impl::apply(const configure &c) {
  const std::string_view rm = shared.keep(std::string(c.rm));
  const auto refuse = [&](const std::string &why) {
    shared.emit(decided::configuration_rejected{shared.keep(messages::configuration_failed(why))}, rm, {});
  };
  const auto known = rms.find(c.rm);
  if (known == rms.end() || known->second.state == rm_state::stopped) return refuse(messages::rm_not_registered(c.rm));
  std::vector<std::unique_ptr<partition>> fresh(c.config->partitions.size());
  std::vector<partition *> all;
  for (size_t i = 0; i < fresh.size(); ++i) {
    const partition_config &config = c.config->partitions[i];
    partition *p = find(full_partition_name(c.rm, config.name));
    if (p == nullptr) {
      fresh[i] = std::make_unique<partition>(shared, next_partition++, std::string(c.rm), config.name,
                                             known->second.check_deadline_ms);
      fresh[i]->paused = known->second.state == rm_state::paused;
      p = fresh[i].get();
    }
    all.push_back(p);
    if (std::string problem = p->check_config(config); !problem.empty()) return refuse(problem);
  }
  shared.emit(decided::configured{}, rm, {});
  for (const auto &p : partitions) {
    if (p->rm == c.rm && std::find(all.begin(), all.end(), p.get()) == all.end()) p->leave_out();
  }
  for (size_t i = 0; i < all.size(); ++i) {
    all[i]->apply_config(c.config->partitions[i], c.config->priority_classes);
    if (fresh[i] != nullptr) partitions.push_back(std::move(fresh[i]));
  }
}

void kernel::impl::apply(const signal_rm &c) {
  const auto known = rms.find(c.rm);
  const auto refuse = [&](std::string why) {
    shared.emit(decided::rm_rejected{shared.keep(std::move(why))}, shared.keep(std::string(c.rm)), {});
  };
  if (known == rms.end()) return refuse(messages::rm_not_registered(c.rm));
  constexpr rm_event events[] = {rm_event::lost, rm_event::back, rm_event::timeout, rm_event::shutdown};
  const rm_event event = events[static_cast<size_t>(c.signal)];
  auto &state = known->second.state;
  if (!internal::ledger::try_transition(state, event)) return refuse(state.refusal(event));
  if (state == rm_state::stopped) return bury_all_of(c.rm);
  for (const auto &p : partitions) {
    if (p->rm != c.rm) continue;
    p->paused = state == rm_state::paused;
    if (event == rm_event::lost) p->proposals.stop_deadlines();
    if (event != rm_event::back) continue;
    p->obey(check_again{});
    p->proposals.restart_deadlines();
  }
}

void kernel::impl::wake_refused() {
  for (const auto &p : partitions) {
    if (!p->lines.has_refused()) continue;
    p->lines.wake_refused();
    shared.rm_changed = true;
  }
}

uint32_t kernel::impl::apply(const step &c) {
  ++shared.counters.steps;
  shared.next_check = 0;
  const auto answered = [&](step_answer::kind what) {
    return std::any_of(c.answers.begin(), c.answers.end(), [&](const step_answer &a) { return a.what == what; });
  };
  shared.replayed = answered(step_answer::kind::rm_check) ? &shared.told : nullptr;
  shared.decided = 0;
  if (answered(step_answer::kind::rm_changed)) {
    wake_refused();
    shared.rm_changed = true;
  }
  if (std::exchange(shared.rm_changed, false)) {
    shared.used_answers.push_back({step_answer::kind::rm_changed, 0, false, {}});
  }
  uint32_t made = 0;
  for (uint32_t round = 0; round < c.max_decisions; ++round) {
    uint32_t in_round = 0;
    for (const auto &p : partitions) {
      if (!c.partition.empty() && p->name != c.partition) continue;
      if (!p->cycle.decide()) continue;
      ++in_round;
      ++shared.decided;
    }
    made += in_round;
    if (in_round == 0) break;
  }
  shared.replayed = nullptr;
  shared.decided = 0;
  return made;
}

void kernel::impl::apply(const inspect &c) {
  for (const auto &p : partitions) {
    if (c.partition.empty() || p->name == c.partition) p->inspect();
  }
}

template <class Decided>
void kernel::impl::reject(std::string_view partition_name, rejection<Decided> why) {
  decision_view &d = emit(Decided{shared.keep(std::move(why.words))}, partition_name);
  d.application = shared.keep(std::string(why.application));
  d.key = shared.keep(std::string(why.key));
  d.node = shared.keep(std::string(why.node));
}

uint32_t kernel::impl::dispatch(const command &c) {
  return std::visit(
      [&](const auto &one) -> uint32_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, step>) {
          return apply(one);
        } else {
          apply(one);
          return 0;
        }
      },
      c);
}

kernel::kernel(policy_source &policies, kernel_options options) : impl_(std::make_unique<impl>(policies, options)) {}
kernel::~kernel() = default;

uint32_t kernel::apply(int64_t now_ms, const command &c) {
  internal::core &shared = impl_->shared;
  ++shared.counters.commands;
  if (now_ms < shared.now_ms) {
    ++shared.counters.clock_clamped;
    now_ms = shared.now_ms;
  }
  impl_->answers.clear();
  shared.used_answers.clear();
  impl_->fire_due(now_ms);
  shared.told = answers_of(c);
  shared.told_used = 0;
  const uint32_t made = impl_->dispatch(c);
  shared.told = {};
  impl_->answers.swap(shared.used_answers);
  for (const auto &p : impl_->partitions) {
    p->quotas.stop_idle();
    if (p->frozen != nullptr || p->unread != nullptr) p->age_frozen();
  }
  shared.timers.forget([&](const internal::timer &t) {
    const partition *p = impl_->find(t.where);
    return p == nullptr || p->is_void(t);
  });
  shared.counters.timers = shared.timers.size();
  return made;
}

void kernel::drain(const std::function<void(const decision_view &)> &take) {
  internal::core &shared = impl_->shared;
  for (const decision_view &d : shared.outbox) take(d);
  shared.outbox.clear();
  shared.texts.clear();
  for (const auto &p : impl_->partitions) p->flush();
  impl_->gone.clear();
}

bool kernel::describe(const decision_view &d, placement_view &out) const {
  return internal::decision_teller::describe(d, out);
}

std::optional<int64_t> kernel::next_due() const {
  const auto &timers = impl_->shared.timers;
  if (timers.empty()) return std::nullopt;
  return timers.top().due_ms;
}

int64_t kernel::now_ms() const { return impl_->shared.now_ms; }

std::span<const step_answer> kernel::answers() const { return impl_->answers; }

void kernel::set_rm_check(rm_check check) {
  impl_->shared.check = std::move(check);
  impl_->wake_refused();
}

void kernel::set_fact_listener(fact_listener *listener) { impl_->shared.listener = listener; }

bool kernel::has_work(std::string_view name) const {
  return std::any_of(impl_->partitions.begin(), impl_->partitions.end(),
                     [&](const auto &p) { return (name.empty() || p->name == name) && p->cycle.has_work(); });
}

kernel_snapshot kernel::snapshot(snapshot_part parts, std::string_view name) {
  return freeze(parts, name)->plain(parts, name);
}

std::shared_ptr<const frozen_state> kernel::freeze(snapshot_part parts, std::string_view name) {
  auto out = std::make_unique<frozen_state::impl>();
  out->now_ms = impl_->shared.now_ms;
  out->commands = impl_->shared.counters.commands;
  for (const auto &p : impl_->partitions) {
    if (name.empty() || p->name == name) p->freeze(parts, out->partitions.emplace_back());
  }
  return std::make_shared<const frozen_state>(std::move(out));
}

kernel_snapshot kernel::sums() const {
  kernel_snapshot out;
  out.now_ms = impl_->shared.now_ms;
  for (const auto &p : impl_->partitions) out.partitions.push_back(p->sums());
  return out;
}

size_t kernel::freeze_some(size_t most, snapshot_part parts, std::string_view name) {
  size_t left = 0;
  for (const auto &p : impl_->partitions) {
    if (!name.empty() && p->name != name) continue;
    const uint64_t before = impl_->shared.counters.blocks_made;
    left += p->freeze_some(parts, most);
    most -= std::min<size_t>(most, impl_->shared.counters.blocks_made - before);
  }
  return left;
}

void kernel::forget_frozen() {
  for (const auto &p : impl_->partitions) p->forget_frozen();
}

size_t kernel::frozen_bytes() const {
  size_t out = 0;
  for (const auto &p : impl_->partitions) out += p->frozen_bytes();
  return out;
}

std::optional<explanation> kernel::explain(std::string_view name, std::string_view application, std::string_view key) {
  partition *p = impl_->find(name);
  if (p == nullptr) return std::nullopt;
  return p->explain(application, key);
}

const kernel_counters &kernel::counters() const { return impl_->shared.counters; }

std::unique_ptr<kernel> kernel::copy() const {
  const internal::core &own = impl_->shared;
  auto out = std::make_unique<kernel>(own.policies, own.options);
  out->impl_->shared.now_ms = own.now_ms;
  out->impl_->rms = impl_->rms;
  for (const auto &p : impl_->partitions) {
    auto &made = out->impl_->partitions.emplace_back(std::make_unique<partition>(
        out->impl_->shared, out->impl_->next_partition++, p->rm, p->plain_name, p->check_deadline_ms));
    copy_partition(*p, *made);
  }
  out->drain([](const decision_view &) {});
  return out;
}

std::vector<std::string> kernel::partitions() const {
  std::vector<std::string> out;
  for (const auto &p : impl_->partitions) out.push_back(p->name);
  return out;
}

std::optional<object_state> kernel::state_of_partition(std::string_view name) const {
  const partition *p = impl_->find(name);
  return p == nullptr ? std::nullopt : std::optional(p->state.now());
}

size_t kernel::open_checks(std::string_view name) const {
  const partition *p = impl_->find(name);
  return p == nullptr ? 0 : p->proposals.open();
}

std::optional<node_state> kernel::state_of_node(std::string_view name, std::string_view node) const {
  const partition *p = impl_->find(name);
  if (p == nullptr) return std::nullopt;
  const auto found = p->nodes.by_id().find(node);
  if (found == p->nodes.by_id().end()) return std::nullopt;
  return found->second->state;
}

std::optional<std::string> kernel::queue_of(std::string_view name, std::string_view application) const {
  const partition *p = impl_->find(name);
  const internal::application *app = p == nullptr ? nullptr : p->find_application(application);
  if (app == nullptr || app->home == nullptr) return std::nullopt;
  return app->home->path;
}

std::optional<bool> kernel::may_administer(std::string_view name, std::string_view queue, std::string_view user,
                                           std::span<const std::string_view> groups) const {
  const partition *p = impl_->find(name);
  return p == nullptr ? std::nullopt : p->may_administer(queue, user, groups);
}

bool kernel::may_administer_all(std::string_view user, std::span<const std::string_view> groups) const {
  const auto &all = impl_->partitions;
  return !all.empty() && std::all_of(all.begin(), all.end(), [&](const auto &p) {
    return p->may_administer("root", user, groups).value_or(false);
  });
}

kept_amounts kernel::kept_for(std::string_view rm) const {
  kept_amounts out;
  for (const auto &p : impl_->partitions) {
    if (p->rm == rm) out += p->keeps.amounts();
  }
  return out;
}

kept_amounts kernel::kept_instead_of(const command &c) const {
  return std::visit(
      [&](const auto &one) -> kept_amounts {
        if constexpr (requires(const partition &p) { p.keeps.instead_of(one); }) {
          const partition *p = impl_->find(one.partition);
          return p == nullptr ? kept_amounts{} : p->keeps.instead_of(one);
        } else {
          return {};
        }
      },
      c);
}

std::string kernel::problem_with(const command &c) const {
  return std::visit(
      [&](const auto &one) -> std::string {
        if constexpr (requires(const partition &p) { p.problem_with(one); }) {
          const partition *p = impl_->find(one.partition);
          return p == nullptr ? messages::no_partition(one.partition) : p->problem_with(one);
        } else {
          return {};
        }
      },
      c);
}

}  // namespace tenon
