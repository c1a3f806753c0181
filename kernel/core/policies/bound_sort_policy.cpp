// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/bound_sort_policy.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "model/decayed_usage.hpp"
#include "tenon/abi/module.h"

namespace tenon::internal {
namespace {

bool read_seconds(column_binding &column) {
  const char *end = column.argument.data() + column.argument.size();
  const auto [stopped, error] = std::from_chars(column.argument.data(), end, column.number);
  return error == std::errc{} && stopped == end && column.number >= 1 && column.number <= 31'536'000;
}

}  // namespace

result<column_binding> resolve_column(module_kind kind, const column_request &request) {
  if (request.scope == scope_unwatched && (kind == module_kind::queue_sort || kind == module_kind::app_sort)) {
    if (request.id == item_name_column) return column_binding{column_source::item_name, request.scope, {}};
    if (request.id == parent_name_column) return column_binding{column_source::parent_name, request.scope, {}};
  }
  const column_entry *entry = find_column(bit_of(kind), request.id);
  if (entry == nullptr) {
    std::string known;
    for (const column_entry &one : known_columns) {
      if ((one.readers & bit_of(kind)) != 0) known += (known.empty() ? "" : ", ") + std::string(one.id);
    }
    return refusal{"column " + request.id, "one of: " + known, "a column that this kernel does not have",
                   "declare another column, or use a newer host"};
  }
  if (request.scope == scope_unwatched && !can_be_unwatched(*entry)) {
    return refusal{"column " + request.id, "a column of which the kernel keeps nothing for its reader",
                   "an unwatched one", "declare it in a scope"};
  }
  column_binding bound{entry->source, request.scope,
                       entry->takes_argument() ? request.id.substr(entry->id.size()) : std::string{}};
  if (entry->change == column::decayed && !read_seconds(bound)) {
    return refusal{"column " + request.id, "a half-life in whole seconds, 1 to 31536000, after the colon",
                   bound.argument, "declare it with such a number"};
  }
  return bound;
}

namespace {

// Where it is in the list.
uint32_t add_once(auto &list, const auto &value) {
  const auto at = static_cast<uint32_t>(std::find(list.begin(), list.end(), value) - list.begin());
  if (at == list.size()) list.push_back(value);
  return at;
}

void note_ask_columns(sort_policy &policy) {
  for (column_binding &c : policy.columns) {
    if (!c.is_watched()) continue;
    if (c.source == column_source::app_count_by) c.number = add_once(policy.counts_by, c.argument);
    policy.reads_ask_priority |= c.source == column_source::ask_priority;
    policy.reads_ask_tags |= c.source == column_source::ask_tags;
    if (c.source == column_source::ask_tag) policy.ask_tags.push_back(c.argument);
  }
}

std::optional<refusal> note_chosen_type(sort_policy &policy) {
  for (const column_binding &c : policy.columns) {
    if (c.source != column_source::score_devices || !c.is_watched()) continue;
    const bool one = policy.chosen_type.empty();
    policy.chosen_type = c.argument;
    if (one && policy.scores() && policy.key_words() > 1) continue;
    return refusal{"column score.devices:" + c.argument, "one type, a score, and a key word beside the one for devices",
                   !one               ? "another such column"
                   : !policy.scores() ? "a policy without score"
                                      : "one key word",
                   "declare it once, in a policy with score and at least two key words"};
  }
  return std::nullopt;
}

void note_shapes(sort_policy &policy) {
  for (const column_binding &c : policy.columns) {
    if (!c.is_watched() || entry_of(c.source).change != column::shapes) continue;
    policy.reads_shapes = true;
    if (!c.argument.empty()) add_once(policy.shape_keys, c.argument);
  }
}

void note_periods(sort_policy &policy) {
  if (policy.rekey_ms() != 0) policy.periods.push_back({policy.rekey_ms(), INT64_MIN});
  for (const column_binding &c : policy.columns) {
    if (c.is_watched() && entry_of(c.source).change == column::decayed) add_once(policy.half_lives, c.number);
  }
  for (const uint32_t seconds : policy.half_lives) {
    policy.periods.push_back({decayed_usage::step_ms(seconds), INT64_MIN});
  }
}

}  // namespace

int64_t sort_policy::period_end(int64_t now_ms) const {
  int64_t end = INT64_MAX;
  for (const period &p : periods) end = std::min(end, add_saturating(now_ms - now_ms % p.length_ms, p.length_ms));
  return end;
}

bool sort_policy::begin_periods(int64_t now_ms) {
  bool begun = false;
  for (period &p : periods) {
    const int64_t from = now_ms - now_ms % p.length_ms;
    begun |= std::exchange(p.begun_ms, from) != from;
  }
  return begun;
}

result<std::unique_ptr<sort_policy>> wrap_sort_policy(module_kind kind, std::unique_ptr<bound_policy> bound) {
  auto policy = std::make_unique<sort_policy>();
  if (bound->sort == nullptr || bound->sort->keys == nullptr || bound->key_words == 0 ||
      bound->key_words > TENON_MAX_KEY_WORDS) {
    return refusal{"policy " + bound->name, "a sort table with keys and 1 to 72 key words",
                   "key_words " + std::to_string(bound->key_words), "correct the module's description"};
  }
  for (const column_request &request : bound->columns) {
    auto column = resolve_column(kind, request);
    if (!column) return column.why();
    const uint32_t change = column->is_watched() ? entry_of(column->source).change : 0;
    policy->reads_starts |= (change & column::starts) != 0;
    if (request.scope == TENON_SCOPE_ITEM) policy->item_mask |= change;
    if (request.scope == TENON_SCOPE_SIBLINGS) policy->sibling_mask |= change;
    if (request.scope == TENON_SCOPE_CONTEXT) policy->context_mask |= change;
    policy->columns.push_back(std::move(*column));
  }
  policy->kind = kind;
  policy->bound = std::move(bound);
  if (auto why = note_chosen_type(*policy)) return *why;
  if (policy->scores()) note_ask_columns(*policy);
  note_shapes(*policy);
  note_periods(*policy);
  (policy->sibling_mask != 0 ? policy->sibling_mask : policy->item_mask) |= column::time;
  return policy;
}

}  // namespace tenon::internal
