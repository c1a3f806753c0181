// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "scenario/rm_model.hpp"

#include <algorithm>
#include <utility>

namespace tenon::cli {
namespace {

bool needs_confirmation(termination why) {
  return why == termination::placeholder_replaced || why == termination::preempted_by_scheduler ||
         why == termination::timeout;
}

void add_line(text_map &to, std::string_view name, std::string_view line) {
  auto [at, fresh] = to.try_emplace(std::string(name), line);
  if (!fresh) at->second.append("\n").append(line);
}

bool same_key(std::string_view full, std::string_view wanted) {
  return wanted.empty() || full == wanted || base_key(full) == wanted;
}

template <class Item>
bool of_ask(const Item &item, std::string_view partition, std::string_view application, std::string_view key) {
  return item.partition == partition && item.application == application && item.key == key;
}

}  // namespace

void rm_model::sends_ask(const ask_item &ask) { asks_[{ask.partition, ask.application, ask.key}] = ask; }

void rm_model::reports_existing(const std::string &node, const ask_item &ask) {
  sends_ask(ask);
  reported_.push_back({ask.partition, ask.application, ask.key, node, 0, false, 0, ask.detail});
}

void rm_model::releases(const std::string &partition, const std::string &application, const std::string &key,
                        uint64_t sequence) {
  const auto gone = [&](const auto &item) {
    return of_ask(item, partition, application, key) && item.sequence == sequence;
  };
  std::erase_if(running_, gone);
  std::erase_if(open_, gone);
}

std::vector<rm_model::open_release> rm_model::confirms(const std::vector<termination> &types,
                                                       std::optional<uint32_t> limit) {
  std::vector<open_release> taken, left;
  for (open_release &release : open_) {
    const bool wanted = types.empty() || std::find(types.begin(), types.end(), release.why) != types.end();
    const bool fits = !limit || taken.size() < *limit;
    (wanted && fits ? taken : left).push_back(std::move(release));
  }
  open_ = std::move(left);
  return taken;
}

void rm_model::restarts() {
  open_.clear();
  checks_.clear();
  fresh_checks_.clear();
  reported_.clear();
  for (allocation &a : running_) {
    a.sequence = 0;
    a.confirmed = false;
  }
}

void rm_model::note_refusal(const decision_view &d) {
  constexpr size_t most = 3;
  if (refusals_.size() == most) return;
  std::string of = d.key.empty() ? "" : std::string(d.key) + " of ";
  if (!d.application.empty()) of += "application " + std::string(d.application);
  if (!d.node.empty()) of += std::string(of.empty() ? "" : " on ") + "node " + std::string(d.node);
  refusals_.push_back(of + ": " + text_of(d));
}

void rm_model::hears(const decision_view &d) {
  switch (d.kind()) {
    case decision_kind::application_accepted:
      accepted_apps_.emplace_back(d.application);
      break;
    case decision_kind::application_rejected:
      add_line(rejected_apps_, d.application, text_of(d));
      note_refusal(d);
      break;
    case decision_kind::application_state:
      add_line(app_states_, d.application, text_of(d));
      add_line(app_messages_, d.application, std::get<decided::application_state>(d.what).message);
      break;
    case decision_kind::ask_rejected:
    case decision_kind::allocation_rejected:
      rejected_asks_.emplace_back(d.key);
      note_refusal(d);
      break;
    case decision_kind::node_accepted:
      node_is_accepted(d);
      break;
    case decision_kind::node_rejected:
      rejected_nodes_.emplace_back(d.node);
      note_refusal(d);
      std::erase_if(reported_, [&](const allocation &a) { return a.node == d.node; });
      break;
    case decision_kind::node_update_rejected:
      note_refusal(d);
      break;
    case decision_kind::allocated:
      container_states_[std::string(d.key)] = "SCHEDULED";
      hears_allocated(d);
      break;
    case decision_kind::reserved:
      container_states_[std::string(d.key)] = "RESERVED";
      break;
    case decision_kind::container_state:
      container_states_[std::string(d.key)] = text_of(d);
      ++container_updates_;
      break;
    case decision_kind::released:
    case decision_kind::ask_released:
      hears_released(d);
      break;
    case decision_kind::proposed:
      checks_.push_back({std::string(plain_partition(d.partition)), std::string(d.application), std::string(d.key),
                         std::string(d.node), d.allocation_sequence});
      fresh_checks_.push_back(checks_.back());
      break;
    case decision_kind::undone:
      std::erase_if(checks_, [&](const open_check &c) {
        return c.number == d.allocation_sequence && c.partition == plain_partition(d.partition);
      });
      break;
    default:
      break;
  }
}

void rm_model::node_is_accepted(const decision_view &d) {
  accepted_nodes_.emplace_back(d.node);
  const std::string_view partition = plain_partition(d.partition);
  for (const allocation &a : reported_) {
    if (a.node != d.node || a.partition != partition) continue;
    const bool known = std::any_of(running_.begin(), running_.end(),
                                   [&](const allocation &r) { return of_ask(r, a.partition, a.application, a.key); });
    if (!known) running_.push_back(a);
  }
  std::erase_if(reported_, [&](const allocation &a) { return a.node == d.node && a.partition == partition; });
}

// The scheduler names an allocation that it took over as it names a new one: that is the same allocation.
void rm_model::hears_allocated(const decision_view &d) {
  const allocation told{std::string(plain_partition(d.partition)),
                        std::string(d.application),
                        std::string(d.key),
                        std::string(d.node),
                        d.allocation_sequence,
                        true,
                        d.now_ms,
                        std::string(devices_of(d))};
  const auto old = std::find_if(running_.begin(), running_.end(), [&](const allocation &a) {
    return !a.confirmed && of_ask(a, told.partition, told.application, told.key);
  });
  if (old == running_.end()) {
    running_.push_back(told);
  } else {
    const int64_t bound_ms = old->bind_time_ms == 0 ? told.bind_time_ms : old->bind_time_ms;
    *old = told;
    old->bind_time_ms = bound_ms;
  }
}

void rm_model::hears_released(const decision_view &d) {
  const bool ask = d.is(decision_kind::ask_released);
  const termination end = *end_of(d);
  const std::string partition(plain_partition(d.partition)), application(d.application), key(d.key);
  if (!ask) {
    std::erase_if(running_, [&](const allocation &a) {
      return of_ask(a, partition, application, key) && (a.sequence == d.allocation_sequence || a.sequence == 0);
    });
  } else if (!d.placeholder) {
    return;
  }
  if (needs_confirmation(end)) {
    open_.push_back({partition, application, key, ask ? 0 : d.allocation_sequence, end});
  }
  // An ask of one allocation is told once under its key however often it ran; of an ask of several, each is.
  const ask_id id{partition, application, key};
  const auto sent = asks_.find(id);
  const bool several = sent != asks_.end() && sent->second.max_allocations > 1;
  const std::tuple told{id, several ? d.allocation_sequence : 0};
  auto &all = released_[end];
  const bool fresh = std::none_of(all.begin(), all.end(), [&](const auto &entry) { return entry.first == told; });
  if (fresh) all.emplace_back(told, key);
}

std::vector<rm_model::allocation> rm_model::running_of(const std::string &partition, const std::string &application,
                                                       const std::string &key) const {
  std::vector<allocation> out;
  for (const allocation &a : running_) {
    if (a.partition == partition && a.application == application && same_key(a.key, key)) out.push_back(a);
  }
  return out;
}

std::vector<rm_model::open_release> rm_model::open_of(const std::string &partition, const std::string &application,
                                                      const std::string &key) const {
  std::vector<open_release> out;
  for (const open_release &r : open_) {
    if (r.partition == partition && r.application == application && r.sequence != 0 && same_key(r.key, key)) {
      out.push_back(r);
    }
  }
  return out;
}

text_list rm_model::sent_keys(const std::string &partition, const std::string &application,
                              const std::string &key) const {
  text_list out;
  for (const auto &[id, ask] : asks_) {
    const auto &[sent_partition, sent_application, sent_key] = id;
    if (sent_partition == partition && sent_application == application && same_key(sent_key, key)) {
      out.push_back(sent_key);
    }
  }
  if (out.empty()) out.push_back(key);
  return out;
}

std::vector<rm_model::known_allocation> rm_model::running_on(const std::string &partition,
                                                             const std::string &node) const {
  std::vector<known_allocation> out;
  for (const allocation &a : running_) {
    if (a.partition != partition || a.node != node) continue;
    const auto ask = asks_.find({a.partition, a.application, a.key});
    if (ask == asks_.end()) continue;
    out.push_back({ask->second, a.bind_time_ms});
    out.back().ask.detail = a.detail;
  }
  return out;
}

text_list rm_model::proposed_keys() const {
  text_list out;
  for (const open_check &c : checks_) out.push_back(c.key);
  return out;
}

text_list rm_model::released(termination why) const {
  text_list out;
  const auto found = released_.find(why);
  if (found == released_.end()) return out;
  for (const auto &[id, key] : found->second) out.push_back(key);
  return out;
}

}  // namespace tenon::cli
