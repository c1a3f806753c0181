// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Decision teller: puts decisions of one partition into the outbox, and says of one what an answer to the resource
// manager carries beside its names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core.hpp"
#include "model/ask_class.hpp"
#include "model/changes.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

struct decision_teller_access {
  core &shared;
  const std::string &rm;
  const std::string &partition_name;
  const partition_id where;
  const uint64_t epoch;
  const resource_types &types;
  const class_table &classes;
  const device_records &devices;
};

class decision_teller : decision_teller_access {
 public:
  explicit decision_teller(const decision_teller_access &all) : decision_teller_access(all) {}

  // What they return may be given more until the next decision. Its views must live until the next drain.
  decision_view &emit(const decided_what &what) {
    decision_view &d = shared.emit(what, rm, partition_name, where);
    d.epoch = epoch;
    return d;
  }
  decision_view &emit(const decided_what &what, const application &app);
  decision_view &emit(const decided_what &what, const ask &a);
  decision_view &emit(const decided_what &what, const allocation &a);

  // -- Of changes (model/changes.hpp): what the resource manager is told of them. --
  template <class Change>
  void write(const Change &) {}
  void write(const reservation_made &c) { emit(decided::reserved{}, c.of); }
  void write(const reservation_ended &c) { emit(decided::unreserved{c.why}, c.of); }
  void write(const ask_told &c) { emit(decided::container_state{c.word == container_word::skipped}, c.of); }
  void write(const proposal_made &c);
  void write(const proposal_ended &c);
  void write(const allocation_moved &c);
  void write(const allocation_announced &c) {
    emit(decided::allocated{c.existing, devices.text_of(c.of.devices)}, c.of);
  }
  void write(const allocation_dismissed &c) { emit_released(c.of, c.end, c.why); }
  void write(const ask_withdrawn &c);
  // One that an independent ask brings along is accepted with that.
  void write(const application_admitted &c) {
    if (!c.of.independent) emit(decided::application_accepted{}, c.of);
  }
  void write(const application_entered &c);
  void write(const canary_returned &c) { emit(decided::canary_back{c.why}); }
  void write(const node_moved &c);
  // A copy of the text that lives until the next drain.
  std::string_view keep(std::string text) { return shared.keep(std::move(text)); }

  // False: the decision is about no ask and no allocation. Those that are gone by now stay readable until the drain.
  static bool describe(const decision_view &d, placement_view &out);

 private:
  void emit_released(const allocation &a, termination end, const reason &why);
  void emit(const decided_what &what, const reservation &r);
  void emit(const decided_what &what, const proposal &p);
  [[nodiscard]] std::string_view devices_of(const proposal &p) const;
};

}  // namespace tenon::internal
