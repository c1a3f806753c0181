// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/fair_share.hpp"

#include <algorithm>
#include <cmath>

namespace tenon::cli {
namespace {

const queue_config *child_config(const queue_config *parent, std::string_view name) {
  if (parent == nullptr) return nullptr;
  const auto found = std::find_if(parent->queues.begin(), parent->queues.end(),
                                  [&](const queue_config &queue) { return queue.name == name; });
  return found == parent->queues.end() ? nullptr : &*found;
}

// By type index; -1 where there is none. All zero counts as not set.
std::vector<double> by_type(const amount_map &amounts, const name_list &types) {
  std::vector<double> out(types.size(), -1);
  const bool set = std::any_of(amounts.begin(), amounts.end(), [](const auto &amount) { return amount.second > 0; });
  for (uint32_t type = 0; set && type < types.size(); ++type) {
    const auto found = amounts.find(types[type]);
    if (found != amounts.end()) out[type] = static_cast<double>(found->second);
  }
  return out;
}

}  // namespace

share_tree::share_tree(const name_list &queues, const cluster_config *config, const name_list &types, size_t kinds)
    : types_(types.size()), kinds_(kinds) {
  branches_.emplace_back();
  // Partitions of one resource manager are added up; the configuration of the first one speaks for them.
  const queue_config *root =
      config == nullptr || config->partitions.empty() ? nullptr : &config->partitions.front().root;
  for (uint32_t queue = 0; queue < queues.size(); ++queue) {
    std::string_view rest = queues[queue];
    size_t at = 0;
    const queue_config *known = nullptr;
    while (!rest.empty()) {
      const size_t dot = std::min(rest.find('.'), rest.size());
      const std::string_view name = rest.substr(0, dot);
      known = at == 0 ? root : child_config(known, name);
      at = child_of(at, name, known, types);
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    if (at == 0) at = child_of(0, "", nullptr, types);  // of no queue
    branches_[at].queue = queue;
    for (size_t kind = 0; kind < kinds_; ++kind) {
      branches_[at].children.push_back(branches_.size());
      branches_.emplace_back();
      branches_.back().kind = static_cast<int64_t>(queue * kinds_ + kind);
    }
  }
  for (branch &b : branches_) {
    b.wanted.resize(types_);
    b.granted.resize(types_);
    b.measure.resize(types_);
    if (!b.guaranteed.empty()) continue;
    b.guaranteed.assign(types_, -1);
    b.max.assign(types_, -1);
  }
}

size_t share_tree::child_of(size_t parent, std::string_view name, const queue_config *config, const name_list &types) {
  for (const size_t child : branches_[parent].children) {
    if (branches_[child].name == name) return child;
  }
  branch fresh;
  fresh.name = name;
  if (config != nullptr && parent != 0) {
    fresh.guaranteed = by_type(config->guaranteed, types);
    fresh.max = by_type(config->max, types);
  }
  branches_.push_back(std::move(fresh));
  branches_[parent].children.push_back(branches_.size() - 1);
  return branches_.size() - 1;
}

double share_tree::share_of(const branch &b, std::span<const double> amounts) const {
  double share = 0;
  for (size_t type = 0; type < types_; ++type) {
    if (b.measure[type] > 0) share = std::max(share, amounts[type] / b.measure[type]);
  }
  return share;
}

void share_tree::gather(size_t at, std::span<const double> wanted) {
  std::vector<double> sum(types_, 0);
  if (branches_[at].kind >= 0) {
    const auto own = wanted.subspan(static_cast<size_t>(branches_[at].kind) * types_, types_);
    std::copy(own.begin(), own.end(), sum.begin());
  }
  for (const size_t child : branches_[at].children) {
    gather(child, wanted);
    for (size_t type = 0; type < types_; ++type) sum[type] += branches_[child].wanted[type];
  }
  branches_[at].wanted = std::move(sum);
}

// What shares are measured against; `capacity` is the measure of those above where they have no guarantee.
void share_tree::measure(size_t at, std::span<const double> capacity) {
  branch &b = branches_[at];
  std::vector<double> most(capacity.begin(), capacity.end());
  b.most_part = 1;
  for (size_t type = 0; type < types_; ++type) {
    if (b.max[type] >= 0) {
      most[type] = b.max[type];
      if (b.wanted[type] > b.max[type]) b.most_part = std::min(b.most_part, b.max[type] / b.wanted[type]);
    }
    b.measure[type] = b.guaranteed[type] > 0 ? b.guaranteed[type] : most[type];
  }
  b.full_share = share_of(b, b.wanted);
  for (const size_t child : branches_[at].children) measure(child, most);
}

void share_tree::share_out(size_t at) {
  std::vector<double> left = branches_[at].granted;
  std::vector<size_t> growing;
  for (const size_t child : branches_[at].children) {
    branches_[child].stop = 0;
    if (branches_[child].full_share > 0) growing.push_back(child);
  }
  // The share at which a child has all that it wants and may have.
  const auto content = [&](size_t child) { return branches_[child].full_share * branches_[child].most_part; };
  std::sort(growing.begin(), growing.end(),
            [&](size_t a, size_t b) { return std::pair(content(a), a) > std::pair(content(b), b); });
  // Each child grows by wanted / full_share for each unit of the share that all have in common.
  std::vector<double> rate(types_, 0);
  std::vector<double> used_up(types_, INFINITY);  // the share at which a resource is
  const auto add_rate = [&](size_t child, double sign) {
    const branch &b = branches_[child];
    for (size_t type = 0; type < types_; ++type) {
      if (used_up[type] == INFINITY) rate[type] += sign * b.wanted[type] / b.full_share;
    }
  };
  for (const size_t child : growing) add_rate(child, 1);
  double share = 0;
  while (!growing.empty()) {
    double next = content(growing.back());
    size_t scarce = types_;
    for (size_t type = 0; type < types_; ++type) {
      if (rate[type] <= 0 || share + left[type] / rate[type] >= next) continue;
      next = share + left[type] / rate[type];
      scarce = type;
    }
    for (size_t type = 0; type < types_; ++type) left[type] = std::max(left[type] - rate[type] * (next - share), 0.0);
    share = next;
    if (scarce == types_) {
      branches_[growing.back()].stop = share;
      add_rate(growing.back(), -1);
      growing.pop_back();
      continue;
    }
    // Nobody has a use for a part of what an ask needs; a queue may have asks that need none of it.
    std::erase_if(growing, [&](size_t child) {
      branch &b = branches_[child];
      if (b.kind < 0 || b.wanted[scarce] <= 0) return false;
      b.stop = share;
      add_rate(child, -1);
      return true;
    });
    used_up[scarce] = share;
    rate[scarce] = 0;
  }
  for (const size_t child : branches_[at].children) {
    branch &b = branches_[child];
    for (size_t type = 0; type < types_; ++type) {
      b.granted[type] = b.full_share > 0 ? b.wanted[type] * std::min(b.stop, used_up[type]) / b.full_share : 0;
    }
    share_out(child);
  }
}

void share_tree::divide(std::span<const double> capacity, std::span<const double> used, std::span<const double> wanted,
                        std::span<double> satisfied) {
  gather(0, wanted);
  branch &top = branches_[0];
  std::copy(capacity.begin(), capacity.end(), top.granted.begin());
  measure(0, capacity);
  share_out(0);
  for (const branch &b : branches_) {
    if (b.queue < 0) continue;
    const auto queue = static_cast<size_t>(b.queue);
    std::vector<double> fair(types_, 0);
    for (const size_t child : b.children) {
      for (size_t type = 0; type < types_; ++type) fair[type] += branches_[child].granted[type];
    }
    const double share = share_of(b, fair);
    satisfied[queue] = share > 0 ? share_of(b, used.subspan(queue * types_, types_)) / share : std::nan("");
  }
}

double jain_index(std::span<const double> satisfied) {
  double sum = 0, squares = 0, count = 0;
  for (const double part : satisfied) {
    if (std::isnan(part)) continue;
    sum += part;
    squares += part * part;
    ++count;
  }
  return squares > 0 ? sum * sum / (count * squares) : 1;
}

}  // namespace tenon::cli
