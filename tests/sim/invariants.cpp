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

// A step gave every divided type devices, and none of them is over-allocated.
void check_placed_devices(const node_snapshot &n, const allocation_snapshot &x, std::vector<std::string> &broken) {
  const auto shares = parse_detail(x.detail);
  for (const auto &[type, free] : n.devices) {
    if (!x.resources.contains(type)) continue;
    const auto is_of_it = [&type = type](const device_share &share) { return share.type == type; };
    if (!shares || std::none_of(shares->begin(), shares->end(), is_of_it)) {
      broken.push_back(n.id + " placed #" + std::to_string(x.sequence) + " without devices of " + type);
      continue;
    }
    for (const device_share &share : *shares) {
      for (size_t device = 0; is_of_it(share) && device < max_devices; ++device) {
        if ((share.devices >> device & 1U) == 0 || (device < free.size() && free[device] >= 0)) continue;
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
