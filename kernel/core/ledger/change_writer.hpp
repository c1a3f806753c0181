// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Change writer: the first half of every change (model/changes.hpp). The ledger writes it down, what is kept for the RM
// is counted, what readers have not seen of it is marked, and those outside are told. Rooms below the rules apply those
// changes here from which nothing else follows; all others go through queueing/change_dispatcher.hpp.
#pragma once

#include <concepts>

#include "ledger/kept_counts.hpp"
#include "ledger/ledger.hpp"
#include "outbound/decision_teller.hpp"
#include "outbound/fact_teller.hpp"
#include "outbound/reader_marks.hpp"

namespace tenon::internal {

template <class Change>
concept followed_by_nobody = std::same_as<Change, ask_lined_up> || std::same_as<Change, application_ordered> ||
    std::same_as<Change, application_types_forgotten> || std::same_as<Change, devices_set> ||
    std::same_as<Change, devices_held> || std::same_as<Change, room_resized> || std::same_as<Change, node_stored>;

struct change_writer_access {
  node_table &nodes;
  const resource_types &types;
  kept_counts &kept;
  reader_marks &marks;
  const fact_teller &facts;
  decision_teller &decisions;
};

class change_writer : change_writer_access {
 public:
  explicit change_writer(const change_writer_access &all) : change_writer_access(all) {}

  template <followed_by_nobody Change>
  void apply(const Change &c) {
    write(c);
  }

 private:
  friend class change_dispatcher;

  template <class Change>
  void write(const Change &c) {
    books_.write(c);
    kept.write(c);
    marks.count(c);
    if (marks.kept()) marks.write(c);
    if (facts.listened()) facts.write(c);
    decisions.write(c);
  }

  ledger books_{{nodes, types}};
};

}  // namespace tenon::internal
