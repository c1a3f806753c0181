// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Links: the part of the ledger that says which object is there for which other one: replacements of placeholders,
// victims of a claim, reservations of nodes, proposals.
#pragma once

#include <algorithm>
#include <vector>

#include "ledger/wrong_books.hpp"
#include "model/changes.hpp"

namespace tenon::internal {

class links {
 public:
  static void write(const replacement_made &c) {
    count_under_way(c.of, 1);
    if (c.of.elsewhere()) c.of.where->coming.edit().push_back(&c.of);
  }
  static void write(const replacement_ended &c) {
    count_under_way(c.of, -1);
    if (c.of.elsewhere()) std::erase(c.of.where->coming.edit(), &c.of);
  }
  static void write(const replacement_proposed &c) { c.of.offered.edit() = c.by; }
  static void write(const replacement_begun &c) { c.of.under_way.edit() = c.by; }
  static void write(const victim_claimed &c) { c.by.wait->victims.edit().push_back(&c.of); }
  static void write(const claim_ended &c) {
    auto &victims = c.by.wait->victims.edit();
    victims.erase(std::find(victims.begin(), victims.end(), &c.of));
  }
  static void write(const claims_forgotten &c) { c.by.wait->victims.edit().clear(); }
  static void write(const reservation_made &c) {
    ask &a = *c.of.of;
    a.told_ = container_word::none;
    if (!c.of.of_gang) a.wait->held.edit() = &c.of;
    a.owner->reservations.edit().push_back(&c.of);
    c.of.where->reservations.edit().push_back(&c.of);
  }
  static void write(const reservation_freed &c) { c.of.way = way_to_room::preemption; }
  static void write(const reservation_ended &c) {
    ask &a = *c.of.of;
    if (!c.of.of_gang) a.wait->held.edit() = nullptr;
    std::vector<reservation *> &of_app = a.owner->reservations.edit();
    of_app.erase(std::find(of_app.rbegin(), of_app.rend(), &c.of).base() - 1);
    std::erase(c.of.where->reservations.edit(), &c.of);
  }
  static void write(const proposal_made &c) { c.owner.proposals.edit().push_back(c.what); }
  static void write(const proposal_ended &c) {
    std::erase_if(c.owner.proposals.edit(), [&](const proposal &p) { return p.number == c.what.number; });
  }

 private:
  static void count_under_way(const replacement &r, int more) {
    for (auto *of : {&r.real->under_way.edit(), &r.real->owner->under_way.edit()}) {
      if (more < 0 && *of == 0)
        end_below_zero({"replacement_ended", "the replacements under way of application ", r.real->owner->id});
      *of += static_cast<uint32_t>(more);
    }
  }
};

}  // namespace tenon::internal
