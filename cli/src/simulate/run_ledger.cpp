// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/run_ledger.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/states.hpp"

namespace tenon::cli {
namespace {

constexpr char separator = '\x1f';  // in no name

int32_t live_count(const auto &ask) { return static_cast<int32_t>(ask.live.size()); }

}  // namespace

uint32_t name_list::index_of(std::string_view name) {
  const auto found = index_.find(name);
  if (found != index_.end()) return found->second;
  const auto index = static_cast<uint32_t>(names_.size());
  names_.emplace_back(name);
  index_.emplace(names_.back(), index);
  return index;
}

std::string_view ledger::joined(std::string_view a, std::string_view b, std::string_view c) {
  scratch_.assign(a);
  scratch_ += separator;
  scratch_ += b;
  scratch_ += separator;
  scratch_ += c;
  return scratch_;
}

std::string_view ledger::application_of(std::string_view application, std::string_view key) {
  if (!application.empty()) return application;
  independent_ = "@independent/";
  independent_ += key;
  return independent_;
}

ledger::application_record &ledger::application_at(std::string_view partition, std::string_view application) {
  const std::string_view name = joined(partition, application, {});
  if (const auto found = applications_.find(name); found != applications_.end()) return found->second;
  return applications_.emplace(std::string(name), application_record{queues_.index_of(""), users_.index_of(""), {}})
      .first->second;
}

ledger::ask_record &ledger::ask_at(std::string_view partition, std::string_view application, std::string_view key) {
  const std::string_view app = application_of(application, key);
  if (const auto found = asks_.find(joined(partition, app, key)); found != asks_.end()) return found->second;
  application_record &of = application_at(partition, app);
  ask_record &ask = asks_[std::string(joined(partition, app, key))];
  ask.of = &of;
  of.asks.push_back(&ask);
  return ask;
}

ledger::ask_record *ledger::find_ask(const decision_view &d) {
  const auto found = asks_.find(joined(d.partition, d.application, d.key));
  return found == asks_.end() ? nullptr : &found->second;
}

uint32_t ledger::shape_of(amounts from) {
  indexed_amounts shape;
  for (const named_amount &a : from) {
    if (a.amount != 0) shape.emplace_back(types_.index_of(a.type), a.amount);
  }
  std::sort(shape.begin(), shape.end());
  const auto [at, fresh] = shape_index_.try_emplace(std::move(shape), static_cast<uint32_t>(shapes_.size()));
  if (fresh) shapes_.push_back(at->first);
  return at->second;
}

void ledger::free(ask_record &ask, size_t at, bool preempted) {
  const allocation a = ask.live[at];
  ask.live.erase(ask.live.begin() + static_cast<ptrdiff_t>(at));
  ask.freed_ms = now_ms_;
  tell_({change::what::freed, ask.placeholder, preempted, ask.of->queue, a.node, a.shape, 1, now_ms_, -1});
}

void ledger::set_pending(ask_record &ask, int32_t pending) {
  const int32_t more = pending - ask.pending;
  ask.pending = pending;
  if (more == 0) return;
  const auto kind = more > 0 ? change::what::asked : change::what::unasked;
  tell_({kind, ask.placeholder, false, ask.of->queue, 0, ask.shape, std::abs(more), now_ms_, -1});
}

void ledger::sees(int64_t now_ms, const command &c) {
  settle();
  now_ms_ = std::max(now_ms_, now_ms);
  std::visit([this](const auto &known) { takes(known); }, c);
}

void ledger::for_each_unplaced(const std::function<void(uint32_t, int64_t, int64_t)> &take) const {
  for (const auto &[name, app] : applications_) {  // any order: who takes them sorts
    int64_t asked = 0;
    for (const ask_record *ask : app.asks) {
      const int64_t waits = ask->placeholder ? 0 : std::min(ask->pending, ask->wanted - ask->placed);
      if (waits > 0) take(app.queue, ask->arrival_ms, waits);
      asked += waits;
    }
    for (const ask_record *ask : app.asks) {
      if (!ask->placeholder) continue;
      const int64_t stand_in = ask->pending + live_count(*ask);
      if (stand_in > asked) take(app.queue, ask->arrival_ms, stand_in - asked);
      asked = std::max<int64_t>(asked - stand_in, 0);
    }
  }
}

void ledger::lasts(std::string_view partition, std::string_view application, std::string_view key,
                   int64_t duration_ms) {
  ask_at(partition, application, key).lasts_ms = duration_ms;
}

std::vector<job> ledger::jobs() const {
  std::vector<std::pair<std::string_view, job>> named;  // by application
  for (const auto &[name, app] : applications_) {       // any order: sorted next
    std::vector<job> own;
    add_jobs(app, false, own);
    if (own.empty()) add_jobs(app, true, own);  // nothing was asked for in their place
    for (job &one : own) named.emplace_back(name, std::move(one));
  }
  std::sort(named.begin(), named.end(), [](const auto &a, const auto &b) {
    return std::tie(a.second.arrival_ms, a.first) < std::tie(b.second.arrival_ms, b.first);
  });
  std::vector<job> out;
  out.reserve(named.size());
  for (auto &[name, one] : named) out.push_back(std::move(one));
  return out;
}

void ledger::add_jobs(const application_record &app, bool placeholders, std::vector<job> &to) const {
  std::vector<const ask_record *> asks;
  for (const ask_record *ask : app.asks) {
    if (ask->placeholder == placeholders && ask->wanted > 0) asks.push_back(ask);
  }
  std::stable_sort(asks.begin(), asks.end(),
                   [](const auto *a, const auto *b) { return a->arrival_ms < b->arrival_ms; });
  for (size_t i = 0; i < asks.size();) {
    job one{app.queue, app.user, 0, {}, asks[i]->arrival_ms, 0, 0, -1};
    std::map<uint32_t, int64_t> amounts;
    for (; i < asks.size() && asks[i]->arrival_ms == one.arrival_ms; ++i) {
      const ask_record &ask = *asks[i];
      one.allocations += static_cast<uint64_t>(ask.wanted);
      for (const auto &[type, amount] : shapes_[ask.shape]) amounts[type] += amount * ask.wanted;
      one.lasts_ms = std::max(one.lasts_ms, ask.lasts_ms);
      if (ask.started_ms < 0 || one.started_ms < 0 || placeholders) {
        one.started_ms = one.ended_ms = -1;
        continue;
      }
      one.started_ms = std::max(one.started_ms, ask.started_ms);
      const bool ended = ask.live.empty() && ask.pending == 0 && one.ended_ms >= 0;
      one.ended_ms = ended ? std::max(one.ended_ms, ask.freed_ms) : -1;
    }
    one.amounts.assign(amounts.begin(), amounts.end());
    to.push_back(std::move(one));
  }
}

void ledger::takes(const add_application &add) {
  application_at(add.partition, add.application).user = users_.index_of(add.user);
}

void ledger::takes(const put_ask &put) {
  next_.ask = &ask_at(put.partition, put.application, put.key);
  ask_record &as = next_.as;
  as.arrival_ms = put.create_time_ms != 0 ? std::min(put.create_time_ms, now_ms_) : now_ms_;
  as.shape = shape_of(put.resources);
  as.wanted = put.max_allocations;
  as.placeholder = put.placeholder && !put.task_group.empty();
}

void ledger::takes(const put_allocation &put) { takes_existing(put.partition, put.allocation); }

void ledger::takes(const add_node &add) {
  next_.node = joined(add.partition, add.node, {});
  next_.capacity = shape_of(add.capacity);
  for (const existing_allocation &e : add.existing) takes_existing(add.partition, e);
}

void ledger::takes(const update_node &update) {
  if (!update.has_capacity) return;
  next_.node = joined(update.partition, update.node, {});
  next_.capacity = shape_of(update.capacity);
}

void ledger::takes(const change_node &c) {
  if (c.event != static_cast<uint8_t>(node_event::decommission)) return;
  const auto found = nodes_.find(joined(c.partition, c.node, {}));
  if (found == nodes_.end()) return;
  next_.node = found->first;  // its allocations are released first
  next_.capacity = -1;
}

void ledger::takes(const remove_application &gone) {
  const auto found = applications_.find(joined(gone.partition, gone.application, {}));
  if (found == applications_.end()) return;
  for (ask_record *ask : found->second.asks) set_pending(*ask, 0);
}

void ledger::takes(const register_rm &registered) {
  next_.rm = registered.rm;
  next_.config = registered.config;
}

void ledger::takes(const configure &configured) { next_.config = configured.config; }

void ledger::takes(const signal_rm &signal) {
  if (signal.signal == rm_signal::timeout || signal.signal == rm_signal::shutdown) next_.rm = signal.rm;
}

void ledger::takes_existing(std::string_view partition, const existing_allocation &existing) {
  if (existing.foreign) return;
  ask_record &ask = ask_at(partition, existing.ask.application, existing.ask.key);
  if (ask.wanted != 0) return;  // known already; that its allocation may take another size is not followed
  ask.shape = shape_of(existing.ask.resources);
  ask.arrival_ms = now_ms_;
  ask.placeholder = existing.ask.placeholder && !existing.ask.task_group.empty();
}

void ledger::takes(const release &r) {
  const auto of_ask = [&](ask_record &ask) {
    if (r.what != release_what::asks && r.why == termination::scheduling_failed) undo(ask, r);
    if (r.what != release_what::allocations) set_pending(ask, 0);
  };
  const bool everywhere = r.application.empty() && r.what == release_what::asks;
  if (!r.key.empty() && !everywhere) {
    const auto found = asks_.find(joined(r.partition, application_of(r.application, r.key), r.key));
    if (found != asks_.end()) of_ask(found->second);
    return;
  }
  if (!r.application.empty()) {
    const auto found = applications_.find(joined(r.partition, r.application, {}));
    if (found == applications_.end()) return;
    for (ask_record *ask : found->second.asks) of_ask(*ask);
    return;
  }
  // All of the partition, in whatever order: what follows from it are sums.
  const std::string prefix = std::string(r.partition) + separator;
  const std::string suffix = r.key.empty() ? std::string() : separator + std::string(r.key);
  for (auto &[name, ask] : asks_) {
    if (name.starts_with(prefix) && name.ends_with(suffix)) of_ask(ask);
  }
}

// The RM could not bind: no decision tells of it.
void ledger::undo(ask_record &ask, const release &r) {
  for (size_t i = 0, undone = 0; i < ask.live.size() && (r.limit == 0 || undone < r.limit);) {
    if (r.allocation_sequence != 0 && ask.live[i].sequence != r.allocation_sequence) {
      ++i;
      continue;
    }
    free(ask, i, false);
    set_pending(ask, ask.pending + 1);
    ++undone;
  }
}

void ledger::hears(const decision_view &d) {
  if (d.now_ms > now_ms_) now_ms_ = d.now_ms;
  switch (d.kind()) {
    case decision_kind::application_accepted:
      application_at(d.partition, d.application).queue = queues_.index_of(d.queue);
      break;
    case decision_kind::allocated:
      hears_allocated(d);
      break;
    case decision_kind::released:
      hears_released(d);
      break;
    case decision_kind::ask_rejected:
      next_.ask = nullptr;
      break;
    case decision_kind::ask_released:
      if (ask_record *ask = find_ask(d); ask != nullptr) set_pending(*ask, 0);
      break;
    case decision_kind::node_accepted:
      settle();  // what runs on it comes next
      break;
    case decision_kind::node_rejected:
    case decision_kind::node_update_rejected:
      next_.node.clear();
      break;
    case decision_kind::rm_rejected:
    case decision_kind::configuration_rejected:
      next_.rm.clear();
      next_.config = nullptr;
      break;
    default:
      break;
  }
}

void ledger::hears_allocated(const decision_view &d) {
  ask_record *ask = find_ask(d);
  if (ask == nullptr) return;
  const uint32_t node = node_names_.index_of(joined(d.partition, d.node, {}));
  ask->of->queue = queues_.index_of(d.queue);
  ask->live.push_back({d.allocation_sequence, node, ask->shape});
  change made{change::what::found, ask->placeholder, false, ask->of->queue, node, ask->shape, 1, now_ms_, -1};
  if (std::get<decided::allocated>(d.what).existing) {
    ask->wanted = std::max(ask->wanted, live_count(*ask));
    ask->placed = std::max(ask->placed, live_count(*ask));
    return tell_(made);
  }
  made.kind = change::what::placed;
  ask->pending = std::max(ask->pending - 1, 0);
  if (ask->placed < ask->wanted) {
    if (++ask->placed == ask->wanted) ask->started_ms = now_ms_;
    made.waited_ms = now_ms_ - ask->arrival_ms;
  }
  tell_(made);
}

void ledger::hears_released(const decision_view &d) {
  ask_record *ask = find_ask(d);
  if (ask == nullptr) return;
  const auto found = std::find_if(ask->live.begin(), ask->live.end(),
                                  [&](const allocation &a) { return a.sequence == d.allocation_sequence; });
  if (found == ask->live.end()) return;
  free(*ask, static_cast<size_t>(found - ask->live.begin()), *end_of(d) == termination::preempted_by_scheduler);
}

void ledger::settle() {
  if (next_.ask != nullptr) settle_ask();
  if (!next_.rm.empty()) forget(next_.rm);
  if (next_.config != nullptr) config_ = *next_.config;
  if (!next_.node.empty()) {
    const uint32_t node = node_names_.index_of(next_.node);
    const auto known = nodes_.find(next_.node);
    const auto say = [&](change::what kind, uint32_t shape) {
      tell_({kind, false, false, 0, node, shape, 1, now_ms_, -1});
    };
    if (known != nodes_.end()) {
      say(change::what::node_removed, known->second);
      nodes_.erase(known);
    }
    if (next_.capacity >= 0) {
      say(change::what::node_added, static_cast<uint32_t>(next_.capacity));
      nodes_.emplace(next_.node, static_cast<uint32_t>(next_.capacity));
    }
  }
  next_.ask = nullptr;
  next_.node.clear();
  next_.rm.clear();
  next_.config = nullptr;
}

void ledger::settle_ask() {
  ask_record &ask = *next_.ask;
  const ask_record &as = next_.as;
  set_pending(ask, 0);
  // One that is sent again after its allocation was lost goes on waiting from the first time.
  if (ask.placed == 0) ask.arrival_ms = as.arrival_ms;
  ask.shape = as.shape;
  ask.wanted = as.wanted;
  ask.placeholder = as.placeholder;
  set_pending(ask, std::max(ask.wanted - live_count(ask), 0));
}

// Everything of an RM that registers again or left, without decisions.
void ledger::forget(std::string_view rm) {
  const std::string prefix = partition_prefix(rm);
  for (auto &[name, ask] : asks_) {
    if (!name.starts_with(prefix)) continue;
    set_pending(ask, 0);
    while (!ask.live.empty()) free(ask, ask.live.size() - 1, false);
  }
  std::erase_if(nodes_, [&](const auto &node) {
    if (!node.first.starts_with(prefix)) return false;
    tell_({change::what::node_removed, false, false, 0, node_names_.index_of(node.first), node.second, 1, now_ms_, -1});
    return true;
  });
}

}  // namespace tenon::cli
