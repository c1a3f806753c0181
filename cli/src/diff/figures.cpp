// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "diff/figures.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "report/fair_share.hpp"
#include "report/fragmentation.hpp"

namespace tenon::cli {
namespace {

using change_kind = change::what;

// Averages over time of what is used, window by window.
class figures_walk {
 public:
  figures_walk(const timeline &of, const measure &by, side_figures &out)
      : of_(of),
        by_(by),
        out_(out),
        names_(*of.names),
        used_(types()),
        capacity_(types()),
        free_(types(), main_type()) {
    for (const auto &[type, amount] : by.member) {
      for (uint32_t known = 0; known < types(); ++known) {
        if (names_.types()[known] == type) member_.emplace_back(known, amount);
      }
    }
    std::sort(member_.begin(), member_.end());
    at_ms_ = by.first_ms;
    sums_.area.resize(types());
    whole_.area.resize(types());
  }

  void run() {
    for (const change &c : of_.changes) {
      while (window_ + 1 < by_.windows && c.at_ms > by_.end_of(window_)) close();
      pass_to(c.at_ms);
      take(c);
    }
    while (window_ < by_.windows) close();
    finish_whole();
  }

 private:
  struct queue_state {
    std::vector<int64_t> used;
    int64_t pending = 0, live = 0;
    double share_area = 0;  // parts times milliseconds
  };
  struct sums {
    std::vector<double> area;  // by type, parts times milliseconds
    double ms = 0, jain = 0, jain_ms = 0;
  };

  [[nodiscard]] size_t types() const { return names_.types().size(); }
  [[nodiscard]] uint32_t main_type() const {
    for (uint32_t type = 0; type < types(); ++type) {
      if (names_.types()[type] == by_.type) return type;
    }
    return 0;
  }
  [[nodiscard]] double part(size_t type, int64_t used) const {
    return capacity_[type] <= 0 ? 0 : static_cast<double>(used) / static_cast<double>(capacity_[type]);
  }

  void pass_to(int64_t at_ms) {
    const auto passed = static_cast<double>(at_ms - at_ms_);
    if (passed <= 0) return;
    at_ms_ = at_ms;
    sums_.ms += passed;
    for (size_t type = 0; type < types(); ++type) sums_.area[type] += part(type, used_[type]) * passed;
    for (queue_state &queue : queues_) queue.share_area += share_of(queue) * passed;
    const double jain = jain_now();
    if (std::isnan(jain)) return;
    sums_.jain += jain * passed;
    sums_.jain_ms += passed;
  }

  // Dominant.
  [[nodiscard]] double share_of(const queue_state &queue) const {
    double share = 0;
    for (size_t type = 0; type < queue.used.size(); ++type) share = std::max(share, part(type, queue.used[type]));
    return share;
  }

  [[nodiscard]] double jain_now() const {
    std::vector<double> shares;
    for (const queue_state &queue : queues_) {
      if (queue.live <= 0 && queue.pending <= 0) continue;
      shares.push_back(share_of(queue));
    }
    const bool any = std::any_of(shares.begin(), shares.end(), [](double share) { return share > 0; });
    return any ? jain_index(shares) : std::nan("");
  }

  queue_state &queue_at(uint32_t queue) {
    if (queues_.size() <= queue) queues_.resize(queue + 1);
    queues_[queue].used.resize(types());
    return queues_[queue];
  }

  void take(const change &c) {
    const indexed_amounts &amounts = names_.amounts_of(c.shape);
    switch (c.kind) {
      case change_kind::node_added:
      case change_kind::node_removed: {
        const int64_t sign = c.kind == change_kind::node_added ? 1 : -1;
        for (const auto &[type, amount] : amounts) capacity_[type] += sign * amount;
        free_.change_capacity(c.node, amounts, sign);
        break;
      }
      case change_kind::asked:
        queue_at(c.queue).pending += c.count;
        break;
      case change_kind::unasked:
        queue_at(c.queue).pending -= c.count;
        break;
      case change_kind::placed:
        --queue_at(c.queue).pending;
        uses(c, amounts, 1);
        break;
      case change_kind::found:
        uses(c, amounts, 1);
        break;
      case change_kind::freed:
        uses(c, amounts, -1);
        break;
    }
  }

  void uses(const change &c, const indexed_amounts &amounts, int64_t sign) {
    queue_state &queue = queue_at(c.queue);
    queue.live += sign;
    for (const auto &[type, amount] : amounts) {
      used_[type] += sign * amount;
      queue.used[type] += sign * amount;
    }
    free_.change_use(c.node, amounts, sign);
  }

  void close() {
    const int64_t end = by_.end_of(window_);
    pass_to(end);
    window_figures &w = out_.windows[window_];
    w.from_s = window_ == 0 ? 0 : out_.windows[window_ - 1].to_s;
    w.to_s = static_cast<double>(end - by_.first_ms) / 1000.0;
    put(sums_, w);
    w.scattered = free_.scattered();
    w.group = static_cast<double>(free_.room_for(member_));
    for (size_t type = 0; type < types(); ++type) whole_.area[type] += sums_.area[type];
    whole_.ms += sums_.ms;
    whole_.jain += sums_.jain;
    whole_.jain_ms += sums_.jain_ms;
    sums_ = {};
    sums_.area.resize(types());
    ++window_;
  }

  void put(const sums &of, window_figures &to) const {
    for (uint32_t type = 0; type < types(); ++type) {
      if (capacity_[type] <= 0 && of.area[type] <= 0) continue;
      to.use[names_.types()[type]] = of.ms > 0 ? of.area[type] / of.ms : part(type, used_[type]);
    }
    // Where no time passed, as it is at the end.
    to.jain = of.jain_ms > 0 ? of.jain / of.jain_ms : of.ms > 0 ? std::nan("") : jain_now();
  }

  void finish_whole() {
    window_figures &whole = out_.whole;
    whole.to_s = out_.windows.back().to_s;
    put(whole_, whole);
    for (size_t queue = 0; queue < queues_.size() && whole_.ms > 0; ++queue)
      whole.shares[names_.queues()[static_cast<uint32_t>(queue)]] = queues_[queue].share_area / whole_.ms;
    double scattered = 0, with_free = 0, group = 0;
    for (const window_figures &w : out_.windows) {
      group += w.group;
      if (std::isnan(w.scattered)) continue;
      scattered += w.scattered;
      ++with_free;
    }
    whole.group = group / static_cast<double>(by_.windows);
    whole.scattered = with_free > 0 ? scattered / with_free : std::nan("");
  }

  const timeline &of_;
  const measure &by_;
  side_figures &out_;
  const ledger &names_;
  std::vector<int64_t> used_, capacity_;  // by type
  std::vector<queue_state> queues_;
  free_capacity free_;
  indexed_amounts member_;
  int64_t at_ms_ = 0;
  size_t window_ = 0;
  sums sums_, whole_;
};

// Waits of a side, by window of what was asked for, and by queue.
class wait_figures {
 public:
  explicit wait_figures(size_t windows) : of_window_(windows) {}

  void add(size_t window, const std::string &queue, const measured &one, uint64_t count) {
    for (auto *of : {&whole_, &of_window_[window]}) {
      std::vector<measured> &to = (*of)[queue];
      to.insert(to.end(), count, one);
    }
  }

  void put(side_figures &out) const {
    put(whole_, out.whole);
    for (size_t window = 0; window < of_window_.size(); ++window) put(of_window_[window], out.windows[window]);
  }

 private:
  using by_queue = std::map<std::string, std::vector<measured>>;

  static void put(const by_queue &from, window_figures &to) {
    std::vector<measured> all;
    for (const auto &[queue, of] : from) {
      all.insert(all.end(), of.begin(), of.end());
      to.waits[queue] = spread_of(of);
    }
    to.all_waits = spread_of(std::move(all));
  }

  by_queue whole_;
  std::vector<by_queue> of_window_;
};

void figure_waits(const side_run &run, const measure &by, side_figures &out) {
  const ledger &names = run.counted().book();
  wait_figures waits(by.windows);
  for (const change &c : run.changes().changes) {
    if (c.kind != change_kind::placed || c.placeholder || c.waited_ms < 0 || c.at_ms < by.first_ms) continue;
    ++out.whole.placed;
    ++out.windows[by.window_of(c.at_ms)].placed;
    if (c.at_ms - c.waited_ms < by.first_ms) continue;
    waits.add(by.window_of(c.at_ms - c.waited_ms), names.queues()[c.queue],
              {static_cast<double>(c.waited_ms) / 1000.0, true}, 1);
  }
  names.for_each_unplaced([&](uint32_t queue, int64_t arrival_ms, int64_t count) {
    if (arrival_ms < by.first_ms) return;
    const double so_far = static_cast<double>(std::max<int64_t>(by.last_ms - arrival_ms, 0)) / 1000.0;
    waits.add(by.window_of(arrival_ms), names.queues()[queue], {so_far, false}, static_cast<uint64_t>(count));
  });
  waits.put(out);
}

void figure_evictions(const side_run &run, const measure &by, side_figures &out) {
  for (const eviction &one : run.evictions()) {
    if (one.at_ms < by.first_ms) continue;
    for (window_figures *of : {&out.whole, &out.windows[by.window_of(one.at_ms)]}) {
      for (evicted_figures *to : {&of->all_evicted, &of->evicted[one.queue]}) {
        ++to->count;
        to->lost_s += static_cast<double>(one.ran_ms) / 1000.0;
      }
    }
  }
}

// The type that is used most, on average over the whole run.
std::string main_type_of(const side_run &run) {
  const run_summary &counted = run.summary();
  std::string best;
  double highest = -1;
  const name_list &types = run.counted().book().types();
  for (uint32_t type = 0; type < types.size(); ++type) {
    const auto found = counted.use.find(types[type]);
    if (found == counted.use.end() || found->second.average <= highest) continue;
    highest = found->second.average;
    best = types[type];
  }
  return best;
}

}  // namespace

amount_map commonest_ask(const timeline &changes, const std::string &type) {
  const ledger &names = *changes.names;
  std::vector<int64_t> asked(names.shapes());
  for (const change &c : changes.changes) {
    if (c.kind == change_kind::asked && !c.placeholder) asked[c.shape] += c.count;
  }
  amount_map best;
  int64_t times = 0;
  for (uint32_t shape = 0; shape < asked.size(); ++shape) {
    amount_map amounts;
    for (const auto &[of, amount] : names.amounts_of(shape)) amounts[names.types()[of]] = amount;
    if (asked[shape] <= times || !amounts.contains(type)) continue;
    times = asked[shape];
    best = std::move(amounts);
  }
  return best;
}

size_t measure::window_of(int64_t at_ms) const {
  size_t window = 0;
  while (window + 1 < windows && at_ms > end_of(window)) ++window;
  return window;
}

measure measure_of(const side_run &a, const side_run &b, size_t windows) {
  measure out;
  out.type = main_type_of(a);
  out.member = commonest_ask(a.changes(), out.type);
  out.first_ms = std::min(a.changes().first_ms, b.changes().first_ms);
  out.last_ms = std::max(a.changes().last_ms, b.changes().last_ms);
  out.windows = out.last_ms > out.first_ms ? windows : 1;
  return out;
}

side_figures figure_side(const side_run &run, const measure &by) {
  side_figures out;
  out.windows.resize(by.windows);
  figures_walk(run.changes(), by, out).run();
  figure_waits(run, by, out);
  figure_evictions(run, by, out);
  return out;
}

}  // namespace tenon::cli
