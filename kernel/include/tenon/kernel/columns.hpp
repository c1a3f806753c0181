// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The catalogue of columns: one line each. tenon/abi/columns.h tells modules what they mean; what else goes by column
// is derived from here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tenon/abi/columns.h"
#include "tenon/kernel/module_kinds.hpp"

namespace tenon {

// What changes: one bit for columns that change together. A policy's masks say which changes make its keys stale.
namespace column {
inline constexpr uint32_t allocated = 1U << 0;
inline constexpr uint32_t pending = 1U << 1;
inline constexpr uint32_t placeholders = 1U << 2;
inline constexpr uint32_t priority = 1U << 3;
inline constexpr uint32_t state = 1U << 4;
inline constexpr uint32_t submitted = 1U << 5;
inline constexpr uint32_t limits = 1U << 6;  // guaranteed, max, fair_max, properties
inline constexpr uint32_t parent_sort = 1U << 7;
inline constexpr uint32_t fixed = 1U << 8;  // place by submission, user, tags: never change
inline constexpr uint32_t node_amounts = 1U << 9;
inline constexpr uint32_t node_attributes = 1U << 10;
inline constexpr uint32_t ask_context = 1U << 11;
inline constexpr uint32_t time = 1U << 12;  // concerns every policy
inline constexpr uint32_t decayed = 1U << 13;
inline constexpr uint32_t shapes = 1U << 14;                        // a generation of them began
inline constexpr uint32_t starts = 1U << 15;                        // another application may start next
inline constexpr uint32_t of_starts = pending | state | submitted;  // what decides about that
}  // namespace column

// What the id of a column names; `argument` is the part after ':'.
enum class column_source : uint8_t {
  queue_allocated,
  queue_pending,
  queue_guaranteed,
  queue_max,
  queue_fair_max,
  queue_priority,
  queue_decayed,
  queue_property,
  queue_properties,
  parent_priority_sort,
  item_prepared,
  app_allocated,
  app_decayed,
  app_count_by,
  score_devices,
  app_placeholders,
  app_pending,
  app_submitted,
  app_submission,
  app_priority,
  app_state,
  app_starts_next,
  app_user,
  app_tag,
  app_tags,
  node_id,
  node_free,
  node_total,
  node_attr,
  node_attrs,
  node_schedulable,
  node_devices,
  node_device_size,
  ask_resources,
  ask_priority,
  ask_devices,
  ask_tag,
  ask_tags,
  shapes_counts,
  shapes_amounts,
  shapes_tags,
  groups_values,
  groups_totals,
  // Not in the catalogue, since no module can declare them.
  item_name,
  parent_name,
};

struct column_entry {
  std::string_view id;  // up to and including ':' where the column takes an argument
  column_source source;
  uint32_t value;       // TENON_COLUMN_*
  uint32_t readers;     // kinds of policies that may read it
  uint32_t context_of;  // those for which it is of the context, not of the items
  uint32_t change;

  [[nodiscard]] constexpr bool takes_argument() const { return id.back() == ':'; }
  [[nodiscard]] constexpr bool is_named(std::string_view column) const {
    return takes_argument() ? column.size() > id.size() && column.starts_with(id) : column == id;
  }
};

namespace column_readers {
inline constexpr uint32_t by_queue = bit_of(module_kind::queue_sort), by_app = bit_of(module_kind::app_sort),
                          by_node = bit_of(module_kind::node_sort), by_predicate = bit_of(module_kind::predicate);
}  // namespace column_readers

inline constexpr std::array known_columns = [] {
  using namespace column_readers;
  return std::array{
      column_entry{"queue.allocated", column_source::queue_allocated, TENON_COLUMN_RESOURCES, by_queue | by_app, by_app,
                   column::allocated},
      column_entry{"queue.pending", column_source::queue_pending, TENON_COLUMN_RESOURCES, by_queue, 0, column::pending},
      column_entry{"queue.guaranteed", column_source::queue_guaranteed, TENON_COLUMN_RESOURCES, by_queue | by_app,
                   by_app, column::limits},
      column_entry{"queue.max", column_source::queue_max, TENON_COLUMN_RESOURCES, by_queue | by_app, by_app,
                   column::limits},
      column_entry{"queue.fair_max", column_source::queue_fair_max, TENON_COLUMN_RESOURCES, by_queue, 0,
                   column::limits},
      column_entry{"queue.priority", column_source::queue_priority, TENON_COLUMN_I64, by_queue, 0, column::priority},
      column_entry{"queue.decayed:", column_source::queue_decayed, TENON_COLUMN_RESOURCES, by_queue, 0,
                   column::decayed},
      column_entry{"queue.property:", column_source::queue_property, TENON_COLUMN_TEXT, by_queue, 0, column::limits},
      column_entry{"queue.properties", column_source::queue_properties, TENON_COLUMN_TEXT_MAP, by_queue, 0,
                   column::limits},
      column_entry{"parent.priority_sort", column_source::parent_priority_sort, TENON_COLUMN_I64, by_queue | by_app,
                   by_queue | by_app, column::parent_sort},
      column_entry{"item.prepared", column_source::item_prepared, TENON_COLUMN_WORDS, by_queue | by_app, 0,
                   column::fixed},
      column_entry{"app.allocated", column_source::app_allocated, TENON_COLUMN_RESOURCES, by_app, 0, column::allocated},
      column_entry{"app.decayed:", column_source::app_decayed, TENON_COLUMN_RESOURCES, by_app, 0, column::decayed},
      column_entry{"app.count_by:", column_source::app_count_by, TENON_COLUMN_I64, by_node, 0, column::ask_context},
      column_entry{"score.devices:", column_source::score_devices, TENON_COLUMN_I64, by_node, by_node,
                   column::ask_context},
      column_entry{"app.placeholders", column_source::app_placeholders, TENON_COLUMN_RESOURCES, by_app, 0,
                   column::placeholders},
      column_entry{"app.pending", column_source::app_pending, TENON_COLUMN_RESOURCES, by_app, 0, column::pending},
      column_entry{"app.submitted_ms", column_source::app_submitted, TENON_COLUMN_I64, by_app, 0, column::submitted},
      column_entry{"app.submission", column_source::app_submission, TENON_COLUMN_I64, by_app, 0, column::fixed},
      column_entry{"app.priority", column_source::app_priority, TENON_COLUMN_I64, by_app, 0, column::priority},
      column_entry{"app.state", column_source::app_state, TENON_COLUMN_I64, by_app, 0, column::state},
      column_entry{"app.starts_next", column_source::app_starts_next, TENON_COLUMN_I64, by_app, 0, column::starts},
      column_entry{"app.user", column_source::app_user, TENON_COLUMN_TEXT, by_app, 0, column::fixed},
      column_entry{"app.tag:", column_source::app_tag, TENON_COLUMN_TEXT, by_app, 0, column::fixed},
      column_entry{"app.tags", column_source::app_tags, TENON_COLUMN_TEXT_MAP, by_app, 0, column::fixed},
      column_entry{"node.id", column_source::node_id, TENON_COLUMN_TEXT, by_node | by_predicate, 0, column::fixed},
      column_entry{"node.free", column_source::node_free, TENON_COLUMN_RESOURCES, by_node | by_predicate, 0,
                   column::node_amounts},
      column_entry{"node.total", column_source::node_total, TENON_COLUMN_RESOURCES, by_node | by_predicate, 0,
                   column::node_amounts},
      column_entry{"node.attr:", column_source::node_attr, TENON_COLUMN_TEXT, by_node | by_predicate, 0,
                   column::node_attributes},
      column_entry{"node.attrs", column_source::node_attrs, TENON_COLUMN_TEXT_MAP, by_node | by_predicate, 0,
                   column::node_attributes},
      column_entry{"node.schedulable", column_source::node_schedulable, TENON_COLUMN_I64, by_node | by_predicate, 0,
                   column::node_amounts},
      column_entry{"node.devices:", column_source::node_devices, TENON_COLUMN_NUMBERS, by_node | by_predicate, 0,
                   column::node_amounts},
      column_entry{"node.device_size:", column_source::node_device_size, TENON_COLUMN_I64, by_node | by_predicate, 0,
                   column::node_attributes},
      column_entry{"ask.resources", column_source::ask_resources, TENON_COLUMN_RESOURCES, by_node | by_predicate,
                   by_node | by_predicate, column::ask_context},
      column_entry{"ask.priority", column_source::ask_priority, TENON_COLUMN_I64, by_node | by_predicate,
                   by_node | by_predicate, column::ask_context},
      column_entry{"ask.devices:", column_source::ask_devices, TENON_COLUMN_I64, by_node, by_node, column::ask_context},
      column_entry{"ask.tag:", column_source::ask_tag, TENON_COLUMN_TEXT, by_node | by_predicate,
                   by_node | by_predicate, column::ask_context},
      column_entry{"ask.tags", column_source::ask_tags, TENON_COLUMN_TEXT_MAP, by_node | by_predicate,
                   by_node | by_predicate, column::ask_context},
      column_entry{"shapes.counts", column_source::shapes_counts, TENON_COLUMN_NUMBERS, by_node, by_node,
                   column::shapes},
      column_entry{"shapes.amounts", column_source::shapes_amounts, TENON_COLUMN_NUMBERS, by_node, by_node,
                   column::shapes},
      column_entry{"shapes.tags:", column_source::shapes_tags, TENON_COLUMN_TEXTS, by_node, by_node, column::shapes},
      column_entry{"groups.values:", column_source::groups_values, TENON_COLUMN_TEXTS, by_node, by_node,
                   column::shapes},
      column_entry{"groups.totals:", column_source::groups_totals, TENON_COLUMN_NUMBERS, by_node, by_node,
                   column::shapes},
  };
}();

constexpr const column_entry &entry_of(column_source source) { return known_columns[static_cast<size_t>(source)]; }

// nullptr for an id that no reader of `kinds` has.
constexpr const column_entry *find_column(uint32_t kinds, std::string_view id) {
  for (const column_entry &one : known_columns)
    if ((one.readers & kinds) != 0 && one.is_named(id)) return &one;
  return nullptr;
}

// Whether it is there without a reader of whom the kernel knows. Of the others it keeps something for those who read
// them.
constexpr bool can_be_unwatched(const column_entry &entry) {
  return entry.change != column::decayed && entry.change != column::shapes && entry.change != column::starts &&
         entry.source != column_source::app_count_by;
}

// Of the ask, and so not there where keys are made without one.
constexpr bool is_of_the_ask(std::string_view id) {
  const column_entry *entry = find_column(~0U, id);
  return entry != nullptr && entry->change == column::ask_context;
}

static_assert(
    [] {
      for (size_t i = 0; i < known_columns.size(); ++i)
        if (static_cast<size_t>(known_columns[i].source) != i) return false;
      return true;
    }(),
    "the catalogue's lines are in the order of the enumerators");

}  // namespace tenon
