// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "invariants.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tenon/kernel/devices.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/states.hpp"

namespace tenon::sim {
namespace {

void add(amount_map &to, const amount_map &what, int64_t times = 1) {
  for (const auto &[type, amount] : what) to[type] += amount * times;
}

bool same(const amount_map &a, const amount_map &b) {
  amount_map difference = a;
  add(difference, b, -1);
  return std::all_of(difference.begin(), difference.end(), [](const auto &item) { return item.second == 0; });
}

class checker {
 public:
  std::vector<std::string> broken;

  void equal(const std::string &what, const amount_map &said, const amount_map &sum) {
    if (!same(said, sum))
      broken.push_back(what + ": says " + messages::amounts(said) + ", sums to " + messages::amounts(sum));
  }
  void holds(const std::string &what, bool yes) {
    if (!yes) broken.push_back(what);
  }
};

std::string parent_of(const std::string &path) {
  const size_t dot = path.rfind('.');
  return dot == std::string::npos ? std::string() : path.substr(0, dot);
}

void check_queues(checker &c, const partition_snapshot &p) {
  std::map<std::string, amount_map> allocated, pending;
  for (const application_snapshot &a : p.applications) {
    add(allocated[a.queue], a.allocated);
    add(allocated[a.queue], a.placeholders);
    add(pending[a.queue], a.pending);
  }
  for (const queue_snapshot &q : p.queues) {
    if (q.path == "root") continue;
    add(allocated[parent_of(q.path)], q.allocated);
    add(pending[parent_of(q.path)], q.pending);
  }
  for (const queue_snapshot &q : p.queues) {
    c.equal(q.path + " allocated", q.allocated, allocated[q.path]);
    c.equal(q.path + " pending", q.pending, pending[q.path]);
    allocated.erase(q.path);
    pending.erase(q.path);
  }
  for (const auto &[path, amounts] : allocated) c.holds("applications in no queue: " + path, false);
}

// Every placeholder is in one place.
void check_placeholders(checker &c, const application_snapshot &a) {
  std::map<std::string, int64_t> counts;
  for (const ask_snapshot &k : a.asks) {
    if (k.placeholder) counts[k.task_group] += k.pending_count;
  }
  for (const allocation_snapshot &x : a.allocations) {
    if (x.placeholder) ++counts[x.task_group];
    const bool under_way = !x.replaced_by.empty();
    c.holds(a.id + '/' + x.key + " replaced without being Replacing",
            !under_way || (x.placeholder && x.state == (x.proposed_as != 0 ? allocation_state::allocated
                                                                           : allocation_state::replacing)));
    c.holds(a.id + '/' + x.key + " Replacing, but real", x.state != allocation_state::replacing || x.placeholder);
  }
  for (const placeholder_snapshot &g : a.placeholder_data) {
    c.holds(a.id + " placeholders of " + g.task_group + " do not add up",
            g.count == g.replaced + g.timed_out + counts[g.task_group]);
    c.holds(a.id + " placeholders of " + g.task_group + " below 0", g.replaced >= 0 && g.timed_out >= 0);
  }
}

void check_application(checker &c, const application_snapshot &a) {
  amount_map pending, real, placeholders;
  std::set<std::string> keys;
  for (const ask_snapshot &k : a.asks) {
    add(pending, k.resources, k.pending_count);
    c.holds(a.id + '/' + k.key + " twice", keys.insert(k.key).second);
    c.holds(a.id + '/' + k.key + " pending beyond bounds", k.pending_count > 0 && k.pending_count <= k.max_allocations);
    c.holds(a.id + '/' + k.key + " not Pending", k.state == ask_state::pending);
  }
  for (const allocation_snapshot &x : a.allocations) add(x.placeholder ? placeholders : real, x.resources);
  c.equal(a.id + " pending", a.pending, pending);
  c.equal(a.id + " allocated", a.allocated, real);
  c.equal(a.id + " placeholders", a.placeholders, placeholders);
  check_placeholders(c, a);
  const bool waits = a.state == application_state::completing || a.state == application_state::new_;
  c.holds(a.id + " waits with something to do", !waits || (a.asks.empty() && a.allocations.empty()));
}

void check_nodes(checker &c, const partition_snapshot &p) {
  std::map<std::string, amount_map> allocated;
  std::map<std::string, std::vector<std::string>> names;
  std::set<uint64_t> sequences;
  std::set<std::string> replaced_elsewhere;
  for (const application_snapshot &a : p.applications) {
    for (const allocation_snapshot &x : a.allocations) {
      add(allocated[x.node], x.resources);
      names[x.node].push_back(a.id + '/' + x.key + '#' + std::to_string(x.sequence));
      if (!x.replaced_on.empty() && x.replaced_on != x.node) {
        names[x.replaced_on].push_back(a.id + '/' + x.replaced_by + "#0");
        replaced_elsewhere.insert(x.replaced_on);
      }
      c.holds("allocation " + std::to_string(x.sequence) + " twice", sequences.insert(x.sequence).second);
    }
  }
  amount_map capacity;
  for (const node_snapshot &n : p.nodes) {
    add(capacity, n.capacity);
    // How much a replacement under way takes there is not shown.
    if (!replaced_elsewhere.contains(n.id)) c.equal(n.id + " allocated", n.allocated, allocated[n.id]);
    amount_map left = n.capacity;
    add(left, n.allocated, -1);
    add(left, n.occupied, -1);
    c.equal(n.id + " available", n.available, left);
    std::vector<std::string> said = n.allocations, known = names[n.id];
    std::sort(said.begin(), said.end());
    std::sort(known.begin(), known.end());
    c.holds(n.id + " lists other allocations than applications do", said == known);
    allocated.erase(n.id);
  }
  for (const auto &[id, amounts] : allocated) c.holds("allocations on no node: " + id, false);
  c.equal("capacity", p.capacity, capacity);
}

// Every reservation is of one pending ask on one node that is there; a node has one, or some of required-node
// asks.
void check_reservations(checker &c, const partition_snapshot &p) {
  std::map<std::string, const ask_snapshot *> asks;
  std::map<std::string, size_t> of_application;
  for (const application_snapshot &a : p.applications) {
    of_application[a.id] = a.reservations.size();
    for (const ask_snapshot &k : a.asks) asks[a.id + '/' + k.key] = &k;
  }
  std::set<std::string> reserved;
  for (const node_snapshot &n : p.nodes) {
    for (const std::string &name : n.reservations) {
      c.holds(name + " reserved twice", reserved.insert(name).second);
      c.holds(name + " reserved and not pending", asks.contains(name));
      if (!asks.contains(name)) continue;
      const ask_snapshot &k = *asks[name];
      --of_application[name.substr(0, name.size() - k.key.size() - 1)];
      const bool required = k.required_node == n.id;
      c.holds(name + " reserves another node than it requires", required || k.required_node.empty());
      c.holds(n.id + " has several reservations", required || n.reservations.size() == 1);
      c.holds(n.id + " is reserved and draining", required || n.schedulable);
    }
  }
  for (const auto &[id, left] : of_application) c.holds(id + " has other reservations than the nodes", left == 0);
}

// What is held of each type by a detail: "gpu=500@0,3" gives 500 on devices 0 and 3.
std::map<std::string, std::map<size_t, int64_t>> holdings_of(const allocation_snapshot &x) {
  std::map<std::string, std::map<size_t, int64_t>> out;
  const auto detail = parse_detail(x.detail);
  if (!detail) return out;
  for (const device_share &share : *detail) {
    for (size_t device = 0; device < max_devices; ++device) {
      if ((share.devices >> device & 1U) != 0) out[share.type][device] = share.amount;
    }
  }
  return out;
}

// Details sum up to what allocations have; no two on a node hold more of a device than they leave free.
void check_devices(checker &c, const partition_snapshot &p) {
  std::map<std::string, std::map<std::string, std::map<size_t, int64_t>>> held;  // node, type, device
  for (const application_snapshot &a : p.applications) {
    for (const allocation_snapshot &x : a.allocations) {
      c.holds(a.id + '/' + x.key + " has a detail that cannot be read: " + x.detail,
              parse_detail(x.detail).has_value());
      for (const auto &[type, devices] : holdings_of(x)) {
        int64_t sum = 0;
        for (const auto &[device, amount] : devices) {
          sum += amount;
          held[x.node][type][device] += amount;
        }
        const auto has = x.resources.find(type);
        c.holds(a.id + '/' + x.key + " has another amount of " + type + " than its detail",
                has != x.resources.end() && has->second == sum);
      }
    }
  }
  for (const node_snapshot &n : p.nodes) {
    for (const auto &[type, free] : n.devices) {
      const auto split = parse_device_split(n.attributes.at(std::string(devices_prefix) + type));
      c.holds(n.id + " has other devices of " + type + " than it says", split && split->count == free.size());
      // Foreign allocations hold some too, and are not shown.
      for (size_t i = 0; split && i < free.size(); ++i) {
        c.holds(n.id + " " + type + " " + std::to_string(i) + " has more free than nobody holds",
                free[i] <= split->amount - held[n.id][type][i]);
      }
    }
  }
}

// A step gave every divided type devices, and none of them is over-allocated.
void check_placed_devices(const node_snapshot &n, const allocation_snapshot &x, std::vector<std::string> &broken) {
  const auto holdings = holdings_of(x);
  for (const auto &[type, free] : n.devices) {
    if (!x.resources.contains(type)) continue;
    const auto held = holdings.find(type);
    if (held == holdings.end()) {
      broken.push_back(n.id + " placed #" + std::to_string(x.sequence) + " without devices of " + type);
      continue;
    }
    for (const auto &[device, amount] : held->second) {
      if (device >= free.size() || free[device] < 0) {
        broken.push_back(n.id + " over-allocated device " + std::to_string(device) + " of " + type + " by #" +
                         std::to_string(x.sequence));
      }
    }
  }
}

// What was placed fits, where it went, beside everything else.
void check_placed(const partition_snapshot &p, uint64_t sequence, std::vector<std::string> &broken) {
  const auto over = [&](const std::string &place, const allocation_snapshot &x, const amount_map &limit,
                        const amount_map &used, bool missing_is_none) {
    for (const auto &[type, amount] : x.resources) {
      const auto most = limit.find(type);
      if (amount <= 0 || (most == limit.end() && !missing_is_none)) continue;
      const auto now = used.find(type);
      if ((now == used.end() ? 0 : now->second) <= (most == limit.end() ? 0 : most->second)) continue;
      broken.push_back(place + " over-allocated by #" + std::to_string(sequence));
    }
  };
  // A node may be smaller by now than what it has. Then all together are short, which is of no concern to an ask that
  // requires another one.
  const bool some_node_is_short = std::any_of(p.nodes.begin(), p.nodes.end(), [](const node_snapshot &n) {
    return std::any_of(n.allocated.begin(), n.allocated.end(), [&](const auto &used) {
      const auto has = n.capacity.find(used.first);
      return used.second > (has == n.capacity.end() ? 0 : has->second);
    });
  });
  for (const application_snapshot &a : p.applications) {
    for (const allocation_snapshot &x : a.allocations) {
      if (x.sequence != sequence) continue;
      for (const node_snapshot &n : p.nodes) {
        if (n.id != x.node) continue;
        amount_map used = n.allocated;
        add(used, n.occupied);
        over(n.id, x, n.capacity, used, true);
        check_placed_devices(n, x, broken);
      }
      for (const queue_snapshot &q : p.queues) {
        const bool on_path = q.path == a.queue || a.queue.starts_with(q.path + ".");
        if (q.path == "root" && some_node_is_short) continue;
        if (on_path && q.max) over(q.path, x, *q.max, q.allocated, q.path == "root");
      }
    }
  }
}

}  // namespace

namespace {

// What is proposed is what was said to be; what is not any more, and had no end, was a replacement that began.
void check_proposals(const partition_snapshot &p, std::set<uint64_t> &open, uint64_t &replaced,
                     std::vector<std::string> &broken) {
  std::set<uint64_t> there;
  for (const application_snapshot &a : p.applications) {
    for (const allocation_snapshot &x : a.allocations) {
      if (x.state == allocation_state::proposed) there.insert(x.sequence);
      if (x.proposed_as != 0) there.insert(x.proposed_as);
    }
  }
  std::vector<uint64_t> unsaid, gone;
  std::set_difference(there.begin(), there.end(), open.begin(), open.end(), std::back_inserter(unsaid));
  std::set_difference(open.begin(), open.end(), there.begin(), there.end(), std::back_inserter(gone));
  for (const uint64_t number : unsaid) broken.push_back("proposed, and nothing was said: #" + std::to_string(number));
  if (gone.size() > replaced) broken.push_back("proposals of " + p.name + " ended without a word");
  replaced = 0;
  open = std::move(there);
}

}  // namespace

std::vector<std::string> broken_sums(const kernel_snapshot &s) {
  checker c;
  for (const partition_snapshot &p : s.partitions) {
    check_queues(c, p);
    check_nodes(c, p);
    check_reservations(c, p);
    check_devices(c, p);
    for (const application_snapshot &a : p.applications) check_application(c, a);
    for (const application_snapshot &a : p.ended)
      c.holds(a.id + " ended with something", a.asks.empty() && a.allocations.empty());
    if (!p.queues.empty()) c.equal("used", p.used, p.queues.front().allocated);
  }
  return c.broken;
}

void ledger::note(const command &c) {
  if (const auto *gone = std::get_if<remove_application>(&c)) {
    accepted_[std::string(gone->partition)].erase(std::string(gone->application));
  }
}

void ledger::note(const decision_view &d, bool of_a_step) {
  if (d.kind() == decision_kind::rm_registered) {
    const auto of_it = [&](const auto &item) { return item.first.starts_with("[" + std::string(d.rm) + "]"); };
    std::erase_if(accepted_, of_it);
    std::erase_if(checked_, of_it);
  }
  checked &proposals = checked_[std::string(d.partition)];
  const auto number = [&] { return std::to_string(d.allocation_sequence); };
  if (d.kind() == decision_kind::proposed && !proposals.open.insert(d.allocation_sequence).second) {
    broken_.push_back("proposed twice: #" + number());
  }
  if (d.kind() == decision_kind::undone && proposals.open.erase(d.allocation_sequence) == 0) {
    broken_.push_back("undone, and was not proposed: #" + number());
  }
  if (d.kind() == decision_kind::allocated) proposals.open.erase(d.allocation_sequence);
  if (d.kind() == decision_kind::released && *end_of(d) == termination::placeholder_replaced) ++proposals.replaced;
  std::set<std::string> &here = accepted_[std::string(d.partition)];
  if (d.kind() == decision_kind::application_accepted) here.emplace(d.application);
  const auto *now = d.as<decided::application_state>();
  if (now != nullptr && now->state == application_state::expired) here.erase(std::string(d.application));
  if ((d.kind() == decision_kind::allocated || d.kind() == decision_kind::proposed) && of_a_step)
    placed_.emplace_back(d.partition, d.allocation_sequence);
}

std::vector<std::string> ledger::broken(const kernel_snapshot &s) {
  std::map<std::string, const partition_snapshot *> partitions;
  for (const partition_snapshot &p : s.partitions) partitions[p.name] = &p;
  std::erase_if(accepted_, [&](const auto &item) { return !partitions.contains(item.first); });
  std::erase_if(checked_, [&](const auto &item) { return !partitions.contains(item.first); });
  std::vector<std::string> out = std::exchange(broken_, {});
  for (auto &[where, proposals] : checked_)
    check_proposals(*partitions[where], proposals.open, proposals.replaced, out);
  for (auto &[where, ids] : accepted_) {
    std::set<std::string> known;
    for (const application_snapshot &a : partitions[where]->applications) known.insert(a.id);
    for (const application_snapshot &a : partitions[where]->ended) known.insert(a.id);
    std::set<std::string> lost;
    std::set_difference(ids.begin(), ids.end(), known.begin(), known.end(), std::inserter(lost, lost.end()));
    // A draining partition may have gone and come again since, with nothing in it.
    const bool anew = lost == ids && draining_.contains(where);
    for (const std::string &id : lost) {
      if (!anew) out.push_back("application lost: " + where + ' ' + id);
      ids.erase(id);
    }
  }
  draining_.clear();
  for (const partition_snapshot &p : s.partitions) {
    if (p.state == object_state::draining) draining_.insert(p.name);
  }
  for (const auto &[where, sequence] : placed_) {
    if (partitions.contains(where)) check_placed(*partitions[where], sequence, out);
  }
  placed_.clear();
  return out;
}

}  // namespace tenon::sim
