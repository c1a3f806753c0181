// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "sort_policy.hpp"

#include <array>
#include <string>
#include <utility>

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
    source_entry{"queue.property:", column_source::queue_property, column::limits, by_queue},
    source_entry{"queue.properties", column_source::queue_properties, column::limits, by_queue},
    source_entry{"parent.priority_sort", column_source::parent_priority_sort, column::parent_sort, by_queue | by_app},
    source_entry{"item.prepared", column_source::item_prepared, column::fixed, by_queue | by_app},
    source_entry{"app.allocated", column_source::app_allocated, column::allocated, by_app},
    source_entry{"app.placeholders", column_source::app_placeholders, column::placeholders, by_app},
    source_entry{"app.pending", column_source::app_pending, column::pending, by_app},
    source_entry{"app.submitted_ms", column_source::app_submitted, column::submitted, by_app},
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
    source_entry{"ask.resources", column_source::ask_resources, column::ask_context, by_node | by_predicate},
    source_entry{"ask.priority", column_source::ask_priority, column::ask_context, by_node | by_predicate},
    source_entry{"ask.tag:", column_source::ask_tag, column::ask_context, by_node | by_predicate},
    source_entry{"ask.tags", column_source::ask_tags, column::ask_context, by_node | by_predicate},
};

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
      return column_binding{entry.source, request.scope,
                            takes_argument ? request.id.substr(entry.id.size()) : std::string{}};
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

void note_ask_columns(sort_policy &policy) {
  for (const column_binding &c : policy.columns) {
    policy.reads_ask_priority |= c.source == column_source::ask_priority;
    policy.reads_ask_tags |= c.source == column_source::ask_tags;
    if (c.source == column_source::ask_tag) policy.ask_tags.push_back(c.argument);
  }
}

}  // namespace

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
  (policy->sibling_mask != 0 ? policy->sibling_mask : policy->item_mask) |= column::time;
  return policy;
}

}  // namespace tenon::internal
