// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queue_curves.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "view_text.hpp"
#include "waiting_now.hpp"

namespace tenon::observe {
namespace {

// Returns the index of a text in a list, to which it is added where it is missing and the list is not full.
size_t learn(std::vector<std::string> &known, const std::string &one, size_t most) {
  const auto found = std::find(known.begin(), known.end(), one);
  const auto at = static_cast<size_t>(found - known.begin());
  if (found == known.end() && known.size() < most) known.push_back(one);
  return at;
}

std::vector<int64_t> in_order(std::vector<std::string> &types, const tenon_rm_amounts &from) {
  std::vector<int64_t> out(types.size());
  for (size_t i = 0; i < from.count; ++i) {
    if (from.values[i] == 0) continue;
    const size_t at = learn(types, text(from.types[i]), queue_curves::most_types);
    if (at >= types.size()) continue;
    out.resize(types.size());
    out[at] = from.values[i];
  }
  return out;
}

bool is_same(const queue_curves::point &a, const queue_curves::point &b) {
  const auto values = [](const queue_curves::point &p) {
    return std::tie(p.used, p.pending, p.running, p.waiting, p.reasons);
  };
  return values(a) == values(b);
}

// A queue in which nothing happens has one point that grows.
void append(std::deque<queue_curves::point> &to, queue_curves::point now) {
  if (!to.empty()) {
    queue_curves::point &last = to.back();
    now.span_ms = std::max<int64_t>(0, now.at_ms - last.at_ms);
    if (last.span_ms + now.span_ms <= queue_curves::minute_ms || (is_same(last, now) && now.waiting == 0)) {
      now.span_ms += last.span_ms;
      to.pop_back();
    }
  }
  while (!to.empty() && to.front().at_ms < now.at_ms - queue_curves::kept_ms) to.pop_front();
  to.push_back(std::move(now));
}

size_t depth(const std::string &path) { return static_cast<size_t>(std::count(path.begin(), path.end(), '.')); }

}  // namespace

void queue_curves::look_at(const tenon_view_partition &p, int64_t now_ms) {
  std::map<std::string, waiting_now> waiting;
  for (const auto &[path, of] : waiting_by_queue(p, now_ms)) {
    for (size_t end = path.find('.');; end = path.find('.', end + 1)) {
      waiting[path.substr(0, end)].add(of);
      if (end == std::string::npos) break;
    }
  }
  std::vector<const tenon_view_queue *> queues;
  for (const auto &q : all<tenon_view_queue>(p.queues)) queues.push_back(&q);
  std::stable_sort(queues.begin(), queues.end(), [](const tenon_view_queue *a, const tenon_view_queue *b) {
    return depth(text(a->path)) < depth(text(b->path));
  });
  for (const tenon_view_queue *q : queues) {
    const name of{text(p.name), text(q->path)};
    if (queues_.size() >= most_queues && !queues_.contains(of)) continue;
    series &to = queues_[of];
    const waiting_now &now = waiting[of.second];
    point next;
    next.at_ms = now_ms;
    next.used = in_order(to.types, q->allocated);
    next.pending = in_order(to.types, q->pending);
    next.running = q->running;
    next.waiting = static_cast<uint64_t>(now.pending);
    next.oldest_ms = now.oldest_ms;
    for (const auto &[reason, count] : now.largest_reasons()) {
      constexpr size_t most = 256;  // of six hours: a reason may have the name of a node or of a task group
      const size_t at = learn(to.reasons, to.reasons.size() < most - 1 ? reason : "others", most);
      if (!next.reasons.empty() && next.reasons.back().first == at) {
        next.reasons.back().second += count;  // both are "others"
      } else {
        next.reasons.emplace_back(static_cast<uint32_t>(at), count);
      }
    }
    append(to.points, std::move(next));
  }
}

void queue_curves::look(const tenon_view &view, int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  std::set<name> there;
  for (const auto &p : all<tenon_view_partition>(view.partitions))
    for (const auto &q : all<tenon_view_queue>(p.queues)) there.emplace(text(p.name), text(q.path));
  std::erase_if(queues_, [&](const auto &one) { return !there.contains(one.first); });
  for (const auto &p : all<tenon_view_partition>(view.partitions)) look_at(p, now_ms);
}

queue_curves::series queue_curves::of(const std::string &partition, const std::string &queue) const {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find({partition, queue});
  return found == queues_.end() ? series{} : found->second;
}

}  // namespace tenon::observe
