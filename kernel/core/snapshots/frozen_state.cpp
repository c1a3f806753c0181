// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Blocks put together to plain values: what refers to others by number finds them here.
#include "tenon/kernel/frozen_state.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "snapshots/frozen_state_impl.hpp"

namespace tenon {
namespace {

using namespace internal;

class reader {
 public:
  reader(const frozen_partition &p, snapshot_part parts) : p_(p), parts_(parts) {
    if (!has(parts, snapshot_part::asks | snapshot_part::allocations)) return;
    p.classes.for_each(
        [&](uint32_t at, const frozen_class &c) { amounts_of_class_.emplace(at, computed(c.fixed->need)); });
  }

  [[nodiscard]] partition_snapshot read() {
    partition_snapshot out = p_.head;
    p_.applications.for_each([&](uint32_t, const frozen_application &app) { ++out.application_states[app.state]; });
    if (wanted(snapshot_part::queues)) read_queues(out.queues);
    if (wanted(snapshot_part::allocations) || wanted(snapshot_part::contents)) group_allocations();
    if (wanted(snapshot_part::asks)) group_asks();
    if (wanted(snapshot_part::nodes)) read_nodes(out.nodes);
    if (wanted(snapshot_part::applications) || wanted(snapshot_part::ended)) read_applications(out);
    if (wanted(snapshot_part::users)) read_usage(p_.users, out.users);
    if (wanted(snapshot_part::groups)) read_usage(p_.groups, out.groups);
    return out;
  }

 private:
  void copy_tags(const tag_list &from, tag_snapshot &to) const {
    if (has(parts_, snapshot_part::tags)) to.assign(from.begin(), from.end());
  }
  [[nodiscard]] bool wanted(snapshot_part part) const { return has(parts_, part) && has(p_.parts, part); }

  [[nodiscard]] amount_map values(const resources &r, bool zeros) const {
    amount_map out;
    for_each_type(r, [&](type_index t, int64_t amount) {
      if (zeros || amount != 0) out[(*p_.types)[t]] = amount;
    });
    return out;
  }
  [[nodiscard]] amount_map computed(const resources &r) const { return values(r, false); }
  [[nodiscard]] amount_map configured(const resources &r) const { return values(r, true); }

  [[nodiscard]] std::string key_of(const frozen_allocation &a) const {
    return a.ask == none_there ? a.more->foreign_key : p_.asks[a.ask].fixed->key;
  }
  [[nodiscard]] const std::string &id_of(uint32_t app) const { return p_.applications[app].fixed->id; }

  void read_queues(std::vector<queue_snapshot> &out) const {
    std::unordered_map<std::string_view, size_t> by_path;
    for (const frozen_queue &q : p_.queues) {
      by_path.emplace(q.fixed->path, out.size());
      queue_snapshot &one = out.emplace_back();
      one.path = q.fixed->path;
      one.state = q.state;
      one.leaf = q.fixed->leaf;
      one.managed = q.fixed->managed;
      one.allocated = computed(q.allocated);
      one.pending = computed(q.pending);
      one.preempting = computed(q.preempting);
      one.guaranteed = configured(q.fixed->guaranteed);
      if (q.parent == none_there) {
        if (!p_.total.empty()) one.max = computed(p_.total);
      } else if (!q.fixed->max.empty()) {
        one.max = configured(q.fixed->max);
      }
      one.properties = q.fixed->properties;
      one.max_running_apps = q.fixed->max_applications;
      one.current_priority = q.priority;
      one.headroom = headroom_of(q);
      one.child_template = q.fixed->child_template;
    }
    std::map<uint64_t, const frozen_application *> accepted;  // by submission
    p_.applications.for_each([&](uint32_t, const frozen_application &app) {
      if (app.state == application_state::accepted) accepted.emplace(app.submission, &app);
      const bool runs = app.state == application_state::starting || app.state == application_state::running;
      if (!runs || app.ended != 0) return;
      const auto found = by_path.find(app.fixed->queue);
      if (found == by_path.end()) return;
      for (size_t at = found->second; at != none_there; at = p_.queues[at].parent) ++out[at].running_apps;
    });
    for (const auto &[submission, app] : accepted) {
      const auto found = by_path.find(app->fixed->queue);
      if (found != by_path.end()) out[found->second].accepted.push_back(app->fixed->id);
    }
  }

  // What is left below each max on the way to the root; nothing where there is none.
  [[nodiscard]] std::optional<amount_map> headroom_of(const frozen_queue &leaf) const {
    resources left;
    const auto narrow = [&](const resources &max, const resources &used) {
      for_each_type(max, [&](type_index t, int64_t amount) {
        const int64_t free = std::max<int64_t>(0, sub_saturating(amount, used[t]));
        left.set(t, left.has(t) ? std::min(left[t], free) : free);
      });
    };
    const frozen_queue *q = &leaf;
    for (; q->parent != none_there; q = &p_.queues[q->parent]) narrow(q->fixed->max, q->allocated);
    narrow(p_.free_together, {});
    if (left.empty()) return std::nullopt;
    return configured(left);
  }

  void group_allocations() {
    p_.allocations.for_each([&](uint32_t, const frozen_allocation &a) {
      if (a.application == none_there) {
        foreign_[a.node].push_back(&a);
        return;
      }
      by_application_[a.application].push_back(&a);
      by_node_[a.node].push_back(&a);
    });
    const auto sort = [](auto &all) {
      for (auto &[key, list] : all) {  // any order: each is sorted
        std::sort(list.begin(), list.end(), [](const auto *x, const auto *y) { return x->sequence < y->sequence; });
      }
    };
    sort(by_application_);
    sort(by_node_);
  }

  void group_asks() {
    p_.asks.for_each([&](uint32_t, const frozen_ask &a) {
      if (a.state == ask_state::pending) asks_[a.application].push_back(&a);
    });
    for (auto &[app, list] : asks_) {  // any order: each is sorted
      std::sort(list.begin(), list.end(),
                [](const frozen_ask *x, const frozen_ask *y) { return tried_before(*x, *y); });
    }
  }

  [[nodiscard]] node_snapshot read(uint32_t slot, const frozen_node &n) const {
    node_snapshot out;
    out.id = n.fixed->id;
    out.schedulable = n.schedulable;
    out.capacity = computed(n.fixed->capacity);
    out.allocated = computed(n.has->allocated);
    out.occupied = computed(n.has->occupied);
    resources available = n.fixed->capacity;
    available -= n.has->occupied;
    available -= n.has->allocated;
    out.available = computed(available);
    out.attributes = n.fixed->attributes;
    if (n.more != nullptr) {
      out.devices = n.more->devices;
      out.reservations = n.more->reservations;
    }
    if (const auto found = foreign_.find(slot); wanted(snapshot_part::allocations) && found != foreign_.end()) {
      for (const frozen_allocation *a : found->second) out.foreign.push_back(read(*a));
      std::sort(out.foreign.begin(), out.foreign.end(), [](const auto &x, const auto &y) { return x.key < y.key; });
    }
    if (!wanted(snapshot_part::contents)) return out;
    if (const auto found = by_node_.find(slot); found != by_node_.end()) {
      for (const frozen_allocation *a : found->second) {
        out.allocations.push_back(id_of(a->application) + "/" + key_of(*a) + "#" + std::to_string(a->sequence));
      }
    }
    if (n.more == nullptr) return out;
    for (const auto &[sequence, name] : n.more->coming) out.allocations.push_back(name + "#0");
    return out;
  }

  void read_nodes(std::vector<node_snapshot> &out) const {
    std::map<std::string_view, uint32_t> by_id;
    p_.nodes.for_each([&](uint32_t slot, const frozen_node &n) { by_id.emplace(n.fixed->id, slot); });
    out.reserve(by_id.size());
    for (const auto &[id, slot] : by_id) out.push_back(read(slot, p_.nodes[slot]));
  }

  [[nodiscard]] allocation_snapshot read(const frozen_allocation &a) const {
    allocation_snapshot out;
    out.key = key_of(a);
    if (a.application != none_there) out.application = id_of(a.application);
    out.foreign = a.application == none_there;
    out.preemptible = a.preemptible;
    out.replaced = a.replaced;
    if (a.ask != none_there) copy_tags(p_.asks[a.ask].fixed->tags, out.tags);
    out.node = p_.nodes[a.node].fixed->id;
    out.sequence = a.sequence;
    out.resources = amounts_of_class_.at(a.class_id);
    out.priority = a.priority;
    out.placeholder = a.placeholder;
    out.originator = a.originator;
    out.preempted = a.state == allocation_state::preempting;
    out.released = a.state == allocation_state::expiring || a.state == allocation_state::replacing;
    out.state = a.state;
    out.create_time_ms = a.create_time_ms;
    out.bind_time_ms = a.bind_time_ms;
    if (a.more == nullptr) return out;
    out.task_group = a.more->task_group;
    if (out.foreign) copy_tags(a.more->tags, out.tags);
    out.placeholder_created_ms = a.more->placeholder_created_ms;
    out.detail = a.more->detail;
    out.replaced_by = a.more->replaced_by;
    out.replaced_on = a.more->replaced_on;
    out.proposed_as = a.more->proposed_as;
    return out;
  }

  [[nodiscard]] std::string blocker_of(const frozen_ask &a) const {
    if (a.line == ask_line::refused) return words_where_refused(a.waits_for_gang);
    if (a.line == ask_line::reserved) return words_where_reserved(p_.nodes[a.reserved].fixed->id);
    if (a.line == ask_line::placeholders) return words_where_placeholders(a.fixed->task_group);
    if (a.group == none_there || a.group >= p_.waits.size()) return {};
    const frozen_wait &wait = p_.waits[a.group];
    if (wait.queue == none_there) return words_of(wait.what, {}, {}, {});
    const frozen_queue &q = p_.queues[wait.queue];
    return words_of(wait.what, wait.type == no_type ? std::string_view{} : (*p_.types)[wait.type], q.fixed->path,
                    q.order);
  }

  [[nodiscard]] std::optional<left_out_by> left_out(const frozen_ask &a) const {
    if (a.line == ask_line::refused || a.line == ask_line::reserved || a.line == ask_line::placeholders) return {};
    if (a.group == none_there || a.group >= p_.waits.size()) return {};
    const frozen_wait &wait = p_.waits[a.group];
    const bool of_queues = wait.what == blocker::queue_order;
    if (wait.queue == none_there || (!of_queues && wait.what != blocker::application_order)) return {};
    const frozen_queue &q = p_.queues[wait.queue];
    return left_out_by{q.fixed->path, q.order, of_queues, wait.for_good};
  }

  [[nodiscard]] ask_snapshot read(const frozen_ask &a) const {
    ask_snapshot out;
    out.key = a.fixed->key;
    out.resources = amounts_of_class_.at(a.class_id);
    out.priority = a.priority;
    out.pending_count = a.pending;
    out.max_allocations = a.max_allocations;
    out.placeholder = a.placeholder;
    out.task_group = a.fixed->task_group;
    out.required_node = p_.classes[a.class_id].fixed->required_node;
    out.create_time_ms = a.create_time_ms;
    out.state = a.state;
    out.blocker = blocker_of(a);
    out.left_out = left_out(a);
    out.originator = a.originator;
    out.preempts = a.preempts;
    out.scales_up = a.scales_up;
    copy_tags(a.fixed->tags, out.tags);
    return out;
  }

  [[nodiscard]] application_snapshot read(uint32_t at, const frozen_application &app) const {
    const frozen_application::facts &facts = *app.fixed;
    application_snapshot out;
    out.id = facts.id;
    out.queue = facts.queue;
    out.user = facts.user;
    out.groups = facts.groups;
    out.state = app.state;
    out.state_log = facts.state_log;
    out.allocated = computed(app.has->allocated);
    out.placeholders = computed(app.has->placeholders);
    out.pending = computed(app.has->pending);
    out.most_allocated = computed(app.has->past.most);
    for (const past_use::ended &one : app.has->past.by_end) {
      out.past_use.push_back({one.what, one.instance_type, computed(one.amount_seconds)});
    }
    if (const auto found = asks_.find(at); found != asks_.end()) {
      out.asks.reserve(found->second.size());
      for (const frozen_ask *a : found->second) out.asks.push_back(read(*a));
    }
    if (const auto found = by_application_.find(at);
        wanted(snapshot_part::allocations) && found != by_application_.end()) {
      out.allocations.reserve(found->second.size());
      for (const frozen_allocation *a : found->second) out.allocations.push_back(read(*a));
    }
    out.reservations = facts.reservations;
    out.reserved_for = facts.reserved_for;
    out.placeholder_data = facts.task_groups;
    for (size_t i = 0; i < facts.sizes.size(); ++i) out.placeholder_data[i].size = computed(facts.sizes[i]);
    out.message = facts.message;
    out.submitted_ms = app.submitted_ms;
    out.started_ms = app.started_ms;
    out.finished_ms = app.finished_ms;
    out.not_before_ms = app.not_before_ms;
    out.priority = app.priority;
    out.placeholder_ask = configured(facts.placeholder_ask);
    copy_tags(facts.tags, out.tags);
    return out;
  }

  void read_applications(partition_snapshot &out) const {
    std::map<uint64_t, uint32_t> active, ended;  // by submission; by end
    p_.applications.for_each([&](uint32_t at, const frozen_application &app) {
      if (app.ended == 0) {
        active.emplace(app.submission, at);
      } else {
        ended.emplace(app.ended, at);
      }
    });
    const auto read_all = [&](const std::map<uint64_t, uint32_t> &of, std::vector<application_snapshot> &to) {
      to.reserve(of.size());
      for (const auto &[order, at] : of) to.push_back(read(at, p_.applications[at]));
    };
    if (wanted(snapshot_part::applications)) read_all(active, out.applications);
    if (wanted(snapshot_part::ended)) read_all(ended, out.ended);
  }

  void read_usage(const std::vector<std::shared_ptr<const frozen_tracker>> &trackers,
                  std::vector<usage_snapshot> &out) const {
    for (const auto &tracker : trackers) {
      for (const frozen_tracker::usage &in : tracker->queues) {
        usage_snapshot one{tracker->name, in.queue, computed(in.used), {}, {}, in.max_applications};
        if (!in.max.empty()) one.max = configured(in.max);
        for (const uint32_t app : in.running) one.running.push_back(id_of(app));
        std::sort(one.running.begin(), one.running.end());
        if (!one.usage.empty() || !one.running.empty()) out.push_back(std::move(one));
      }
    }
  }

  using allocations_of = std::unordered_map<uint32_t, std::vector<const frozen_allocation *>>;

  const frozen_partition &p_;
  const snapshot_part parts_;
  std::unordered_map<uint32_t, amount_map> amounts_of_class_;
  allocations_of by_application_, by_node_, foreign_;
  std::unordered_map<uint32_t, std::vector<const frozen_ask *>> asks_;  // pending ones, by application
};

}  // namespace

frozen_state::frozen_state(std::unique_ptr<const impl> of) : impl_(std::move(of)) {}
frozen_state::~frozen_state() = default;
int64_t frozen_state::now_ms() const { return impl_->now_ms; }
uint64_t frozen_state::commands() const { return impl_->commands; }

kernel_snapshot frozen_state::plain(snapshot_part parts) const {
  kernel_snapshot out;
  out.now_ms = impl_->now_ms;
  for (const internal::frozen_partition &p : impl_->partitions) out.partitions.push_back(reader(p, parts).read());
  return out;
}

}  // namespace tenon
