// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "health_sums.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "size_limits.hpp"
#include "tenon/kernel/audit.hpp"

namespace tenon::observe {
namespace {

// Names of what is not as it should be.
class finding {
 public:
  void add(std::string name) { names_.push_back(std::move(name)); }
  [[nodiscard]] std::string text(std::string_view what) const {
    constexpr size_t shown = 10;
    if (names_.empty()) return {};
    std::string out(what);
    for (size_t i = 0; i < names_.size() && i < shown; ++i) out += (i == 0 ? ": " : ", ") + names_[i];
    if (names_.size() > shown) out += " and " + std::to_string(names_.size() - shown) + " more";
    return out;
  }

 private:
  std::vector<std::string> names_;
};

int64_t of(const amount_map &amounts, const std::string &type) {
  const auto found = amounts.find(type);
  return found == amounts.end() ? 0 : found->second;
}

bool lies_in(const std::string &queue, const std::string &above) {
  return queue.starts_with(above) && (queue.size() == above.size() || queue[above.size()] == '.');
}

// The types of which more than max is allocated, whatever is Preempting.
std::set<std::string> types_above_max(const queue_snapshot &q) {
  std::set<std::string> out;
  if (!q.max) return out;
  for (const auto &[type, most] : *q.max)
    if (of(q.allocated, type) - of(q.preempting, type) > most) out.insert(type);
  return out;
}

// Whether preemption may take something of these types from the queue: as the kernel does, but for allocations that a
// node was required for, which snapshots do not tell apart.
bool may_give_back(const partition_snapshot &p, const queue_snapshot &over, const std::set<std::string> &types) {
  const auto is_spared = [](const queue_snapshot &q) {
    const auto policy = q.properties.find("preemption.policy");
    return policy != q.properties.end() && policy->second.find("disabled") != std::string::npos;
  };
  const auto may_go = [&](const std::string &home, const allocation_snapshot &x) {
    if (x.state != allocation_state::allocated || !x.preemptible) return false;
    bool some = false;
    for (const std::string &type : types) some |= of(x.resources, type) > 0;
    return some && std::all_of(p.queues.begin(), p.queues.end(), [&](const queue_snapshot &q) {
             if (!lies_in(home, q.path)) return true;
             if (q.leaf && is_spared(q)) return false;
             if (!lies_in(q.path, over.path) || q.path == over.path) return true;
             return std::all_of(types.begin(), types.end(), [&](const std::string &type) {
               const bool guaranteed = q.guaranteed.contains(type) && of(x.resources, type) > 0;
               const int64_t left = of(q.allocated, type) - of(q.preempting, type) - of(x.resources, type);
               return !guaranteed || left >= of(q.guaranteed, type);
             });
           });
  };
  return std::any_of(p.applications.begin(), p.applications.end(), [&](const application_snapshot &app) {
    return lies_in(app.queue, over.path) &&
           std::any_of(app.allocations.begin(), app.allocations.end(),
                       [&](const allocation_snapshot &x) { return may_go(app.queue, x); });
  });
}

// Queues that quota preemption cannot bring down to their max.
std::string queues_above_max(const kernel_snapshot &state) {
  finding out;
  for (const partition_snapshot &p : state.partitions) {
    for (const queue_snapshot &q : p.queues) {
      const auto delay = q.properties.find("quota.preemption.delay");
      if (!p.quota_preemption || delay == q.properties.end() || delay->second == "0" || q.path == "root") continue;
      const std::set<std::string> types = types_above_max(q);
      if (!types.empty() && !may_give_back(p, q, types)) out.add(p.name + " " + q.path);
    }
  }
  return out.text("Queues that stay above their max, because nothing in them may be preempted");
}

// Of canaries that went back, each with why.
std::string canaries_back(const kernel_snapshot &state) {
  std::string out;
  for (const partition_snapshot &p : state.partitions) {
    if (p.canary && !p.canary->active) out += (out.empty() ? "" : "; ") + p.name + ": " + p.canary->why;
  }
  return out;
}

// Asks that wait and can never run as the cluster is.
std::string asks_too_large(const kernel_snapshot &state) {
  finding out;
  for (const partition_snapshot &p : state.partitions) {
    size_limits limits(p);
    for (const application_snapshot &app : p.applications) {
      for (const ask_snapshot &ask : app.asks) {
        if (ask.pending_count == 0) continue;
        if (const never_runs no = limits.excess(ask.resources, app.queue); !no.why.empty())
          out.add(app.id + "/" + ask.key + " (" + no.why + ")");
      }
    }
  }
  return out.text("Asks that can never run as the cluster is");
}

health_check failing(std::string check, std::string meaning, std::string diagnosis) {
  return check_of(std::move(check), std::move(meaning), health_check::state::fails, std::move(diagnosis));
}

}  // namespace

std::vector<health_check> look_at_sums_of(const kernel_snapshot &state) {
  const std::vector<audit_finding> found = audit(state);
  const auto of_kind = [&](audit_kind kind, std::string_view what) {
    finding out;
    for (const audit_finding &one : found) {
      if (one.kind == kind) out.add(one.of + " (" + one.text + ")");
    }
    return out.text(what);
  };
  return {failing("Negative resources", "Check for negative resources in the partitions",
                  of_kind(audit_kind::partition_below_zero, "Partitions with negative resources")),
          failing("Negative resources", "Check for negative resources in the nodes",
                  of_kind(audit_kind::node_below_zero, "Nodes with negative resources")),
          failing("Consistency of data", "Check if a partition's total resource <= sum of the node resources",
                  of_kind(audit_kind::total, "Partitions with inconsistent data")),
          failing("Consistency of data", "Check if a node's total resource = allocated + occupied + available resource",
                  of_kind(audit_kind::node, "Nodes with inconsistent data")),
          failing("Reservation check", "Check the reservation nr compared to the number of nodes", {}),
          failing("Orphan allocation on node check", "Check if there are orphan allocations on the nodes",
                  of_kind(audit_kind::orphan_on_node, "Orphan allocations on nodes")),
          failing("Orphan allocation on app check", "Check if there are orphan allocations on the applications",
                  of_kind(audit_kind::orphan_of_application, "Orphan allocations of applications")),
          failing("Books", "Check that sums of queues, users and applications agree with what they are of",
                  of_kind(audit_kind::sum, "Sums that do not agree")),
          failing("Books", "Check that every ask, allocation, reservation and device is at one place",
                  of_kind(audit_kind::place, "Objects that are at no place or at two") +
                      of_kind(audit_kind::devices, "Devices that do not agree")),
          check_of("Quotas", "Check that quota preemption can bring queues down to their max",
                   health_check::state::warns, queues_above_max(state)),
          check_of("Asks", "Check that every ask is small enough for some node and its queues",
                   health_check::state::warns, asks_too_large(state)),
          check_of("Canaries", "Check that no canary went back", health_check::state::warns, canaries_back(state))};
}

}  // namespace tenon::observe
