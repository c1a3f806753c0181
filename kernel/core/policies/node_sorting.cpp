// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/node_sorting.hpp"

#include <algorithm>
#include <charconv>

namespace tenon::internal {

std::string node_sort_json(const node_sort_config &c) {
  if (c.resource_weights.empty()) return "{}";
  std::string out = "{\"resourceweights\":{";
  bool first = true;
  for (const auto &[type, weight] : c.resource_weights) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, weight);
    std::string quoted;
    for (const char ch : type) {
      if (ch == '"' || ch == '\\') quoted += '\\';
      quoted += ch;
    }
    out += (first ? "\"" : ",\"") + quoted + "\":" + std::string(digits, end.ptr);
    first = false;
  }
  return out + "}}";
}

void node_sorting::start(node_table &nodes) {
  order = std::make_unique<node_order>(nodes, *policy);
  scored_.clear();
  states_ = policy->scores() ? std::make_unique<node_states>(nodes, *policy) : nullptr;
}

node_sorting::score_order::score_order(node_table &nodes, node_sorting &by, const ask_class &c, const ask_facts &of,
                                       scored_order::contents which)
    : facts(of), order(nodes, *by.states_, *by.policy, c, facts, which) {
  if (!by.policy->counts_by.empty()) facts.counts = &counts;
}

node_sorting::score_order &node_sorting::scored_for(node_table &nodes, const ask_class &c, const application &app,
                                                    scored_order::contents which) {
  const bool counts = !policy->counts_by.empty();
  const scored_as as{c.id, which, counts ? app.submission : 0};
  auto found = scored_.find(as);
  if (found == scored_.end()) {
    while (scored_.size() >= most_orders()) forget_oldest();
    static const score_facts nothing;
    const score_facts &read = c.scored != nullptr ? *c.scored : nothing;
    const ask_facts facts{c.need, read.priority, read.tags, &c.devices};
    found = scored_.emplace(as, std::make_unique<score_order>(nodes, *this, c, facts, which)).first;
  }
  found->second->wanted = ++wanted_;
  return *found->second;
}

size_t node_sorting::most_orders() const {
  const size_t most = policy->counts_by.empty() ? orders_of_classes : orders_of_applications;
  const size_t one = std::max<size_t>(1, states_->count() * scored_order::bytes_of_state(policy->key_words()));
  return std::min(most, std::max(fewest_orders, memory / one));
}

void node_sorting::forget_oldest() {
  scored_.erase(std::min_element(scored_.begin(), scored_.end(),
                                 [](const auto &a, const auto &b) { return a.second->wanted < b.second->wanted; }));
}

void node_sortings::start(node_sorting &by) {
  if (by.policy->reads_shapes) shapes.follow(by.policy->shape_keys);
  by.start(nodes);
}

void node_sortings::begin_generation() {
  shapes.begin_generation(nodes);
  for_each([](node_sorting &by) {
    if (by.policy->reads_shapes) by.keys_changed();
  });
}

}  // namespace tenon::internal
