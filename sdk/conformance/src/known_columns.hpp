// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The columns of epoch 1 (tenon/abi/columns.h): what kind of value each has, and who may read it of whom.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "check.hpp"
#include "tenon/abi/columns.h"

namespace tenon::conformance {

struct known_column {
  std::string_view id;  // up to and including ':' where a name follows
  uint32_t value;       // TENON_COLUMN_*
  uint32_t readers;     // kinds
  uint32_t context_of;  // kinds for which it is of the context, not of the items
};

inline constexpr std::array known_columns{
    known_column{"queue.allocated", TENON_COLUMN_RESOURCES, about::queue_sort | about::app_sort, about::app_sort},
    known_column{"queue.pending", TENON_COLUMN_RESOURCES, about::queue_sort, 0},
    known_column{"queue.guaranteed", TENON_COLUMN_RESOURCES, about::queue_sort | about::app_sort, about::app_sort},
    known_column{"queue.max", TENON_COLUMN_RESOURCES, about::queue_sort | about::app_sort, about::app_sort},
    known_column{"queue.fair_max", TENON_COLUMN_RESOURCES, about::queue_sort, 0},
    known_column{"queue.decayed:", TENON_COLUMN_RESOURCES, about::queue_sort, 0},
    known_column{"queue.priority", TENON_COLUMN_I64, about::queue_sort, 0},
    known_column{"queue.property:", TENON_COLUMN_TEXT, about::queue_sort, 0},
    known_column{"queue.properties", TENON_COLUMN_TEXT_MAP, about::queue_sort, 0},
    known_column{"parent.priority_sort", TENON_COLUMN_I64, about::queue_sort | about::app_sort,
                 about::queue_sort | about::app_sort},
    known_column{"item.prepared", TENON_COLUMN_WORDS, about::queue_sort | about::app_sort, 0},
    known_column{"app.allocated", TENON_COLUMN_RESOURCES, about::app_sort, 0},
    known_column{"app.placeholders", TENON_COLUMN_RESOURCES, about::app_sort, 0},
    known_column{"app.pending", TENON_COLUMN_RESOURCES, about::app_sort, 0},
    known_column{"app.decayed:", TENON_COLUMN_RESOURCES, about::app_sort, 0},
    known_column{"app.count_by:", TENON_COLUMN_I64, about::node_sort, 0},
    known_column{"app.submitted_ms", TENON_COLUMN_I64, about::app_sort, 0},
    known_column{"app.submission", TENON_COLUMN_I64, about::app_sort, 0},
    known_column{"app.priority", TENON_COLUMN_I64, about::app_sort, 0},
    known_column{"app.state", TENON_COLUMN_I64, about::app_sort, 0},
    known_column{"app.user", TENON_COLUMN_TEXT, about::app_sort, 0},
    known_column{"app.tag:", TENON_COLUMN_TEXT, about::app_sort, 0},
    known_column{"app.tags", TENON_COLUMN_TEXT_MAP, about::app_sort, 0},
    known_column{"node.free", TENON_COLUMN_RESOURCES, about::node_sort | about::predicate, 0},
    known_column{"node.total", TENON_COLUMN_RESOURCES, about::node_sort | about::predicate, 0},
    known_column{"node.attr:", TENON_COLUMN_TEXT, about::node_sort | about::predicate, 0},
    known_column{"node.attrs", TENON_COLUMN_TEXT_MAP, about::node_sort | about::predicate, 0},
    known_column{"node.schedulable", TENON_COLUMN_I64, about::node_sort | about::predicate, 0},
#ifdef TENON_COLUMN_NUMBERS
    known_column{"node.devices:", TENON_COLUMN_NUMBERS, about::node_sort | about::predicate, 0},
    known_column{"node.device_size:", TENON_COLUMN_I64, about::node_sort | about::predicate, 0},
    known_column{"ask.devices:", TENON_COLUMN_I64, about::node_sort, about::node_sort},
#endif
    known_column{"ask.resources", TENON_COLUMN_RESOURCES, about::node_sort | about::predicate,
                 about::node_sort | about::predicate},
    known_column{"ask.priority", TENON_COLUMN_I64, about::node_sort | about::predicate,
                 about::node_sort | about::predicate},
    known_column{"ask.tag:", TENON_COLUMN_TEXT, about::node_sort | about::predicate,
                 about::node_sort | about::predicate},
    known_column{"ask.tags", TENON_COLUMN_TEXT_MAP, about::node_sort | about::predicate,
                 about::node_sort | about::predicate},
};

// Of the ask, and so not there where keys are made without one.
constexpr bool is_of_the_ask(std::string_view id) {
  return id.substr(0, 4) == "ask." || id.substr(0, 13) == "app.count_by:";
}

// nullptr for an id that no reader of this kind has.
constexpr const known_column *find_column(std::string_view id, uint32_t reader) {
  for (const known_column &c : known_columns) {
    if ((c.readers & reader) == 0) continue;
    if (c.id.back() == ':' ? id.size() > c.id.size() && id.substr(0, c.id.size()) == c.id : id == c.id) return &c;
  }
  return nullptr;
}

}  // namespace tenon::conformance
