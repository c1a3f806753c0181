// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "kernel_view.hpp"

#include <algorithm>
#include <unordered_map>

#include "tenon/abi/host_read.h"
#include "tenon/kernel/state_tables.hpp"
#include "tenon/observe/observe_services.hpp"
#include "tenon/sdk/interface_names.hpp"

namespace tenon::observe {
namespace {

class maker {
 public:
  explicit maker(flat_memory &memory) : memory_(memory) {}

  [[nodiscard]] tenon_view_allocation allocation(const allocation_snapshot &a) {
    tenon_view_allocation out{};
    out.flags = (a.placeholder ? TENON_VIEW_PLACEHOLDER : 0) | (a.originator ? TENON_VIEW_ORIGINATOR : 0) |
                (a.preempted ? TENON_VIEW_PREEMPTED : 0) | (a.released ? TENON_VIEW_RELEASED : 0) |
                (a.foreign ? TENON_VIEW_FOREIGN : 0) | (a.replaced ? TENON_VIEW_REPLACED : 0) |
                (a.preemptible && !is_static(a) ? TENON_VIEW_PREEMPTIBLE : 0);
    out.key = text_of(a.key);
    out.application = text_of(a.application);
    out.node = text_of(a.node);
    out.state = text_of(tenon::name(a.state));
    out.task_group = text_of(a.task_group);
    out.replaced_by = text_of(a.replaced_by);
    out.devices = text_of(a.detail);
    out.resources = memory_.amounts(a.resources);
    out.tags = memory_.pairs(a.tags);
    out.sequence = a.sequence;
    out.requested_ms = a.replaced ? a.placeholder_created_ms : a.create_time_ms;
    out.bound_ms = a.bind_time_ms;
    out.priority = a.priority;
    out.size = sizeof out;
    return out;
  }

  [[nodiscard]] tenon_view_ask ask(const ask_snapshot &a, const application_snapshot &owner) {
    tenon_view_ask out{};
    out.flags = (a.placeholder ? TENON_VIEW_PLACEHOLDER : 0) | (a.originator ? TENON_VIEW_ORIGINATOR : 0) |
                (a.preempts ? TENON_VIEW_PREEMPTS : 0) | (a.scales_up ? TENON_VIEW_SCALES_UP : 0) |
                (a.blocker.empty() ? 0 : TENON_VIEW_TRIED);
    out.key = text_of(a.key);
    out.application = text_of(owner.id);
    out.task_group = text_of(a.task_group);
    out.required_node = text_of(a.required_node);
    out.blocker = text_of(a.blocker);
    out.resources = memory_.amounts(a.resources);
    out.tags = memory_.pairs(a.tags);
    if (!a.blocker.empty()) {
      auto *entry = memory_.array<tenon_view_log_entry>(1);
      *entry = {sizeof *entry, 1, out.blocker, now_ms};
      out.log = {entry, 1, sizeof *entry};
    }
    out.created_ms = a.create_time_ms;
    out.priority = a.priority;
    out.pending = a.pending_count;
    out.most = a.max_allocations;
    return out;
  }

  [[nodiscard]] tenon_view_application application(const application_snapshot &a) {
    tenon_view_application out{};
    out.priority = a.priority;
    out.id = text_of(a.id);
    out.queue = text_of(a.queue);
    out.user = text_of(a.user);
    out.groups = memory_.texts(a.groups);
    out.state = text_of(tenon::name(a.state));
    out.words = text_of(a.message);
    out.allocated = memory_.amounts(a.allocated);
    out.placeholders = memory_.amounts(a.placeholders);
    out.pending = memory_.amounts(a.pending);
    out.most_allocated = memory_.amounts(a.most_allocated);
    out.past = memory_.list<tenon_view_past_use>(a.past_use, [&](const past_use_snapshot &one) {
      return tenon_view_past_use{0, static_cast<uint32_t>(one.what), text_of(one.instance_type),
                                 memory_.amounts(one.amount_seconds)};
    });
    out.tags = memory_.pairs(a.tags);
    out.asks = memory_.list<tenon_view_ask>(a.asks, [&](const ask_snapshot &one) { return ask(one, a); });
    out.allocations = memory_.list<tenon_view_allocation>(
        a.allocations, [&](const allocation_snapshot &one) { return allocation(one); });
    out.state_log = memory_.list<tenon_view_state_change>(a.state_log, [](const auto &one) {
      return tenon_view_state_change{0, 0, text_of(tenon::name(one.second)), one.first};
    });
    out.task_groups = memory_.list<tenon_view_task_group>(a.placeholder_data, [&](const placeholder_snapshot &one) {
      tenon_view_task_group group{};
      group.name = text_of(one.task_group);
      group.least = memory_.amounts(one.size);
      group.count = one.count;
      group.replaced = one.replaced;
      group.timed_out = one.timed_out;
      return group;
    });
    out.reservations = memory_.texts(a.reservations);
    out.reserved_for = memory_.texts(a.reserved_for);
    out.submitted_ms = a.submitted_ms;
    out.started_ms = a.started_ms;
    out.finished_ms = a.finished_ms;
    out.not_before_ms = a.not_before_ms;
    return out;
  }

  [[nodiscard]] tenon_view_queue queue(const queue_snapshot &q) {
    tenon_view_queue out{};
    out.flags = (q.leaf ? TENON_VIEW_LEAF : 0) | (q.managed ? TENON_VIEW_MANAGED : 0);
    out.path = text_of(q.path);
    const size_t dot = q.path.rfind('.');
    const auto parent =
        dot == std::string::npos ? indices_.end() : indices_.find(std::string_view(q.path).substr(0, dot));
    out.parent = parent == indices_.end() ? TENON_VIEW_NO_PARENT : parent->second;
    indices_.emplace(q.path, static_cast<uint32_t>(indices_.size()));
    out.priority = q.current_priority;
    out.state = text_of(tenon::name(q.state));
    out.allocated = memory_.amounts(q.allocated);
    out.pending = memory_.amounts(q.pending);
    out.preempting = memory_.amounts(q.preempting);
    out.guaranteed = memory_.amounts(q.guaranteed);
    if (q.max) out.max = memory_.amounts(*q.max);
    if (q.headroom) out.headroom = memory_.amounts(*q.headroom);
    out.properties = memory_.pairs(q.properties);
    out.accepted = memory_.texts(q.accepted);
    out.running = q.running_apps;
    out.most_applications = q.max_running_apps;
    out.template_properties = memory_.pairs(q.child_template.properties);
    out.template_guaranteed = memory_.amounts(q.child_template.guaranteed);
    out.template_max = memory_.amounts(q.child_template.max);
    out.template_applications = q.child_template.max_applications;
    return out;
  }
  void new_partition() { indices_.clear(); }

  [[nodiscard]] tenon_view_node node(const node_snapshot &n, const std::vector<const tenon_view_allocation *> &own) {
    tenon_view_node out{};
    out.flags = (n.schedulable ? TENON_VIEW_SCHEDULABLE : 0) | (n.reservations.empty() ? 0 : TENON_VIEW_RESERVED);
    out.id = text_of(n.id);
    out.attributes = memory_.pairs(n.attributes);
    out.capacity = memory_.amounts(n.capacity);
    out.allocated = memory_.amounts(n.allocated);
    out.occupied = memory_.amounts(n.occupied);
    out.available = memory_.amounts(n.available);
    auto *all = memory_.array<const tenon_view_allocation *>(own.size() + n.foreign.size());
    std::copy(own.begin(), own.end(), all);
    auto *foreign = memory_.array<tenon_view_allocation>(n.foreign.size());
    for (size_t i = 0; i < n.foreign.size(); ++i) {
      foreign[i] = allocation(n.foreign[i]);
      all[own.size() + i] = &foreign[i];
    }
    out.allocations = all;
    out.allocation_count = own.size() + n.foreign.size();
    out.reservations = memory_.texts(n.reservations);
    auto *devices = memory_.array<tenon_text>(n.devices.size());
    size_t d = 0;
    for (const auto &[type, free] : n.devices) {
      std::string words = type + ":";
      for (const int64_t one : free) words += " " + std::to_string(one);
      devices[d++] = memory_.copy(words);
    }
    out.devices = {devices, d};
    return out;
  }

  [[nodiscard]] tenon_view_usage usage(const usage_snapshot &u) {
    tenon_view_usage out{};
    out.name = text_of(u.name);
    out.queue = text_of(u.queue);
    out.usage = memory_.amounts(u.usage);
    if (u.max) out.max = memory_.amounts(*u.max);
    out.most_applications = u.max_applications;
    out.running = memory_.texts(u.running);
    return out;
  }

  int64_t now_ms = 0;

 private:
  // Pods of nodes themselves, as their tag says.
  static bool is_static(const allocation_snapshot &a) {
    return a.foreign && std::any_of(a.tags.begin(), a.tags.end(), [](const auto &tag) {
             return tag.first == interface_names::foreign && tag.second == "static";
           });
  }

  flat_memory &memory_;
  std::unordered_map<std::string_view, uint32_t> indices_;  // of queues, by path
};

void make_nodes(const partition_snapshot &p, maker &make, flat_memory &memory, tenon_view_partition &out) {
  std::unordered_map<std::string_view, std::vector<const tenon_view_allocation *>> on;
  const auto *apps = static_cast<const tenon_view_application *>(out.active.first);
  for (uint64_t i = 0; i < out.active.count; ++i) {
    const auto *all = static_cast<const tenon_view_allocation *>(apps[i].allocations.first);
    for (uint64_t k = 0; k < apps[i].allocations.count; ++k) {
      on[{all[k].node.data, all[k].node.length}].push_back(&all[k]);
    }
  }
  static const std::vector<const tenon_view_allocation *> none;
  out.nodes = memory.list<tenon_view_node>(p.nodes, [&](const node_snapshot &n) {
    const auto found = on.find(n.id);
    return make.node(n, found == on.end() ? none : found->second);
  });
}

tenon_view_partition make_partition(const partition_snapshot &p, maker &make, flat_memory &memory) {
  tenon_view_partition out{};
  out.preemption = (p.preemption ? 1U : 0U) | (p.quota_preemption ? 2U : 0U);
  out.name = text_of(p.name);
  out.rm = text_of(p.rm);
  out.short_name = text_of(p.plain_name);
  out.state = text_of(tenon::name(p.state));
  out.since_ms = p.since_ms;
  out.node_sort = text_of(p.node_sort_policy);
  static const std::map<std::string, double> usual = {{"memory", 1.0}, {"vcore", 1.0}};
  const auto &weights = p.weights.empty() ? usual : p.weights;
  auto *names = memory.array<tenon_text>(weights.size());
  auto *values = memory.array<double>(weights.size());
  for (const auto &[type, weight] : weights) {
    names[out.weight_count] = text_of(type);
    values[out.weight_count++] = weight;
  }
  out.weight_names = names;
  out.weights = values;
  out.capacity = memory.amounts(p.capacity);
  out.used = memory.amounts(p.used);
  auto *states = memory.array<tenon_text>(p.application_states.size());
  auto *counts = memory.array<int64_t>(p.application_states.size());
  uint32_t s = 0;
  for (const auto &[state, count] : p.application_states) {
    states[s] = text_of(tenon::name(state));
    counts[s++] = static_cast<int64_t>(count);
  }
  out.applications = {states, counts, s, 1};
  out.node_count = p.node_count;
  out.allocation_count = p.allocations;
  make.new_partition();
  out.queues = memory.list<tenon_view_queue>(p.queues, [&](const queue_snapshot &q) { return make.queue(q); });
  const auto application = [&](const application_snapshot &a) { return make.application(a); };
  out.active = memory.list<tenon_view_application>(p.applications, application);
  out.ended = memory.list<tenon_view_application>(p.ended, application);
  make_nodes(p, make, memory, out);
  const auto usage = [&](const usage_snapshot &u) { return make.usage(u); };
  out.users = memory.list<tenon_view_usage>(p.users, usage);
  out.groups = memory.list<tenon_view_usage>(p.groups, usage);
  return out;
}

tenon_view_rm make_rm(const rm_record &rm, flat_memory &memory) {
  tenon_view_rm out{};
  out.id = text_of(rm.id);
  out.state = text_of(rm.state);
  out.version = text_of(rm.version);
  out.policy_group = text_of(rm.policy_group);
  out.configuration = text_of(rm.configuration);
  out.checksum = text_of(rm.checksum);
  out.build = memory.pairs(rm.build);
  out.extra = memory.pairs(rm.extra);
  out.registered_ms = rm.registered_ms;
  out.connected = rm.connected ? 1 : 0;
  out.held = rm.held ? 1 : 0;
  out.throttled = rm.throttled ? 1 : 0;
  out.since_ms = rm.since_ms;
  out.waiting_requests = rm.waiting_requests;
  out.waiting_answers = rm.waiting_answers;
  out.retries = rm.retries;
  return out;
}

}  // namespace

std::shared_ptr<const kernel_view> make_view(kernel_snapshot state, std::vector<rm_record> rms,
                                             std::vector<policy_group_record> policy_groups, uint32_t wanted,
                                             uint64_t moment, int64_t started_ms) {
  auto out = std::make_shared<kernel_view>();
  out->state = std::move(state);
  out->rms = std::move(rms);
  out->policy_groups = std::move(policy_groups);
  maker make(out->memory);
  make.now_ms = out->state.now_ms;
  tenon_view &v = out->view;
  v.size = sizeof v;
  v.wanted = wanted;
  v.moment = moment;
  v.now_ms = out->state.now_ms;
  v.started_ms = started_ms;
  v.rms = out->memory.list<tenon_view_rm>(out->rms, [&](const rm_record &rm) { return make_rm(rm, out->memory); });
  v.policy_groups = out->memory.list<tenon_view_policy_group>(out->policy_groups, [](const policy_group_record &group) {
    return tenon_view_policy_group{0, 0, text_of(group.name), text_of(group.configuration), text_of(group.checksum)};
  });
  v.partitions = out->memory.list<tenon_view_partition>(
      out->state.partitions, [&](const partition_snapshot &p) { return make_partition(p, make, out->memory); });
  return out;
}

snapshot_part wish_of(uint32_t wanted) {
  using part = snapshot_part;
  auto out = static_cast<part>(0);
  const auto want = [&](uint32_t what, part parts) {
    if ((wanted & what) == what) out = out | parts;
  };
  want(TENON_READ_QUEUES, part::queues);
  want(TENON_READ_NODES, part::nodes);
  want(TENON_READ_APPLICATIONS, part::applications);
  want(TENON_READ_ENDED, part::ended);
  want(TENON_READ_ASKS, part::asks | part::tags);
  want(TENON_READ_ALLOCATIONS, part::allocations | part::tags);
  want(TENON_READ_USAGE, part::users | part::groups);
  // The allocations of a node are those of applications.
  want(TENON_READ_NODES | TENON_READ_ALLOCATIONS, part::applications);
  want(services::read_contents, part::contents);
  return out;
}

}  // namespace tenon::observe
