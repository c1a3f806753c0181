// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "profile.hpp"

#include <algorithm>
#include <utility>

namespace tenon::sim {
namespace {

std::vector<profile> make_profiles() {
  std::vector<profile> all;
  const auto add = [&](const char *name) -> profile & {
    all.emplace_back().name = name;
    return all.back();
  };
  add("plain");
  {
    profile &p = add("limits");
    p.limits = p.inspection = true;
    p.max_applications = 20;
  }
  {
    profile &p = add("placement");
    p.placement = p.odd = true;
  }
  {
    profile &p = add("shares");
    p.placement = p.shares = p.dense = true;
    p.max_nodes = 4;
    p.max_applications = 16;
  }
  {
    profile &p = add("churn");
    p.recovery = p.timeouts = p.odd = true;
    p.max_nodes = 20;
    p.jump_percent = 10;
  }
  {
    profile &p = add("reloads");
    p.reloads = p.limits = p.people = true;
    p.partitions = 2;
  }
  {
    profile &p = add("devices");
    p.devices = p.gangs = p.recovery = p.odd = true;
  }
  {
    profile &p = add("everything");
    p.devices = p.limits = p.placement = p.gangs = p.reloads = p.recovery = p.timeouts = p.odd = p.inspection = true;
    p.people = true;
    p.partitions = 2;
    p.jump_percent = 6;
  }
  {
    profile &p = add("gangs");
    p.gangs = p.tight_gangs = p.recovery = p.timeouts = p.inspection = true;
    p.jump_percent = 6;
    p.compared.gangs = p.compared.inspection = true;
  }
  {
    profile &p = add("reservations");
    p.reservations = p.recovery = p.timeouts = p.people = true;
    p.jump_percent = 8;
    p.compared.reservations = true;
  }
  {
    profile &p = add("reserved-gangs");
    p.reservations = p.gangs = p.tight_gangs = p.limits = p.reloads = p.timeouts = p.people = true;
    p.jump_percent = 8;
    p.compared.reservations = p.compared.gangs = true;
    p.inspection = p.compared.inspection = true;
  }
  {
    profile &p = add("preemption");
    p.preemption = p.reservations = p.dense = true;
    p.max_nodes = 5;
    p.jump_percent = 12;
    p.compared.reservations = p.compared.preemption = true;
  }
  {
    profile &p = add("guaranteed-gangs");
    p.preemption = p.gangs = p.tight_gangs = p.whole_gangs = p.dense = p.limits = p.reloads = p.timeouts = true;
    p.reservations = p.recovery = p.inspection = p.people = true;
    p.max_nodes = 5;
    p.jump_percent = 12;
    p.compared.reservations = p.compared.preemption = p.compared.gangs = p.compared.inspection = true;
  }
  {
    profile &p = add("types");
    p.preemption = p.reservations = p.dense = p.late_types = p.reloads = p.gangs = true;
    p.max_nodes = 5;
    p.jump_percent = 12;
    p.compared.reservations = p.compared.preemption = p.compared.gangs = true;
  }
  {
    profile &p = add("sums");
    p.huge = p.recovery = p.gangs = p.limits = p.checks = p.odd = p.reloads = true;
    p.max_nodes = 4;
    p.max_applications = 6;
  }
  {
    profile &p = add("quotas");
    p.quotas = p.reloads = p.recovery = p.dense = p.people = true;
    p.max_nodes = 5;
    p.jump_percent = 10;
    p.compared.quotas = true;
  }
  {
    profile &p = add("maxapplications");
    p.limits = p.places = p.reloads = p.people = p.checks = p.gangs = p.inspection = true;
    p.max_nodes = 4;
    p.max_applications = 14;
    p.jump_percent = 5;
  }
  {
    profile &p = add("orders");
    p.orders = p.reservations = p.limits = p.gangs = p.people = p.reloads = p.inspection = true;
    p.max_nodes = 5;
    p.max_applications = 16;
    p.jump_percent = 5;
  }
  {
    profile &p = add("proposed");
    p.checks = p.gangs = p.reservations = p.limits = p.recovery = p.timeouts = p.devices = p.inspection = true;
    p.people = true;
    p.max_nodes = 6;
    p.jump_percent = 6;
  }
  {
    profile &p = add("proposed-whole");
    p.checks = p.limits = p.placement = p.gangs = p.tight_gangs = p.reservations = p.preemption = p.quotas = true;
    p.dense = p.recovery = p.timeouts = p.odd = p.reloads = p.inspection = true;
    p.people = true;
    p.partitions = 2;
    p.jump_percent = 10;
  }
  {
    profile &p = add("chosen-devices");
    p.devices = p.choosing = p.gangs = p.reservations = p.recovery = p.timeouts = p.reloads = p.odd = true;
    p.max_nodes = 5;
    p.jump_percent = 8;
  }
  {
    profile &p = add("canaries");
    p.canaries = p.devices = p.gangs = p.reservations = p.recovery = p.reloads = p.people = true;
    p.max_nodes = 6;
    p.max_applications = 16;
    p.jump_percent = 5;
  }
  {
    profile &p = add("proposed-devices");
    p.devices = p.choosing = p.checks = p.gangs = p.reservations = p.recovery = p.timeouts = p.inspection = true;
    p.max_nodes = 5;
    p.jump_percent = 6;
  }
  // What one command answers at once: beyond every bound of what waits for an RM.
  for (const auto &[name, size] : {std::pair{"crowds", 1'500}, std::pair{"crowds-100000", 100'000}}) {
    profile &p = add(name);
    p.crowd = size;
    p.drawn = size < 100'000;
    p.limits = p.inspection = p.recovery = p.people = p.reservations = true;
    p.max_nodes = 4;
    p.max_applications = 6;
  }
  {
    profile &p = add("whole");
    p.devices = true;
    p.limits = p.placement = p.gangs = p.tight_gangs = p.reservations = p.preemption = p.quotas = p.reloads = true;
    p.dense = p.recovery = p.timeouts = p.odd = p.people = true;
    p.partitions = 2;
    p.max_nodes = 12;
    p.jump_percent = 10;
    p.inspection = true;
    p.compared = naive::features{};
  }
  return all;
}

bool kernel_can(const naive::features &wanted) {
  const naive::features &has = naive::kernel_has;
  return wanted.gangs <= has.gangs && wanted.reservations <= has.reservations && wanted.preemption <= has.preemption &&
         wanted.quotas <= has.quotas && wanted.inspection <= has.inspection;
}

}  // namespace

const std::vector<profile> &profiles() {
  static const std::vector<profile> all = make_profiles();
  return all;
}

const profile &draw_profile(random &r) {
  std::vector<const profile *> can;
  for (const profile &p : profiles()) {
    if (p.drawn && kernel_can(p.compared)) can.push_back(&p);
  }
  return *r.one_of(can);
}

const profile *find_profile(const std::string &name) {
  const auto found =
      std::find_if(profiles().begin(), profiles().end(), [&](const profile &p) { return p.name == name; });
  return found == profiles().end() ? nullptr : &*found;
}

}  // namespace tenon::sim
