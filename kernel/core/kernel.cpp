// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/kernel.hpp"

#include <algorithm>
#include <utility>

#include "kernel_impl.hpp"
#include "ledger/wrong_books.hpp"
#include "tenon/kernel/audit.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/partition_name.hpp"

namespace tenon {

using internal::partition;
using internal::timer;

namespace {

// How a command is refused whose partition is unknown. Others are refused by nobody: what they are about is gone.
template <class Decided>
struct rejection {
  using decided = Decided;
  std::string_view application, key, node;
  std::string message;
};
[[gnu::cold]] rejection<decided::application_rejected> without_partition(const add_application &c,
                                                                         messages::known_names known) {
  return {c.application, {}, {}, messages::application_without_partition(c.application, c.partition, known)};
}
[[gnu::cold]] rejection<decided::ask_rejected> without_partition(const put_ask &c, messages::known_names known) {
  return {c.application, c.key, {}, messages::no_partition(c.partition, known)};
}
[[gnu::cold]] rejection<decided::allocation_rejected> without_partition(const put_allocation &c,
                                                                        messages::known_names known) {
  const put_ask &a = c.allocation.ask;
  return {a.application, a.key, c.node, messages::no_partition(c.partition, known)};
}
[[gnu::cold]] rejection<decided::node_rejected> without_partition(const add_node &c, messages::known_names known) {
  return {{}, {}, c.node, messages::node_rejected(messages::node_without_partition(c.partition, c.node, known))};
}
[[gnu::cold]] rejection<decided::node_update_rejected> without_partition(const update_node &c,
                                                                         messages::known_names known) {
  return {{}, {}, c.node, messages::no_partition(c.partition, known)};
}
[[gnu::cold]] rejection<decided::node_update_rejected> without_partition(const change_node &c,
                                                                         messages::known_names known) {
  return {{}, {}, c.node, messages::no_partition(c.partition, known)};
}

// Debug builds, and with them those of the sanitizers, add the books up again after commands (tenon/kernel/audit.hpp).
#ifdef NDEBUG
constexpr bool audits_itself = false;
#else
constexpr bool audits_itself = true;
#endif

// Ends the process where the books are wrong. Returns how many commands may pass until the next audit: of a large state
// so many that all audits cost no more than the commands, by and large.
uint64_t audit_books(kernel &of) {
  constexpr size_t objects_a_command = 5;
  const bool is_read = of.frozen_bytes() != 0;
  const kernel_snapshot state = of.snapshot();
  if (!is_read) of.forget_frozen();
  const std::vector<audit_finding> found = audit(state);
  if (!found.empty()) internal::end_with_wrong_books(text_of(found.front()));
  size_t objects = 0;
  for (const partition_snapshot &p : state.partitions) {
    objects += p.nodes.size() + p.queues.size();
    for (const application_snapshot &a : p.applications) objects += 1 + a.asks.size() + a.allocations.size();
  }
  return 1 + objects / objects_a_command;
}

}  // namespace

std::unique_ptr<partition> kernel::impl::make(const std::string &rm, const manager &by, const std::string &plain_name) {
  internal::administrators_stops stops;
  if (const partition *there = find(std::string_view(full_partition_name(rm, plain_name))); there != nullptr) {
    stops = there->model().stops;
  } else if (const auto known = rms.find(rm); known != rms.end()) {
    if (const auto last = known->second.stops.find(plain_name); last != known->second.stops.end()) stops = last->second;
  }
  return std::make_unique<partition>(shared, next_partition(), rm, plain_name, by.check_deadline_ms, by.epoch,
                                     std::move(stops));
}

template <class Is>
void kernel::impl::bury_if(Is &&is) {
  for (auto &p : partitions.take_if(is)) {
    const internal::partition_model &of = p->model();
    if (!of.stops.empty()) rms[of.rm].stops[of.plain_name] = of.stops;
    gone.push_back(std::move(p));
  }
}

void kernel::impl::bury_all_of(std::string_view rm) {
  bury_if([&](const partition &p) { return p.is_of(rm); });
}

void kernel::impl::fire_due(int64_t now) {
  while (!shared.timers.empty() && shared.timers.top().due_ms <= now) {
    const timer t = shared.timers.pop();
    shared.now_ms = std::max(shared.now_ms, t.due_ms);
    if (partition *p = find(t.where); p != nullptr && !p->is_void(t)) {
      partitions.touch(*p);
      p->fire(t);
      if (p->is_over()) bury_if([&](const partition &one) { return &one == p; });
    }
  }
  shared.now_ms = now;
}

template <class F>
void kernel::impl::touch_named(std::string_view name, F &&f) {
  if (name.empty()) return touch_all_of({}, f);
  if (partition *one = find(name); one != nullptr) {
    partitions.touch(*one);
    f(*one);
  }
}

decision_view &kernel::impl::emit(const decided_what &what, std::string_view partition) {
  const std::string_view full = shared.keep(std::string(partition));
  const auto name = read_partition_name(full);
  return shared.emit(what, name ? name->rm : std::string_view{}, full);
}

void kernel::impl::apply(const register_rm &c) {
  const auto refuse = [&](const std::string &why) {
    const std::string_view message = shared.keep(messages::registration_failed(why));
    shared.emit(decided::rm_rejected{message}, shared.keep(std::string(c.rm)), {});
  };
  if (c.rm.empty() || c.rm.find_first_of(partition_brackets) != std::string_view::npos)
    return refuse(messages::rm_id_invalid(c.rm));
  std::vector<std::unique_ptr<partition>> fresh;
  const uint32_t made_before = partitions_made;
  manager by;
  by.check_deadline_ms = c.check_deadline_ms;
  by.epoch = c.epoch;
  for (const partition_config &config : c.config->partitions) {
    auto &p = fresh.emplace_back(make(std::string(c.rm), by, config.name));
    if (std::string problem = p->check(config); !problem.empty()) {
      partitions_made = made_before;
      return refuse(problem);
    }
  }
  bury_all_of(c.rm);
  impl::manager &registered = rms[std::string(c.rm)];
  for (size_t i = 0; i < fresh.size(); ++i) {
    registered.stops.erase(c.config->partitions[i].name);  // the partition has them
    fresh[i]->configure(c.config->partitions[i], c.config->priority_classes);
    partitions.add(std::move(fresh[i]));
  }
  internal::ledger::transition(registered.state, rm_event::register_);
  registered.check_deadline_ms = c.check_deadline_ms;
  registered.epoch = c.epoch;
  shared.emit(decided::rm_registered{}, shared.keep(std::string(c.rm)), {});
}

std::string kernel::impl::check(const configure &c, configured_partitions &out) {
  const auto known = rms.find(c.rm);
  if (known == rms.end() || known->second.state == rm_state::stopped) return messages::rm_not_registered(c.rm);
  const uint32_t made_before = partitions_made;
  for (const partition_config &config : c.config->partitions) {
    partition *p = find(std::string_view(full_partition_name(c.rm, config.name)));
    auto &fresh = out.fresh.emplace_back();
    if (p == nullptr) {
      fresh = make(std::string(c.rm), known->second, config.name);
      fresh->pause(known->second.state == rm_state::paused);
      p = fresh.get();
    }
    out.all.push_back(p);
    if (std::string problem = p->check(config); !problem.empty()) {
      partitions_made = made_before;
      return problem;
    }
  }
  return {};
}

void kernel::impl::apply(const configure &c) {
  const std::string_view rm = shared.keep(std::string(c.rm));
  configured_partitions of;
  if (const std::string why = check(c, of); !why.empty()) {
    shared.emit(decided::configuration_rejected{shared.keep(messages::configuration_failed(why))}, rm, {});
    return;
  }
  shared.emit(decided::configured{}, rm, {});
  touch_all_of(c.rm, [&](partition &p) {
    if (std::find(of.all.begin(), of.all.end(), &p) == of.all.end()) p.leave_out();
  });
  for (size_t i = 0; i < of.all.size(); ++i) {
    of.all[i]->configure(c.config->partitions[i], c.config->priority_classes);
    if (of.fresh[i] == nullptr) continue;
    rms.find(c.rm)->second.stops.erase(c.config->partitions[i].name);  // the partition has them
    partitions.add(std::move(of.fresh[i]));
  }
}

void kernel::impl::apply(const signal_rm &c) {
  const auto known = rms.find(c.rm);
  const auto refuse = [&](std::string why) {
    shared.emit(decided::rm_rejected{shared.keep(std::move(why))}, shared.keep(std::string(c.rm)), {});
  };
  if (known == rms.end() || known->second.state == rm_state::stopped) return refuse(messages::rm_not_registered(c.rm));
  constexpr rm_event events[] = {rm_event::lost, rm_event::back, rm_event::timeout, rm_event::shutdown};
  const rm_event event = events[static_cast<size_t>(c.signal)];
  auto &state = known->second.state;
  if (!internal::ledger::try_transition(state, event)) return refuse(state.refusal(event));
  if (state == rm_state::stopped) {
    bury_all_of(c.rm);
    // Nothing is kept by its name but what administrators stopped.
    if (known->second.stops.empty()) rms.erase(known);
    return;
  }
  touch_all_of(c.rm, [&](partition &p) {
    p.pause(state == rm_state::paused);
    if (event == rm_event::lost || event == rm_event::back) p.rm_is_here(event == rm_event::back);
  });
}

void kernel::impl::wake_refused() {
  for (const auto &p : partitions) {
    if (!p->wake_refused()) continue;
    partitions.touch(*p);
    shared.answers.note_rm_changed();
  }
}

void kernel::impl::hold_as_told() {
  shared.answers.for_each_fault([&](const policy_fault &told) {
    if (partition *p = find(told.partition); p != nullptr) p->hold(told);
  });
}

uint32_t kernel::impl::apply(const step &c) {
  ++shared.counters.steps;
  if (shared.answers.says(step_answer::kind::rm_changed)) {
    wake_refused();
    shared.answers.note_rm_changed();
  }
  shared.answers.begin_step();
  const bool all = c.partition.empty();
  partition *const one = all ? nullptr : find(c.partition);
  uint32_t made = 0, in_round = all || one != nullptr ? 1 : 0;
  const auto decide = [&](partition &p) {
    if (!p.decide()) return false;
    ++in_round;
    shared.answers.count_decision();
    if (shared.answers.are_told()) hold_as_told();
    return true;
  };
  for (uint32_t round = 0; round < c.max_decisions && in_round > 0; ++round) {
    in_round = 0;
    all ? partitions.for_each_awake(decide) : partitions.for_one(*one, decide);
    made += in_round;
  }
  shared.answers.end_step();
  return made;
}

uint32_t kernel::impl::apply(const inspect &c) {
  uint32_t under_way = 0;
  touch_named(c.partition, [&](partition &p) { under_way += p.inspect(c.most) ? 1 : 0; });
  return under_way;
}

std::vector<std::string_view> kernel::impl::partitions_beside(std::string_view full_name) const {
  constexpr int most_looked_at = 100;
  std::vector<std::string_view> out;
  const auto name = read_partition_name(full_name);
  int looked_at = 0;
  for (const auto &p : partitions) {
    if (!name || looked_at++ == most_looked_at) break;
    if (p->is_of(name->rm)) out.push_back(p->model().plain_name);
  }
  return out;
}

template <class Rejection>
void kernel::impl::reject(std::string_view partition_name, Rejection why) {
  decision_view &d = emit(typename Rejection::decided{shared.keep(std::move(why.message))}, partition_name);
  d.application = shared.keep(std::string(why.application));
  d.key = shared.keep(std::string(why.key));
  d.node = shared.keep(std::string(why.node));
}

template <class Command>
void kernel::impl::apply(const Command &c) {
  if (partition *p = find(c.partition); p != nullptr) {
    partitions.touch(*p);
    return p->obey(c);
  }
  if constexpr (requires { without_partition(c, {}); }) {
    reject(c.partition, without_partition(c, partitions_beside(c.partition)));
  }
}

uint32_t kernel::impl::dispatch(const command &c) {
  return std::visit(
      [&](const auto &one) -> uint32_t {
        if constexpr (std::is_same_v<decltype(apply(one)), uint32_t>) {
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
  shared.answers.forget_last();
  impl_->fire_due(now_ms);
  shared.answers.begin(answers_of(c));
  if (shared.answers.are_told()) impl_->hold_as_told();
  const uint32_t made = impl_->dispatch(c);
  shared.answers.end();
  impl_->partitions.end_command();
  shared.timers.forget([&](const internal::timer &t) {
    const partition *p = impl_->find(t.where);
    return p == nullptr || p->is_void(t);
  });
  shared.counters.timers = shared.timers.size();
  if constexpr (audits_itself) {
    if (shared.counters.commands >= impl_->next_audit)
      impl_->next_audit = shared.counters.commands + audit_books(*this);
  }
  return made;
}

void kernel::drain(const std::function<void(const decision_view &)> &take) {
  internal::core &shared = impl_->shared;
  for (const decision_view &d : shared.outbox) take(d);
  shared.outbox.clear();
  shared.texts.clear();
  impl_->partitions.flush();
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

std::span<const step_answer> kernel::answers() const { return impl_->shared.answers.of_last_command(); }

void kernel::set_rm_check(rm_check check, rm_check reservations) {
  impl_->shared.check = std::move(check);
  impl_->shared.reservation_check = std::move(reservations);
  impl_->wake_refused();
}

void kernel::set_fact_listener(fact_listener *listener) { impl_->shared.listener = listener; }

}  // namespace tenon
