// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "places.hpp"

#include <algorithm>

#include "tenon/kernel/messages.hpp"

namespace tenon::sim {
namespace {

bool names(const std::vector<std::string> &all, const std::string &one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool is_on(const std::string &path, const std::string &leaf) { return leaf == path || leaf.starts_with(path + '.'); }

// The limit for the user, else for everybody; 0: none.
uint64_t most_for_user(const std::vector<limit_config> &limits, const std::string &user) {
  for (const std::string &who : {user, std::string("*")}) {
    for (const limit_config &limit : limits) {
      if (names(limit.users, who)) return limit.max_applications;
    }
  }
  return 0;
}

uint64_t most_for_group(const std::vector<limit_config> &limits, const std::string &group) {
  for (const limit_config &limit : limits) {
    if (names(limit.groups, group)) return limit.max_applications;
  }
  return 0;
}

// From the leaf up the first group of the application that a limit names, else "*" where a limit names that.
std::string group_of(const application_snapshot &a, const std::map<std::string, std::vector<limit_config>> &limits) {
  for (std::string path = a.queue;;) {
    if (const auto here = limits.find(path); here != limits.end()) {
      bool everybody = false;
      for (const limit_config &limit : here->second) {
        for (const std::string &group : limit.groups) {
          if (names(a.groups, group)) return group;
          everybody |= group == "*";
        }
      }
      if (everybody) return "*";
    }
    const size_t dot = path.rfind('.');
    if (dot == std::string::npos) return {};
    path.resize(dot);
  }
}

using ids_of = std::map<std::pair<std::string, std::string>, std::set<std::string>>;  // by name and path

void compare(const std::string &what, const std::vector<usage_snapshot> &shown, ids_of counted,
             std::vector<std::string> &out) {
  for (const usage_snapshot &u : shown) {
    if (counted[{u.name, u.queue}] != std::set<std::string>(u.running.begin(), u.running.end())) {
      out.push_back(what + ' ' + u.name + " runs other applications in " + u.queue + " than are shown");
    }
    counted.erase({u.name, u.queue});
  }
  for (const auto &[whose, ids] : counted) {
    out.push_back(what + ' ' + whose.first + " is not shown in " + whose.second);
  }
}

}  // namespace

void places::note(const command &c) {
  offered_ = nullptr;
  if (const auto *one = std::get_if<register_rm>(&c)) offered_ = one->config;
  if (const auto *one = std::get_if<configure>(&c)) offered_ = one->config;
  steps_ = std::holds_alternative<step>(c);
}

void places::note(const decision_view &d) {
  // It may ask again within the same command, so that no snapshot shows that nothing was left.
  if (const auto *now = d.as<decided::application_state>();
      now != nullptr && now->message == messages::nothing_left()) {
    runners_[std::string(d.partition)][std::string(d.application)].had_some = false;
    return;
  }
  if (d.kind() != decision_kind::rm_registered && d.kind() != decision_kind::configured) return;
  for (const partition_config &p : offered_->partitions) {
    const std::string name = "[" + std::string(d.rm) + "]" + p.name;
    if (d.kind() == decision_kind::rm_registered) {
      limits_.erase(name);
      runners_.erase(name);
    }
    take(name, p.root, "");
  }
}

// What a configuration does not name any more keeps its limits until it is gone.
void places::take(const std::string &partition, const queue_config &q, const std::string &parent) {
  const std::string path = parent.empty() ? q.name : parent + '.' + q.name;
  limits_[partition][path] = q.limits;
  for (const queue_config &child : q.queues) take(partition, child, path);
}

std::vector<std::string> places::broken(const kernel_snapshot &s) {
  std::vector<std::string> out;
  std::set<std::string> known;
  for (const partition_snapshot &p : s.partitions) {
    known.insert(p.name);
    look_at(p, out);
  }
  const auto gone = [&](const auto &item) { return !known.contains(item.first); };
  std::erase_if(limits_, gone);
  std::erase_if(runners_, gone);
  return out;
}

void places::look_at(const partition_snapshot &p, std::vector<std::string> &out) {
  limits_by_path &limits = limits_[p.name];
  std::set<std::string> managed;
  for (const queue_snapshot &q : p.queues) {
    if (q.managed) managed.insert(q.path);
  }
  std::erase_if(limits, [&](const auto &item) { return !managed.contains(item.first); });
  std::map<std::string, runner> now;
  ids_of users, groups;
  std::vector<const application_snapshot *> let_in;
  for (const application_snapshot &a : p.applications) {
    const auto before = runners_[p.name].find(a.id);
    runner &r = now[a.id];
    if (before != runners_[p.name].end()) r = before->second;
    const bool ran = r.runs;
    for (const allocation_snapshot &x : a.allocations) r.had_some |= x.state != allocation_state::proposed;
    if (a.allocations.empty() && a.asks.empty()) r.had_some = false;
    r.runs = r.had_some || !a.allocations.empty();
    if (!r.runs) continue;
    if (!ran) let_in.push_back(&a);
    const std::string group = group_of(a, limits);
    for (const queue_snapshot &q : p.queues) {
      if (!is_on(q.path, a.queue)) continue;
      users[{a.user, q.path}].insert(a.id);
      if (!group.empty()) groups[{group, q.path}].insert(a.id);
    }
  }
  for (const application_snapshot *a : steps_ ? let_in : std::vector<const application_snapshot *>()) {
    const std::string group = group_of(*a, limits);
    for (const auto &[path, here] : limits) {
      if (!is_on(path, a->queue)) continue;
      const uint64_t of_user = most_for_user(here, a->user), of_group = most_for_group(here, group);
      const bool fine = (of_user == 0 || users[{a->user, path}].size() <= of_user) &&
                        (group.empty() || of_group == 0 || groups[{group, path}].size() <= of_group);
      if (!fine) out.push_back(a->id + " was let in where as many run in " + path + " as may");
    }
  }
  compare("user", p.users, std::move(users), out);
  compare("group", p.groups, std::move(groups), out);
  runners_[p.name] = std::move(now);
}

}  // namespace tenon::sim
