// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "explain/policy_inquiry.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "model/ask_class.hpp"
#include "rules/node_verdicts.hpp"

namespace tenon::internal {
namespace {

constexpr uint64_t most_listed = 16;  // values of one column of an item

// Values with commas between, the first of them.
template <class Value>
std::string listed(uint64_t count, Value &&value) {
  std::string out;
  for (uint64_t i = 0; i < std::min(count, most_listed); ++i) out += (i == 0 ? "" : ", ") + value(i);
  if (count > most_listed) out += ", ... " + std::to_string(count) + " in all";
  return out.empty() ? "none" : out;
}

std::string words_of(const tenon_text &text) {
  return text.data == nullptr ? "none" : std::string(text.data, text.length);
}

std::string in_digits(uint64_t word) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, word, 16);
  return std::string(digits, end.ptr);
}

std::string amounts_of(const tenon_column &c, uint32_t item, std::span<const tenon_text> types) {
  const auto at = [&](const void *base, uint64_t offset) { return static_cast<const char *>(base) + offset; };
  uint64_t present = ~uint64_t{0};
  if (c.present != nullptr) present = *reinterpret_cast<const uint64_t *>(at(c.present, item * c.present_stride));
  std::vector<std::string> all;
  for (size_t t = 0; t < types.size(); ++t) {
    if ((present >> t & 1U) == 0) continue;
    const auto *amount = reinterpret_cast<const int64_t *>(at(c.base, item * c.item_stride + t * c.type_stride));
    all.push_back(words_of(types[t]) + ' ' + std::to_string(*amount));
  }
  return listed(all.size(), [&](uint64_t i) { return all[i]; });
}

// A value as the policy sees it.
std::string value_in(const tenon_column &c, uint32_t item, std::span<const tenon_text> types) {
  if (c.base == nullptr) return "none";
  const void *value = static_cast<const char *>(c.base) + item * c.item_stride;
  switch (c.kind) {
    case TENON_COLUMN_I64:
      return std::to_string(*static_cast<const int64_t *>(value));
    case TENON_COLUMN_RESOURCES:
      return amounts_of(c, item, types);
    case TENON_COLUMN_TEXT:
      return words_of(*static_cast<const tenon_text *>(value));
    case TENON_COLUMN_TEXT_MAP: {
      const auto &map = *static_cast<const tenon_text_map *>(value);
      return listed(map.count, [&](uint64_t i) { return words_of(map.keys[i]) + '=' + words_of(map.values[i]); });
    }
    case TENON_COLUMN_WORDS:
      return listed(4, [&](uint64_t i) { return in_digits(static_cast<const uint64_t *>(value)[i]); });
    case TENON_COLUMN_NUMBERS: {
      const auto &list = *static_cast<const tenon_numbers *>(value);
      return listed(list.count, [&](uint64_t i) { return std::to_string(list.values[i]); });
    }
    case TENON_COLUMN_TEXTS: {
      const auto &list = *static_cast<const tenon_texts *>(value);
      return listed(list.count, [&](uint64_t i) { return words_of(list.values[i]); });
    }
    default:
      return "none";
  }
}

// Those of the call that was made last.
void add_columns(policy_answer &to, const bound_policy &policy, const call_context &last, uint32_t item) {
  const tenon_batch batch = last.batches.batch(last.types, last.now_ms, nullptr, 0);
  for (uint32_t i = 0; i < batch.column_count && i < policy.columns.size(); ++i)
    to.columns.emplace_back(policy.columns[i].id, value_in(batch.columns[i], item, last.types));
}

// By attribute that the policy counts by and group of nodes, as it is told them with scores.
std::vector<std::vector<int64_t>> counts_for(const application &app, const sort_policy &policy, node_table &nodes) {
  std::vector<std::vector<int64_t>> out;
  for (const std::string &attribute : policy.counts_by) {
    const node_table::grouping &same = nodes.groups_by(attribute);
    std::vector<int64_t> &counts = out.emplace_back(same.count());
    for (const allocation *a : app.allocations) ++counts[same.of[a->where->slot]];
  }
  return out;
}

std::string name_of(const ask &a) { return a.owner->id + '/' + std::string(a.key.view()); }

}  // namespace

policy_answer *policy_inquiry::add(module_kind kind, const bound_policy &by, std::string_view among,
                                   std::string_view item, const std::string &of_ask) {
  const bool known = std::any_of(out_.begin(), out_.end(), [&](const policy_answer &one) {
    return one.kind == kind && one.policy == by.name && one.among == among && one.item == item && one.ask == of_ask;
  });
  if (known) return nullptr;
  policy_answer &out = out_.emplace_back();
  out.kind = kind;
  out.policy = by.name;
  out.among = among;
  out.item = item;
  out.ask = of_ask;
  return &out;
}

void policy_inquiry::add_key(policy_answer &to, const sort_policy &policy, bool ok, const key_batch &keys,
                             size_t at) const {
  to.failed = !ok;
  if (!ok) return;
  const auto words = keys.words.begin() + static_cast<ptrdiff_t>(at * policy.key_words());
  to.key.assign(words, words + policy.order_words());
  if (policy.kind != module_kind::node_sort && keys.not_before_ms[at] > contexts.now().now_ms)
    to.not_before_ms = keys.not_before_ms[at];
}

// From the root down; the policy sees all siblings, as it may read them.
void policy_inquiry::order_queues(queue &q) {
  if (q.parent == nullptr) return;
  order_queues(*q.parent);
  sort_policy &policy = *q.parent->order;
  policy_answer *out = add(module_kind::queue_sort, *policy.bound, q.parent->path, q.path);
  if (out == nullptr) return;
  std::vector<queue *> items;
  for (const auto &child : q.parent->children) items.push_back(child.get());
  const auto at = static_cast<size_t>(std::find(items.begin(), items.end(), &q) - items.begin());
  key_batch keys;
  const bool ok = queue_keys(policy, contexts.now(), *q.parent, items, keys);
  add_key(*out, policy, ok, keys, at);
  add_columns(*out, *policy.bound, contexts.now(), static_cast<uint32_t>(at));
}

void policy_inquiry::order_applications(application &app) {
  const queue &leaf = *app.home;
  sort_policy &policy = *leaf.order;
  policy_answer *out = add(module_kind::app_sort, *policy.bound, leaf.path, app.id);
  if (out == nullptr) return;
  const std::vector<application *> items(leaf.apps.begin(), leaf.apps.end());
  const auto at = static_cast<size_t>(std::find(items.begin(), items.end(), &app) - items.begin());
  key_batch keys;
  const bool ok = app_keys(policy, contexts.now(), leaf, items, keys);
  add_key(*out, policy, ok, keys, at);
  add_columns(*out, *policy.bound, contexts.now(), static_cast<uint32_t>(at));
}

// For an ask that requires a node nobody is asked.
void policy_inquiry::order_nodes(const ask &a, std::span<const uint32_t> slots) {
  const ask_class &c = classes[a.class_id];
  if (c.requires_a_node() || slots.empty()) return;
  sort_policy &policy = *sortings.of(*a.owner).policy;
  key_batch keys;
  bool ok = false;
  if (policy.scores()) {
    static const score_facts nothing;
    const score_facts &read = c.scored != nullptr ? *c.scored : nothing;
    const auto counts = counts_for(*a.owner, policy, nodes);
    ask_facts facts{c.need, read.priority, read.tags, &c.devices};
    if (!policy.counts_by.empty()) facts.counts = &counts;
    ok = node_scores(policy, contexts.now(), nodes, facts, slots, keys);
  } else {
    ok = node_keys(policy, contexts.now(), nodes, slots, keys);
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    policy_answer *out = add(module_kind::node_sort, *policy.bound, policy.canary ? "canary" : "",
                             nodes.at(slots[i])->id, policy.scores() ? name_of(a) : std::string());
    if (out == nullptr) continue;
    add_key(*out, policy, ok, keys, i);
    add_columns(*out, *policy.bound, contexts.now(), slots[i]);
  }
}

// Each of all the nodes, also where another one refused a node.
void policy_inquiry::judge_nodes(const ask &a, std::span<const uint32_t> slots) {
  if (slots.empty()) return;
  const ask_facts facts{classes[a.class_id].need, a.priority, a.tags()};
  std::vector<const node_predicate *> asked;
  for (const node_predicate &one : verdicts.predicates()) asked.push_back(&one);
  const node_predicate *of_canary = a.owner->in_canary ? verdicts.of_canary() : nullptr;
  if (of_canary != nullptr) asked.push_back(of_canary);
  for (const node_predicate *one : asked) {
    node_predicate by = std::move(*wrap_predicate(std::make_unique<bound_policy>(*one->bound)));
    std::vector<uint8_t> said(slots.size(), TENON_FAIL);
    std::vector<uint16_t> reasons(slots.size());
    const bool ok = filter_nodes(by, contexts.now(), nodes, facts, slots, said.data(), reasons.data());
    for (size_t i = 0; i < slots.size(); ++i) {
      policy_answer *out =
          add(module_kind::predicate, *by.bound, one == of_canary ? "canary" : "", nodes.at(slots[i])->id, name_of(a));
      if (out == nullptr) continue;
      out->failed = !ok;
      if (ok) {
        out->verdict = said[i] == TENON_PASS ? "pass" : said[i] == TENON_FAIL ? "fail" : "unresolvable";
        const bool known = said[i] != TENON_PASS && reasons[i] != 0 && reasons[i] <= by.bound->reasons.size();
        if (known) out->reason = by.bound->reasons[reasons[i] - 1];
      }
      add_columns(*out, *by.bound, contexts.now(), slots[i]);
    }
  }
}

std::vector<policy_answer> policy_inquiry::answers(const policy_question &about) && {
  std::vector<application *> apps;
  std::vector<const ask *> asks;
  for (const auto &[id, key] : about.asks) {
    application *app = applications.find_application(id);
    if (app == nullptr) continue;
    if (std::find(apps.begin(), apps.end(), app) == apps.end()) apps.push_back(app);
    if (const ask *a = app->asks.find(std::string_view(key))) asks.push_back(a);
  }
  std::vector<uint32_t> slots;
  for (const std::string &id : about.nodes) {
    if (const node *n = nodes.find(id)) slots.push_back(n->slot);
  }
  for (const application *app : apps) order_queues(*app->home);
  for (application *app : apps) order_applications(*app);
  for (const ask *a : asks) order_nodes(*a, slots);
  for (const ask *a : asks) judge_nodes(*a, slots);
  return std::move(out_);
}

}  // namespace tenon::internal
