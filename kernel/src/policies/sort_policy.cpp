// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/sort_policy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "model/decayed_usage.hpp"
#include "tenon/abi/module.h"

namespace tenon::internal {
namespace {

struct source_entry {
  std::string_view id;  // up to and including ':' where the column takes an argument
  column_source source;
  uint32_t change;
  uint32_t kinds;  // of policies that may read it
};

constexpr uint32_t by_queue = 1U << static_cast<unsigned>(policy_kind::queue_sort);
constexpr uint32_t by_app = 1U << static_cast<unsigned>(policy_kind::app_sort);
constexpr uint32_t by_node = 1U << static_cast<unsigned>(policy_kind::node_sort);
constexpr uint32_t by_predicate = 1U << static_cast<unsigned>(policy_kind::predicate);

constexpr std::array sources{
    source_entry{"queue.allocated", column_source::queue_allocated, column::allocated, by_queue | by_app},
    source_entry{"queue.pending", column_source::queue_pending, column::pending, by_queue},
    source_entry{"queue.guaranteed", column_source::queue_guaranteed, column::limits, by_queue | by_app},
    source_entry{"queue.max", column_source::queue_max, column::limits, by_queue | by_app},
    source_entry{"queue.fair_max", column_source::queue_fair_max, column::limits, by_queue},
    source_entry{"queue.priority", column_source::queue_priority, column::priority, by_queue},
    source_entry{"queue.decayed:", column_source::queue_decayed, column::decayed, by_queue},
    source_entry{"queue.property:", column_source::queue_property, column::limits, by_queue},
    source_entry{"queue.properties", column_source::queue_properties, column::limits, by_queue},
    source_entry{"parent.priority_sort", column_source::parent_priority_sort, column::parent_sort, by_queue | by_app},
    source_entry{"item.prepared", column_source::item_prepared, column::fixed, by_queue | by_app},
    source_entry{"app.allocated", column_source::app_allocated, column::allocated, by_app},
    source_entry{"app.decayed:", column_source::app_decayed, column::decayed, by_app},
    source_entry{"app.count_by:", column_source::app_count_by, column::ask_context, by_node},
    source_entry{"app.placeholders", column_source::app_placeholders, column::placeholders, by_app},
    source_entry{"app.pending", column_source::app_pending, column::pending, by_app},
    source_entry{"app.submitted_ms", column_source::app_submitted, column::submitted, by_app},
    source_entry{"app.submission", column_source::app_submission, column::fixed, by_app},
    source_entry{"app.priority", column_source::app_priority, column::priority, by_app},
    source_entry{"app.state", column_source::app_state, column::state, by_app},
    source_entry{"app.user", column_source::app_user, column::fixed, by_app},
    source_entry{"app.tag:", column_source::app_tag, column::fixed, by_app},
    source_entry{"app.tags", column_source::app_tags, column::fixed, by_app},
    source_entry{"node.free", column_source::node_free, column::node_amounts, by_node | by_predicate},
    source_entry{"node.total", column_source::node_total, column::node_amounts, by_node | by_predicate},
    source_entry{"node.attr:", column_source::node_attr, column::node_attributes, by_node | by_predicate},
    source_entry{"node.attrs", column_source::node_attrs, column::node_attributes, by_node | by_predicate},
    source_entry{"node.schedulable", column_source::node_schedulable, column::node_amounts, by_node | by_predicate},
    source_entry{"node.devices:", column_source::node_devices, column::node_amounts, by_node | by_predicate},
    source_entry{"node.device_size:", column_source::node_device_size, column::node_attributes, by_node | by_predicate},
    source_entry{"ask.resources", column_source::ask_resources, column::ask_context, by_node | by_predicate},
    source_entry{"ask.priority", column_source::ask_priority, column::ask_context, by_node | by_predicate},
    source_entry{"ask.devices:", column_source::ask_devices, column::ask_context, by_node},
    source_entry{"ask.tag:", column_source::ask_tag, column::ask_context, by_node | by_predicate},
    source_entry{"ask.tags", column_source::ask_tags, column::ask_context, by_node | by_predicate},
};

bool read_seconds(column_binding &column) {
  const char *end = column.argument.data() + column.argument.size();
  const auto [stopped, error] = std::from_chars(column.argument.data(), end, column.number);
  return error == std::errc{} && stopped == end && column.number >= 1 && column.number <= 31'536'000;
}

}  // namespace

uint32_t change_bit(column_source source) {
  for (const source_entry &entry : sources) {
    if (entry.source == source) return entry.change;
  }
  return 0;
}

result<column_binding> resolve_column(policy_kind kind, const column_request &request) {
  const uint32_t reader = 1U << static_cast<unsigned>(kind);
  for (const source_entry &entry : sources) {
    if ((entry.kinds & reader) == 0) continue;
    const bool takes_argument = entry.id.back() == ':';
    if (takes_argument ? request.id.starts_with(entry.id) && request.id.size() > entry.id.size()
                       : request.id == entry.id) {
      column_binding bound{entry.source, request.scope,
                           takes_argument ? request.id.substr(entry.id.size()) : std::string{}};
      if (entry.change == column::decayed && !read_seconds(bound)) {
        return refusal{"column " + request.id, "a half-life in whole seconds, 1 to 31536000, after the colon",
                       bound.argument, "declare it with such a number"};
      }
      return bound;
    }
  }
  std::string known;
  for (const source_entry &entry : sources) {
    if ((entry.kinds & reader) != 0) known += (known.empty() ? "" : ", ") + std::string(entry.id);
  }
  return refusal{"column " + request.id, "one of: " + known, "a column that this kernel does not have",
                 "declare another column, or use a newer host"};
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
    if (c.source == column_source::app_count_by) c.number = add_once(policy.counts_by, c.argument);
    policy.reads_ask_priority |= c.source == column_source::ask_priority;
    policy.reads_ask_tags |= c.source == column_source::ask_tags;
    if (c.source == column_source::ask_tag) policy.ask_tags.push_back(c.argument);
  }
}

void note_periods(sort_policy &policy) {
  if (policy.rekey_ms() != 0) policy.periods.push_back({policy.rekey_ms(), INT64_MIN});
  for (const column_binding &c : policy.columns) {
    if (change_bit(c.source) == column::decayed) add_once(policy.half_lives, c.number);
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

result<std::unique_ptr<sort_policy>> wrap_sort_policy(policy_kind kind, std::unique_ptr<bound_policy> bound) {
  auto policy = std::make_unique<sort_policy>();
  if (bound->sort == nullptr || bound->sort->keys == nullptr || bound->key_words == 0 ||
      bound->key_words > TENON_MAX_KEY_WORDS) {
    return refusal{"policy " + bound->name, "a sort table with keys and 1 to 72 key words",
                   "key_words " + std::to_string(bound->key_words), "correct the module's description"};
  }
  for (const column_request &request : bound->columns) {
    auto column = resolve_column(kind, request);
    if (!column) return column.why();
    const uint32_t change = change_bit(column->source);
    if (request.scope == TENON_SCOPE_ITEM) policy->item_mask |= change;
    if (request.scope == TENON_SCOPE_SIBLINGS) policy->sibling_mask |= change;
    if (request.scope == TENON_SCOPE_CONTEXT) policy->context_mask |= change;
    policy->columns.push_back(std::move(*column));
  }
  policy->kind = kind;
  policy->bound = std::move(bound);
  if (policy->scores()) note_ask_columns(*policy);
  note_periods(*policy);
  (policy->sibling_mask != 0 ? policy->sibling_mask : policy->item_mask) |= column::time;
  return policy;
}

}  // namespace tenon::internal
