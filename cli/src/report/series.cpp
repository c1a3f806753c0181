// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/series.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "report/fair_share.hpp"
#include "report/fragmentation.hpp"

namespace tenon::cli {
namespace {

// The commonest asks that stranded room is measured with.
constexpr size_t typical_asks = 16;

bool is_node(const change &c) { return c.kind == change::what::node_added || c.kind == change::what::node_removed; }
bool is_use(const change &c) {
  return c.kind == change::what::placed || c.kind == change::what::found || c.kind == change::what::freed;
}
int64_t sign_of(const change &c) {
  return c.kind == change::what::node_removed || c.kind == change::what::freed || c.kind == change::what::unasked ? -1
                                                                                                                  : 1;
}

int64_t amount_in(const indexed_amounts &amounts, uint32_t type) {
  for (const auto &[known, amount] : amounts) {
    if (known == type) return amount;
  }
  return 0;
}

// A quantity that jumps, averaged over the interval that runs.
class level {
 public:
  void add(double at, double by) {
    area_ += value_ * (at - since_);
    since_ = at;
    value_ += by;
  }
  void set(double at, double value) { add(at, value - value_); }
  // The average since the last call.
  double close(double end, double width) {
    add(end, 0);
    const double average = area_ / width;
    area_ = 0;
    return average;
  }
  [[nodiscard]] double value() const { return value_; }

 private:
  double value_ = 0, area_ = 0, since_ = 0;
};

double average_of_curve(const curve &values) {
  double sum = 0, count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / count : std::nan("");
}

// Walks through the changes interval by interval. A derived class takes changes and closes intervals.
class walk {
 public:
  walk(const timeline &of, const run_curves &axis)
      : of_(of), by_time_(axis.by_time), width_(axis.span / static_cast<double>(axis.intervals)) {}
  virtual ~walk() = default;

  void run(size_t intervals) {
    size_t closed = 0;
    double placements = 0;
    for (const change &c : of_.changes) {
      if (!by_time_ && (c.kind == change::what::placed || c.kind == change::what::found)) ++placements;
      const double at = by_time_ ? static_cast<double>(c.at_ms - of_.first_ms) / 1000.0 : placements;
      while (closed + 1 < intervals && at >= static_cast<double>(closed + 1) * width_) {
        close(static_cast<double>(++closed) * width_);
      }
      take(at, c);
    }
    while (closed < intervals) close(static_cast<double>(++closed) * width_);
  }

 protected:
  virtual void take(double at, const change &c) = 0;
  virtual void close(double end) = 0;

  [[nodiscard]] const indexed_amounts &amounts_of(const change &c) const { return of_.names->amounts_of(c.shape); }

  const timeline &of_;
  bool by_time_;
  double width_;
};

// Use by resource type, and what the second walk has to know: the main type, the largest queues, the commonest asks.
class use_walk final : public walk {
 public:
  use_walk(const timeline &of, const run_curves &axis)
      : walk(of, axis), types_(of.names->types().size()), asks_of_shape_(of.names->shapes()) {}

  struct type_level {
    double used = 0, capacity = 0;
    level part;
    curve averages;
  };

  [[nodiscard]] const std::vector<type_level> &types() const { return types_; }
  [[nodiscard]] const std::vector<uint64_t> &asks_of_shape() const { return asks_of_shape_; }

 private:
  void take(double at, const change &c) override {
    if (c.kind == change::what::placed && !c.placeholder) ++asks_of_shape_[c.shape];
    if (c.kind == change::what::asked && !c.placeholder) asks_of_shape_[c.shape] += static_cast<uint64_t>(c.count);
    if (!is_node(c) && !is_use(c)) return;
    for (const auto &[type, amount] : amounts_of(c)) {
      type_level &t = types_[type];
      (is_node(c) ? t.capacity : t.used) += static_cast<double>(sign_of(c) * amount);
      t.part.set(at, t.capacity > 0 ? t.used / t.capacity : 0);
    }
  }
  void close(double end) override {
    for (type_level &t : types_) t.averages.push_back(t.part.close(end, width_));
  }

  std::vector<type_level> types_;
  std::vector<uint64_t> asks_of_shape_;
};

// Shapes that take of the same types are of one kind.
struct ask_kinds {
  size_t count = 1;
  std::vector<uint32_t> of_shape;
};

ask_kinds kinds_of(const ledger &names) {
  ask_kinds out;
  std::map<std::vector<uint32_t>, uint32_t> known;
  for (uint32_t shape = 0; shape < names.shapes(); ++shape) {
    std::vector<uint32_t> types;
    for (const auto &[type, amount] : names.amounts_of(shape)) types.push_back(type);
    out.of_shape.push_back(known.try_emplace(std::move(types), static_cast<uint32_t>(known.size())).first->second);
  }
  out.count = std::max<size_t>(known.size(), 1);
  return out;
}

// Everything about the main type.
class main_walk final : public walk {
 public:
  // `shown`: queues whose curves are kept.
  main_walk(const timeline &of, const run_curves &axis, uint32_t type, std::vector<typical_ask> typical,
            std::vector<uint32_t> shown)
      : walk(of, axis),
        type_(type),
        typical_(std::move(typical)),
        shown_(std::move(shown)),
        room_(of.names->types().size(), type),
        types_(of.names->types().size()),
        kinds_(kinds_of(*of.names)),
        tree_(of.names->queues(), of.names->config(), of.names->types(), kinds_.count),
        capacity_(types_),
        used_levels_(of.names->queues().size() * types_),
        wanted_levels_(used_levels_.size() * kinds_.count),
        used_(used_levels_.size()),
        wanted_(wanted_levels_.size()),
        satisfied_(of.names->queues().size()) {
    for (const uint32_t queue : shown_) {
      const std::string &name = of.names->queues()[queue];
      queues.push_back({name.empty() ? "(no queue)" : name, {}, 0, {}});
    }
  }

  std::vector<queue_curves> queues;  // as shown
  curve used_by_others, waiting, fairness, scattered, stranded, preempted;

 private:
  void take(double at, const change &c) override {
    const indexed_amounts &amounts = amounts_of(c);
    const int64_t sign = sign_of(c);
    if (is_node(c)) {
      for (const auto &[type, amount] : amounts) capacity_[type].add(at, static_cast<double>(sign * amount));
      room_.change_capacity(c.node, amounts, sign);
      return;
    }
    if (c.preempted) {
      ++gave_way_;
      const auto found = std::find(shown_.begin(), shown_.end(), c.queue);
      if (found != shown_.end()) ++queues[static_cast<size_t>(found - shown_.begin())].preempted;
    }
    // What is placed was wanted before; what ran already was not.
    const bool asks = !is_use(c), placed = c.kind == change::what::placed;
    for (const auto &[type, amount] : amounts) {
      const double by = static_cast<double>(sign * amount) * c.count;
      if (!asks) used_levels_[c.queue * types_ + type].add(at, by);
      if (!placed) wanted_levels_[(c.queue * kinds_.count + kinds_.of_shape[c.shape]) * types_ + type].add(at, by);
    }
    if (asks) waiting_.add(at, static_cast<double>(sign * c.count));
    if (placed) waiting_.add(at, -1);
    if (!asks) room_.change_use(c.node, amounts, sign);
  }

  void close(double end) override {
    std::vector<double> capacity;
    for (level &l : capacity_) capacity.push_back(l.close(end, width_));
    double used_now = 0;
    std::vector<double> all(types_, 0);  // wanted and not used
    for (size_t i = 0; i < used_.size(); ++i) {
      used_[i] = used_levels_[i].close(end, width_);
      all[i % types_] -= used_[i];
      if (i % types_ == type_) used_now += used_[i];
    }
    for (size_t i = 0; i < wanted_.size(); ++i) {
      wanted_[i] = wanted_levels_[i].close(end, width_);
      all[i % types_] += wanted_[i];
    }
    bool waits_now = false;  // rounding leaves a trace of what was wanted for an instant only
    for (size_t type = 0; type < types_; ++type) waits_now |= all[type] > 1e-6 * std::max(capacity[type], 1.0);
    if (by_time_) tree_.divide(capacity, used_, wanted_, satisfied_);
    double shown_use = 0;
    for (size_t i = 0; i < shown_.size(); ++i) {
      const double used = used_[shown_[i] * types_ + type_];
      shown_use += used;
      queues[i].used.push_back(capacity[type_] > 0 ? used / capacity[type_] : 0);
      if (by_time_) queues[i].satisfied.push_back(satisfied_[shown_[i]]);
    }
    used_by_others.push_back(capacity[type_] > 0 ? std::max(used_now - shown_use, 0.0) / capacity[type_] : 0);
    waiting.push_back(std::max(waiting_.close(end, width_), 0.0));
    if (by_time_) fairness.push_back(waits_now ? jain_index(satisfied_) : std::nan(""));
    preempted.push_back(gave_way_);
    scattered.push_back(room_.scattered());
    stranded.push_back(typical_.empty() ? std::nan("") : room_.stranded(typical_));
  }

  uint32_t type_;
  std::vector<typical_ask> typical_;
  std::vector<uint32_t> shown_;
  free_capacity room_;
  size_t types_;
  ask_kinds kinds_;
  share_tree tree_;
  level waiting_;
  double gave_way_ = 0;
  std::vector<level> capacity_;       // by type
  std::vector<level> used_levels_;    // [queue][type]
  std::vector<level> wanted_levels_;  // [queue][kind][type]: used and asked for
  std::vector<double> used_, wanted_, satisfied_;
};

// The commonest asks that take something of the type.
std::vector<typical_ask> typical_of(const use_walk &use, const ledger &names, uint32_t type) {
  std::vector<uint32_t> shapes;
  for (uint32_t shape = 0; shape < names.shapes(); ++shape) {
    if (use.asks_of_shape()[shape] > 0 && amount_in(names.amounts_of(shape), type) > 0) shapes.push_back(shape);
  }
  std::stable_sort(shapes.begin(), shapes.end(),
                   [&](uint32_t a, uint32_t b) { return use.asks_of_shape()[a] > use.asks_of_shape()[b]; });
  shapes.resize(std::min(shapes.size(), typical_asks));
  double all = 0;
  for (const uint32_t shape : shapes) all += static_cast<double>(use.asks_of_shape()[shape]);
  std::vector<typical_ask> out;
  for (const uint32_t shape : shapes) {
    out.push_back({names.amounts_of(shape), static_cast<double>(use.asks_of_shape()[shape]) / all});
  }
  return out;
}

// Queues by what they used of the type over time, those that used most first.
std::vector<uint32_t> by_use(const timeline &of, uint32_t type) {
  std::vector<double> used(of.names->queues().size()), area(used.size()), placed(used.size());
  std::vector<int64_t> since(used.size(), of.first_ms);
  const auto count = [&](uint32_t queue, int64_t now_ms) {
    area[queue] += used[queue] * static_cast<double>(now_ms - since[queue]);
    since[queue] = now_ms;
  };
  for (const change &c : of.changes) {
    if (!is_use(c)) continue;
    const auto amount = static_cast<double>(sign_of(c) * amount_in(of.names->amounts_of(c.shape), type));
    count(c.queue, c.at_ms);
    used[c.queue] += amount;
    placed[c.queue] += std::max(amount, 0.0);
  }
  std::vector<uint32_t> out;
  for (uint32_t queue = 0; queue < used.size(); ++queue) {
    count(queue, of.last_ms);
    if (placed[queue] > 0) out.push_back(queue);
  }
  // Where no time passed, what was placed decides.
  std::stable_sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(area[a], placed[a]) > std::pair(area[b], placed[b]);
  });
  return out;
}

}  // namespace

run_curves make_curves(const timeline &of, size_t intervals, size_t queues) {
  run_curves out;
  const ledger &names = *of.names;
  out.span = static_cast<double>(of.last_ms - of.first_ms) / 1000.0;
  if (out.span <= 0) {
    out.by_time = false;
    out.span = static_cast<double>(std::count_if(of.changes.begin(), of.changes.end(), [](const change &c) {
      return c.kind == change::what::placed || c.kind == change::what::found;
    }));
  }
  if (out.span <= 0) return out;  // nothing happened
  out.intervals = out.by_time ? intervals : std::min(intervals, static_cast<size_t>(out.span));

  use_walk use(of, out);
  use.run(out.intervals);
  double most = -1;
  uint32_t main = 0;
  for (uint32_t type = 0; type < use.types().size(); ++type) {
    const auto &t = use.types()[type];
    if (t.averages.empty() || (t.capacity <= 0 && t.used <= 0)) continue;
    out.use.push_back({names.types()[type], t.averages});
    const double average = average_of_curve(t.averages);
    if (average <= most) continue;
    most = average;
    main = type;
  }
  std::sort(out.use.begin(), out.use.end(), [](const named_curve &a, const named_curve &b) { return a.name < b.name; });
  if (out.use.empty()) return out;
  out.main_type = names.types()[main];

  std::vector<uint32_t> shown = by_use(of, main);
  out.others = shown.size() - std::min(shown.size(), queues);
  shown.resize(shown.size() - out.others);
  main_walk all(of, out, main, typical_of(use, names, main), std::move(shown));
  all.run(out.intervals);
  out.queues = std::move(all.queues);
  out.used_by_others = std::move(all.used_by_others);
  out.waiting = std::move(all.waiting);
  out.fairness = std::move(all.fairness);
  out.scattered = std::move(all.scattered);
  out.stranded = std::move(all.stranded);
  out.preempted = std::move(all.preempted);
  out.average_fairness = average_of_curve(out.fairness);
  out.average_scattered = average_of_curve(out.scattered);
  out.average_stranded = average_of_curve(out.stranded);
  return out;
}

}  // namespace tenon::cli
