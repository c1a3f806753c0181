// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "outcome_watch.hpp"

#include <algorithm>
#include <utility>

namespace tenon::observe {
namespace {

using outcome_kind = outcome_finding::kind;
using moment = outcome_watch::clock::time_point;

std::string seconds_between(moment since, moment at) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(at - since).count()) + " s";
}

int64_t amount_of(const amount_map &all, const std::string &type) {
  const auto found = all.find(type);
  return found == all.end() ? 0 : found->second;
}

bool has_grown(const amount_map &before, const amount_map &now) {
  return std::any_of(now.begin(), now.end(),
                     [&](const auto &one) { return one.second > amount_of(before, one.first); });
}

bool is_below_guarantee(const queue_snapshot &q) {
  return std::any_of(q.guaranteed.begin(), q.guaranteed.end(), [&](const auto &one) {
    return amount_of(q.allocated, one.first) < one.second && amount_of(q.pending, one.first) > 0;
  });
}

bool is_below(std::string_view path, std::string_view queue) {
  return path == queue || (path.starts_with(queue) && path.substr(queue.size()).starts_with('.'));
}

std::string applications_wait(size_t count, const std::string &application, const std::string &ask) {
  return std::to_string(count) + (count == 1 ? " application waits" : " applications wait") + ", '" + application +
         "' with ask '" + ask + "'";
}

}  // namespace

std::map<std::string, outcome_watch::leaf> outcome_watch::leaves_of(const partition_snapshot &p, const by_path &queues,
                                                                    const std::map<std::string, leaf> &before,
                                                                    clock::time_point at) const {
  std::map<std::string, leaf> out;
  for (const application_snapshot &app : p.applications) {
    const auto queue = queues.find(app.queue);
    if (queue == queues.end()) continue;
    const auto first = std::find_if(app.asks.begin(), app.asks.end(), [](const ask_snapshot &a) {
      return a.blocker.empty() || (a.left_out && a.left_out->for_good);
    });
    if (first == app.asks.end()) continue;
    leaf &in = out[app.queue];
    in.allocated = queue->second->allocated;
    in.applications[app.id] = {first->key, first->pending_count, first->left_out, at};
  }
  for (auto &[path, in] : out) {
    in.still_since = at;
    const auto known = before.find(path);
    if (known == before.end()) continue;
    bool placed = has_grown(known->second.allocated, in.allocated);
    for (const auto &[id, was] : known->second.applications) {
      const auto now = in.applications.find(id);
      if (now != in.applications.end() && is_same(now->second, was))
        now->second.since = was.since;
      else
        placed = true;
    }
    if (!placed) in.still_since = known->second.still_since;
  }
  return out;
}

void outcome_watch::find_in(const partition_snapshot &p, const std::string &path, const leaf &of,
                            clock::time_point at) {
  const std::pair<const std::string, waiting> *free = nullptr, *held = nullptr;
  size_t free_count = 0;
  for (const auto &one : of.applications) {
    const bool is_free = !one.second.left_out;
    free_count += is_free ? 1 : 0;
    const auto *&longest = is_free ? free : held;
    if (longest == nullptr || one.second.since < longest->second.since) longest = &one;
  }
  if (free != nullptr) {
    const auto since = std::max(free->second.since, of.still_since);
    if (lasts(since, at))
      findings_.push_back({outcome_kind::unplaced, path,
                           "has had nothing placed for " + seconds_between(since, at) +
                               ", and could have: " + applications_wait(free_count, free->first, free->second.key),
                           "has asks placed again"});
    return;
  }
  const auto since = std::max(held->second.since, of.still_since);
  if (!lasts(since, at)) return;
  const left_out_by &by = *held->second.left_out;
  findings_.push_back({outcome_kind::never_eligible, path,
                       "has had nothing let go for " + seconds_between(since, at) + " by order " + by.order +
                           " of queue " + by.queue + ": " +
                           applications_wait(of.applications.size(), held->first, held->second.key),
                       "has asks let go again", p.name, by.order, by.of_queues});
}

void outcome_watch::find_below_guarantee(const partition_snapshot &p, const by_path &queues, clock::time_point at) {
  auto &known = below_[p.name];
  std::erase_if(known, [&](const auto &one) {
    const auto found = queues.find(one.first);
    return found == queues.end() || !is_below_guarantee(*found->second);
  });
  for (const auto &[path, q] : queues) {
    if (!is_below_guarantee(*q)) continue;
    const auto below = known.try_emplace(path, at).first->second;
    const std::pair<const std::string, waiting> *longest = nullptr;
    for (const auto &[leaf_path, of] : leaves_[p.name]) {
      if (!is_below(leaf_path, path)) continue;
      for (const auto &one : of.applications)
        if (longest == nullptr || one.second.since < longest->second.since) longest = &one;
    }
    if (longest == nullptr) continue;
    const auto since = std::max(below, longest->second.since);
    if (!lasts(since, at)) continue;
    std::string has;
    for (const auto &[type, amount] : q->guaranteed)
      has += (has.empty() ? "" : ", ") + type + " " + std::to_string(amount_of(q->allocated, type)) + " of " +
             std::to_string(amount);
    findings_.push_back({outcome_kind::below_guarantee, path,
                         "has been below its guarantee for " + seconds_between(since, at) + " (" + has +
                             "), and ask '" + longest->second.key + "' of application '" + longest->first +
                             "' could be placed",
                         "has its guarantee, or nothing more to place"});
  }
}

void outcome_watch::look(const kernel_snapshot &state, const std::function<bool(const std::string &)> &rests,
                         clock::time_point at) {
  findings_.clear();
  std::map<std::string, std::map<std::string, leaf>> now;
  std::map<std::string, std::map<std::string, clock::time_point>> below;
  for (const partition_snapshot &p : state.partitions) {
    if (p.state == object_state::stopped || rests(p.rm)) continue;
    by_path queues;
    for (const queue_snapshot &q : p.queues) queues.emplace(q.path, &q);
    leaves_[p.name] = leaves_of(p, queues, leaves_[p.name], at);
    for (const auto &[path, of] : leaves_[p.name]) find_in(p, path, of, at);
    find_below_guarantee(p, queues, at);
    now[p.name] = std::move(leaves_[p.name]);
    below[p.name] = std::move(below_[p.name]);
  }
  leaves_ = std::move(now);
  below_ = std::move(below);
}

}  // namespace tenon::observe
