// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Links: the part of the ledger that says which object is there for which other one: replacements of placeholders,
// victims of a claim, reservations of nodes, proposals.
#pragma once

#include <algorithm>
#include <vector>

#include "model/changes.hpp"

namespace tenon::internal {

class links {
 public:
  static void write(const replacement_proposed &c) { c.of.offered = c.by; }
  static void write(const replacement_begun &c) { c.of.under_way = c.by; }
  static void write(const victim_claimed &c) { c.by.wait->victims.push_back(&c.of); }
  static void write(const claim_ended &c) {
    auto &victims = c.by.wait->victims;
    victims.erase(std::find(victims.begin(), victims.end(), &c.of));
  }
  static void write(const claims_forgotten &c) { c.by.wait->victims.clear(); }
  static void write(const reservation_made &c) {
    ask &a = *c.of.of;
    a.told = container_word::none;
    a.wait->held = &c.of;
    a.owner->reservations.push_back(&c.of);
    c.of.where->reservations.push_back(&c.of);
  }
  static void write(const reservation_ended &c) {
    ask &a = *c.of.of;
    a.wait->held = nullptr;
    std::erase(a.owner->reservations, &c.of);
    std::erase(c.of.where->reservations, &c.of);
  }
  static void write(const proposal_made &c) { c.owner.proposals.push_back(c.what); }
  static void write(const proposal_ended &c) {
    std::erase_if(c.owner.proposals, [&](const proposal &p) { return p.number == c.what.number; });
  }
};

}  // namespace tenon::internal
