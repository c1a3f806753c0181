// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Fact teller: tells a listener what happens in one partition. Nobody listens in most kernels: then nothing is told,
// and in any case nothing is decided upon it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core.hpp"
#include "model/ask_class.hpp"
#include "model/changes.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/facts.hpp"

namespace tenon::internal {

// A limit that an ask may be over.
enum class ask_limit : uint8_t { queue = 1, quota = 2 };

struct fact_teller_access {
  const core &shared;
  const std::string &partition_name;
  const resource_types &types;
  const class_table &classes;
};

class fact_teller : fact_teller_access {
 public:
  explicit fact_teller(const fact_teller_access &all) : fact_teller_access(all) {}

  // For those to whom it costs something to find out what is to be told.
  [[nodiscard]] bool listened() const { return shared.listener != nullptr; }

  // -- Refusals, which change nothing. --
  void tell_rejected(const tenon::add_application &c, std::string_view why) const;
  // `what`: node_rejected, or node_update_rejected.
  void tell_rejected(fact_kind what, std::string_view node_id, std::string_view why) const;

  // -- Of changes (model/changes.hpp), where somebody listens. --
  template <class Change>
  void write(const Change &) const {}
  template <one_of<reservation_made, reservation_ended> Change>
  void write(const Change &c) const {
    tell(std::same_as<Change, reservation_made> ? fact_kind::reserved : fact_kind::unreserved, c.of);
  }
  void write(const placeholder_outgrown &c) const;
  void write(const ask_moved &c) const;
  void write(const ask_withdrawn &c) const { tell(fact_kind::ask_removed, c.of, c.end); }
  void write(const application_admitted &c) const { tell(fact_kind::application_added, c.of); }
  void write(const application_entered &c) const;
  void write(const application_going &c) const;
  void write(const application_come &c) const { tell_move(fact_kind::application_moved_in, c.of, *c.of.home, c.from); }
  void write(const application_grouped &c) const;
  void write(const use_moved &c) const;
  void write(const application_left &c) const;
  void write(const allocation_made &c) const {
    tell(c.of.foreign ? fact_kind::foreign_added : fact_kind::allocation_added, c.of);
  }
  void write(const allocation_resized &c) const;
  void write(const allocation_leaving &c) const;
  void write(const allocation_preempted &c) const;
  void write(const node_moved &c) const;
  void write(const capacity_set &c) const;
  void write(const occupied_set &c) const;
  void write(const node_removed &c) const { tell_node(fact_kind::node_removed, c.of.id, nullptr); }
  template <one_of<queue_made, queue_retired> Change>
  void write(const Change &c) const {
    const bool comes = std::same_as<Change, queue_made>;
    tell(comes ? fact_kind::queue_added : fact_kind::queue_removed, c.of, nullptr, c.of.managed);
  }
  void write(const queue_turned &c) const { tell(fact_kind::queue_type, c.of, nullptr, c.of.leaf); }
  void write(const queue_resized &c) const;
  void write(const queue_limited &c) const;  // the limits that are others now
  void write(const quota_enforced &c) const;
  void write(const canary_returned &c) const;
  void write(const total_counted &c) const {
    if (c.now != c.before) tell(fact_kind::queue_max, c.root, &c.now);
  }

  // -- What waits: told when it changes, which the objects remember. --
  [[nodiscard]] static bool is_known_over(const ask &a, ask_limit which) {
    return (a.told_over_ & static_cast<uint8_t>(which)) != 0;
  }
  void tell_over(ask &a, ask_limit which, const resources &available) const;  // not known to be over it
  void tell_fits(ask &a, ask_limit which) const;                              // known to be over it
  void tell_fits(ask &a) const;                                               // whatever it was over
  void tell_held(application &app, bool by_queue, bool by_quota) const;
  // It said for some time not why no node will do.
  [[nodiscard]] bool may_say_why_unplaced(const ask &a) const;
  void tell_unschedulable(ask &a, std::string_view why) const;  // where it may
  void tell_without_victims(ask &a, const node &n) const;

  // -- Times that a resource manager sends: `which` is to come, and now is taken. Else nothing is told. --
  void tell_time(const application &app, std::string_view key, std::string_view which, int64_t said_ms) const;

 private:
  // Where somebody listens only.
  void tell(fact &what) const;
  void tell(fact_kind kind, const application &app, std::string_view text = {}, bool flag = false) const;
  void tell(fact_kind kind, const ask &a, termination why = termination::unknown) const;
  void tell(fact_kind kind, const allocation &a, bool node_gone = false, const resources *before = nullptr) const;
  void tell(fact_kind kind, const reservation &r) const;
  void tell(fact_kind kind, const queue &q, const resources *amounts, bool flag = false,
            std::string_view text = {}) const;
  void tell_node(fact_kind kind, std::string_view node_id, const resources *amounts, bool flag = false,
                 std::string_view text = {}) const;
  void tell_move(fact_kind kind, const application &app, const queue &here, const queue &other) const;
  [[nodiscard]] fact fact_of(fact_kind kind, const application &app) const;
  [[nodiscard]] fact fact_of(fact_kind kind, const ask &a) const;
};

}  // namespace tenon::internal
