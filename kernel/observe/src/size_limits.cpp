// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "size_limits.hpp"

#include <algorithm>
#include <cstdint>

#include "tenon/config/amounts.hpp"

namespace tenon::observe {
namespace {

int64_t amount_of(const amount_map &amounts, const std::string &type) {
  const auto found = amounts.find(type);
  return found == amounts.end() ? 0 : found->second;
}

bool has_all(const amount_map &whole, const amount_map &asked) {
  return std::all_of(asked.begin(), asked.end(),
                     [&](const auto &one) { return amount_of(whole, one.first) >= one.second; });
}

std::string asks(const std::string &type, int64_t asked) {
  return "asks " + config::amount_text(type, asked) + " of " + type + ", ";
}

}  // namespace

size_limits::size_limits(const partition_snapshot &p) {
  for (const node_snapshot &n : p.nodes) add(n.capacity);
  for (const queue_snapshot &q : p.queues)
    if (q.max) max_of_[q.path] = &*q.max;
}

never_runs size_limits::excess(const amount_map &asked, const std::string &queue) {
  if (!fits_a_node(asked)) return above_nodes(asked);
  return above_max(asked, queue);
}

void size_limits::add(const amount_map &capacity) {
  if (std::any_of(largest_.begin(), largest_.end(), [&](const amount_map *one) { return has_all(*one, capacity); }))
    return;
  std::erase_if(largest_, [&](const amount_map *one) { return has_all(capacity, *one); });
  largest_.push_back(&capacity);
}

bool size_limits::fits_a_node(const amount_map &asked) {
  const auto [known, fresh] = fits_.try_emplace(asked, false);
  if (fresh)
    known->second = largest_.empty() || std::any_of(largest_.begin(), largest_.end(),
                                                    [&](const amount_map *one) { return has_all(*one, asked); });
  return known->second;
}

never_runs size_limits::above_nodes(const amount_map &asked) const {
  for (const auto &[type, wanted] : asked) {
    int64_t most = 0;
    for (const amount_map *one : largest_) most = std::max(most, amount_of(*one, type));
    if (most >= wanted) continue;
    const std::string node = "add a node that has " + config::amount_text(type, wanted) + " of " + type;
    if (most == 0) return {asks(type, wanted) + "no node has any", node + ", or leave " + type + " out of the ask"};
    const std::string limit = config::amount_text(type, most);
    return {asks(type, wanted) + "the largest node has " + limit,
            "ask for at most " + limit + " of " + type + ", or " + node};
  }
  return {"no node has all of what it asks for", "ask for less of one type, or add a node that has all of it"};
}

never_runs size_limits::above_max(const amount_map &asked, const std::string &queue) const {
  for (size_t end = queue.find('.');; end = queue.find('.', end + 1)) {
    if (const auto found = max_of_.find(queue.substr(0, end)); found != max_of_.end()) {
      for (const auto &[type, most] : *found->second) {
        const int64_t wanted = amount_of(asked, type);
        if (wanted <= most) continue;
        const std::string limit = config::amount_text(type, most);
        return {asks(type, wanted) + "the max of queue " + found->first + " is " + limit,
                "ask for at most " + limit + " of " + type + ", use another queue, or raise max " + type +
                    " of queue " + found->first + " to " + config::amount_text(type, wanted)};
      }
    }
    if (end == std::string::npos) return {};
  }
}

}  // namespace tenon::observe
