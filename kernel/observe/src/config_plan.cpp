// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/observe/config_plan.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "plan_words.hpp"
#include "tenon/host/reader_question.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/quantity.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::observe {
namespace {

constexpr snapshot_part wanted_parts = snapshot_part::queues | snapshot_part::applications | snapshot_part::asks |
                                       snapshot_part::users | snapshot_part::groups;

const partition_snapshot *named(const kernel_snapshot &in, const std::string &name) {
  const auto found =
      std::find_if(in.partitions.begin(), in.partitions.end(), [&](const auto &p) { return p.name == name; });
  return found == in.partitions.end() ? nullptr : &*found;
}

int64_t amount_in(const amount_map &amounts, const std::string &type) {
  const auto found = amounts.find(type);
  return found == amounts.end() ? 0 : found->second;
}

// -- Partitions that are left out. --

std::vector<planned_loss> lost_partitions(const kernel_snapshot &state, const std::string &rm,
                                          const cluster_config &before, const cluster_config &now) {
  std::vector<planned_loss> out;
  for (const partition_config &p : before.partitions) {
    const bool stays =
        std::any_of(now.partitions.begin(), now.partitions.end(), [&](const auto &one) { return one.name == p.name; });
    const partition_snapshot *there = named(state, full_partition_name(rm, p.name));
    if (stays || there == nullptr || (there->applications.empty() && there->node_count == 0)) continue;
    planned_loss loss;
    loss.what = loss_kind::partition;
    loss.partition = there->name;
    loss.has = static_cast<int64_t>(there->applications.size());
    loss.text = "partition " + there->name + " drains, with " + counted(there->applications.size(), "application") +
                ", " + counted(there->allocations, "allocation") + " and " + counted(there->node_count, "node") +
                "; what still runs after " + duration_text(p.tuning.drain_timeout_ms) + " fails";
    out.push_back(std::move(loss));
  }
  return out;
}

// -- Queues, limits and asks of a partition that stays. --

class partition_losses {
 public:
  partition_losses(const partition_snapshot &before, const partition_snapshot &now, const partition_config &config)
      : before_(before), now_(now), config_(config) {
    for (const queue_snapshot &q : before.queues) queue_before_[q.path] = &q;
    for (const queue_snapshot &q : now.queues) queue_now_[q.path] = &q;
    for (const application_snapshot &app : now.applications) ++applications_in_[app.queue];
  }

  std::vector<planned_loss> find() && {
    for (const queue_snapshot &q : now_.queues) look_at(q);
    compare_usage(before_.users, now_.users, false);
    compare_usage(before_.groups, now_.groups, true);
    for (const application_snapshot &app : now_.applications)
      for (const ask_snapshot &ask : app.asks) look_at(app, ask);
    return std::move(out_);
  }

 private:
  planned_loss &add(loss_kind what, const std::string &queue) {
    planned_loss &out = out_.emplace_back();
    out.what = what;
    out.partition = now_.name;
    out.queue = queue;
    return out;
  }

  static bool is_over(const queue_snapshot &q, const std::string &type) {
    return q.max && q.max->contains(type) && amount_in(q.allocated, type) > q.max->at(type);
  }
  static bool has_too_many(const queue_snapshot &q) {
    return q.max_running_apps != 0 && q.running_apps > q.max_running_apps;
  }

  void look_at(const queue_snapshot &q) {
    const auto found = queue_before_.find(q.path);
    if (found == queue_before_.end()) return;
    const queue_snapshot &was = *found->second;
    if (q.state == object_state::draining && was.state != object_state::draining) look_at_draining(q);
    if (q.path == "root") return;  // which has what the nodes have
    if (q.max) {
      for (const auto &[type, most] : *q.max)
        if (is_over(q, type) && (!is_over(was, type) || was.max->at(type) > most)) add_over(q, type, most);
    }
    if (!has_too_many(q) || (has_too_many(was) && was.max_running_apps <= q.max_running_apps)) return;
    planned_loss &loss = add(loss_kind::over_applications, q.path);
    loss.has = static_cast<int64_t>(q.running_apps);
    loss.may = static_cast<int64_t>(q.max_running_apps);
    loss.text = "queue " + q.path + " runs " + counted(q.running_apps, "application") + ", may run " +
                std::to_string(q.max_running_apps) + ": no other starts until fewer run";
  }

  void look_at_draining(const queue_snapshot &q) {
    const uint64_t applications = applications_in_[q.path];
    if (applications == 0) return;
    planned_loss &loss = add(loss_kind::draining, q.path);
    loss.has = static_cast<int64_t>(applications);
    loss.text = "queue " + q.path + " drains, with " + counted(applications, "application") +
                ": they go on, no new one comes in, and it goes with the last of them";
  }

  void add_over(const queue_snapshot &q, const std::string &type, int64_t most) {
    planned_loss &loss = add(loss_kind::over_max, q.path);
    loss.resource = type;
    loss.has = amount_in(q.allocated, type);
    loss.may = most;
    const auto delay = q.properties.find("quota.preemption.delay");
    const bool is_brought_down =
        config_.quota_preemption_enabled && delay != q.properties.end() && delay->second != "0";
    loss.text = "queue " + q.path + " uses " + format_quantity(type, loss.has) + " " + type + ", its max is " +
                format_quantity(type, most) + ": it gets none until it uses less" +
                (is_brought_down ? "; after quota.preemption.delay, " + delay->second + ", it is brought down" : "");
  }

  void compare_usage(const std::vector<usage_snapshot> &before, const std::vector<usage_snapshot> &now, bool group) {
    std::map<std::pair<std::string, std::string>, const usage_snapshot *> was;
    for (const usage_snapshot &one : before) was[{one.name, one.queue}] = &one;
    for (const usage_snapshot &one : now) {
      const auto found = was.find({one.name, one.queue});
      const usage_snapshot *old = found == was.end() ? nullptr : found->second;
      if (one.max) {
        for (const auto &[type, most] : *one.max)
          if (is_over(one, type) && (old == nullptr || !is_over(*old, type) || old->max->at(type) > most))
            add_over(one, group, type, most);
      }
      const bool had_too_many = old != nullptr && has_too_many(*old) && old->max_applications <= one.max_applications;
      if (has_too_many(one) && !had_too_many) add_too_many(one, group);
    }
  }

  static bool is_over(const usage_snapshot &u, const std::string &type) {
    return u.max && u.max->contains(type) && amount_in(u.usage, type) > u.max->at(type);
  }
  static bool has_too_many(const usage_snapshot &u) {
    return u.max_applications != 0 && u.running.size() > u.max_applications;
  }

  planned_loss &add(const usage_snapshot &u, bool group) {
    planned_loss &loss = add(loss_kind::over_limit, u.queue);
    loss.subject = u.name;
    loss.group = group;
    loss.text = std::string(group ? "group " : "user ") + u.name + " in queue " + u.queue;
    return loss;
  }
  void add_over(const usage_snapshot &u, bool group, const std::string &type, int64_t most) {
    planned_loss &loss = add(u, group);
    loss.resource = type;
    loss.has = amount_in(u.usage, type);
    loss.may = most;
    loss.text += " uses " + format_quantity(type, loss.has) + " " + type + ", may use " + format_quantity(type, most) +
                 ": nothing more of it until less is used";
  }
  void add_too_many(const usage_snapshot &u, bool group) {
    planned_loss &loss = add(u, group);
    loss.has = static_cast<int64_t>(u.running.size());
    loss.may = static_cast<int64_t>(u.max_applications);
    loss.text += " runs " + counted(u.running.size(), "application") + ", may run " +
                 std::to_string(u.max_applications) + ": no other starts until fewer run";
  }

  // A real allocation in the place of a placeholder takes what that has already.
  void look_at(const application_snapshot &app, const ask_snapshot &ask) {
    if (ask.pending_count <= 0 || (!ask.task_group.empty() && !ask.placeholder)) return;
    for (const auto &[type, amount] : ask.resources) {
      std::string whose;
      const auto may = most_of(queue_now_, now_.users, app, type, whose);
      std::string unused;
      const auto could = most_of(queue_before_, before_.users, app, type, unused);
      if (!may || amount <= *may || (could && amount > *could)) continue;
      planned_loss &loss = add(loss_kind::ask, app.queue);
      loss.subject = app.id + "/" + ask.key;
      loss.resource = type;
      loss.has = amount;
      loss.may = *may;
      loss.text = "ask " + loss.subject + " in queue " + app.queue + " wants " + format_quantity(type, amount) + " " +
                  type + ", more than " + whose + " may ever have: " + format_quantity(type, *may);
      return;
    }
  }

  using queues_by_path = std::unordered_map<std::string, const queue_snapshot *>;

  // The least of what its queues and its user in them may have at most; nothing: there is no limit.
  static std::optional<int64_t> most_of(const queues_by_path &queues, const std::vector<usage_snapshot> &users,
                                        const application_snapshot &app, const std::string &type, std::string &whose) {
    std::optional<int64_t> out;
    const auto take = [&](const std::optional<amount_map> &max, const std::string &of) {
      if (!max || !max->contains(type) || (out && *out <= max->at(type))) return;
      out = max->at(type);
      whose = of;
    };
    for (std::string path = app.queue; path != "root" && !path.empty();) {
      if (const auto found = queues.find(path); found != queues.end()) take(found->second->max, "queue " + path);
      const size_t dot = path.rfind('.');
      path.resize(dot == std::string::npos ? 0 : dot);
    }
    for (const usage_snapshot &one : users) {
      const bool in_it = app.queue == one.queue || app.queue.starts_with(one.queue + ".");
      if (one.name == app.user && in_it) take(one.max, "user " + one.name + " in queue " + one.queue);
    }
    return out;
  }

  const partition_snapshot &before_, &now_;
  const partition_config &config_;
  queues_by_path queue_before_, queue_now_;
  std::unordered_map<std::string, uint64_t> applications_in_;
  std::vector<planned_loss> out_;
};

// Of queues and partitions that people stopped, or that drained, and that a reload takes back.
void add_states(const partition_snapshot &before, const partition_snapshot &now, const std::string &partition,
                std::vector<planned_change> &out) {
  const auto changed = [&](const std::string &object, object_state from, object_state to) {
    out.push_back({planned_change::how::changed,
                   partition,
                   object,
                   {{"state", std::string(tenon::name(from)), std::string(tenon::name(to))}}});
  };
  if (before.state != now.state) changed("partition", before.state, now.state);
  std::unordered_map<std::string, object_state> was;
  for (const queue_snapshot &q : before.queues) was[q.path] = q.state;
  for (const queue_snapshot &q : now.queues) {
    const auto found = was.find(q.path);
    if (found != was.end() && found->second == object_state::draining && q.state != found->second)
      changed("queue " + q.path, found->second, q.state);
  }
}

// -- Where new applications go. --

struct where_it_goes {
  std::string queue, message;  // one of them
};

// The id is one that nobody knows.
std::string without(const std::string &id, std::string_view message) {
  std::string out(message);
  if (const size_t at = out.find(id); at != std::string::npos) out.replace(at, id.size(), "'...'");
  return out;
}

class submitter {
 public:
  explicit submitter(kernel &to) : to_(to) {}

  where_it_goes submit(const submission &one) {
    std::vector<std::string_view> groups(one.groups.begin(), one.groups.end());
    std::vector<named_text> tags;
    for (const auto &[key, value] : one.tags) tags.push_back({key, value});
    std::vector<named_amount> gang;
    for (const auto &[type, amount] : one.placeholder_ask) gang.push_back({type, amount});
    const std::string id = "plan-of-a-configuration-" + std::to_string(++made_);
    add_application c;
    c.partition = one.partition;
    c.application = id;
    c.queue = one.queue;
    c.user = one.user;
    c.groups = groups;
    c.tags = tags;
    c.placeholder_ask = gang;
    c.hard_gang = one.hard_gang;
    where_it_goes out;
    (void)to_.apply(to_.now_ms(), c);
    to_.drain([&](const decision_view &d) {
      const auto *no = d.as<decided::application_rejected>();
      if (no != nullptr && d.application == id) out.message = without(id, no->message);
    });
    if (!out.message.empty()) return out;
    out.queue = to_.place_of(to_.find_partition(one.partition), id).value_or(application_place()).queue;
    if (!out.queue.empty()) (void)to_.apply(to_.now_ms(), remove_application{one.partition, id, {}});
    to_.drain([](const decision_view &) {});
    return out;
  }

 private:
  kernel &to_;
  uint64_t made_ = 0;
};

bool is_over(const std::atomic<bool> *stops) { return stops != nullptr && *stops; }

class placements {
 public:
  placements(kernel &before, kernel &now) : before_(before), now_(now) {}

  void try_all(const std::vector<submission> &samples, const std::atomic<bool> *stops, config_plan &out) {
    submitter before(before_), now(now_);
    for (const submission &one : samples) {
      if (is_over(stops)) return;
      if (!one.partition.starts_with(partition_prefix(out.rm))) continue;
      // Both try each of them: a refused one may leave queues that others are placed in.
      const where_it_goes was = before.submit(one), is = now.submit(one);
      if (was.queue.empty() || (!one.is_in.empty() && one.is_in != was.queue)) continue;
      ++out.submissions;
      if (is.queue == was.queue) continue;
      if (is.queue.empty())
        lose(one, was, is, out);
      else
        move(one, was.queue, is.queue, out);
    }
    for (planned_loss &loss : out.losses) {
      if (loss.what == loss_kind::submission && loss.count > 1)
        loss.text += ", and " + counted(loss.count - 1, "kind") + " alike";
    }
  }

 private:
  static void lose(const submission &one, const where_it_goes &was, const where_it_goes &is, config_plan &out) {
    for (planned_loss &loss : out.losses) {
      if (loss.what != loss_kind::submission || loss.partition != one.partition || loss.queue != was.queue) continue;
      ++loss.count;
      return;
    }
    planned_loss &loss = out.losses.emplace_back();
    loss.what = loss_kind::submission;
    loss.partition = one.partition;
    loss.queue = was.queue;
    loss.subject = one.user;
    loss.text =
        "applications that go to queue " + was.queue + " would be refused, as of user " + one.user + ": " + is.message;
  }

  static void move(const submission &one, const std::string &from, const std::string &to, config_plan &out) {
    for (planned_move &made : out.moves) {
      if (made.one.partition != one.partition || made.from != from || made.to != to) continue;
      ++made.count;
      return;
    }
    out.moves.push_back({one, from, to, 1});
  }

  kernel &before_, &now_;
};

// It is there, and takes what comes: people drain partitions, and a reload takes that back.
bool is_as_configured(const kernel &live, const std::string &rm, const cluster_config &config) {
  return std::all_of(config.partitions.begin(), config.partitions.end(), [&](const partition_config &p) {
    const auto state = live.state_of_partition(live.find_partition(full_partition_name(rm, p.name)));
    return state && *state != object_state::draining;
  });
}

// As those who reload are told.
std::string refusal_of_nothing(const cluster_config &before, const cluster_config &now) {
  if (!now.partitions.empty() || before.partitions.empty()) return {};
  std::string names;
  for (const partition_config &p : before.partitions) names += (names.empty() ? "" : ", ") + p.name;
  return "none, so that all it has would drain: " + names;
}

}  // namespace

config_plan plan_configuration(const kernel &live, const std::string &rm, const cluster_config &before,
                               const cluster_config &now, const std::vector<submission> &samples,
                               const std::atomic<bool> *stops) {
  const host::reader_question asked;
  config_plan out;
  out.rm = rm;
  out.refused = refusal_of_nothing(before, now);
  out.changes = differences(without_gone(live, rm, before), now);
  if (!out.refused.empty() || (out.changes.empty() && is_as_configured(live, rm, now))) return out;
  const std::unique_ptr<kernel> tried = live.copy();
  if (is_over(stops)) return out;
  const kernel_snapshot state = tried->snapshot(wanted_parts);
  (void)tried->apply(live.now_ms(), configure{rm, &now, {}});
  tried->drain([&](const decision_view &d) {
    if (const auto *no = d.as<decided::configuration_rejected>()) out.refused = no->message;
  });
  if (!out.refused.empty() || is_over(stops)) return out;
  out.losses = lost_partitions(state, rm, before, now);
  const kernel_snapshot then = tried->snapshot(wanted_parts);
  for (const partition_config &p : now.partitions) {
    const std::string full = full_partition_name(rm, p.name);
    const partition_snapshot *was = named(state, full), *is = named(then, full);
    if (was == nullptr || is == nullptr) continue;
    for (planned_loss &loss : partition_losses(*was, *is, p).find()) out.losses.push_back(std::move(loss));
    add_states(*was, *is, p.name, out.changes);
  }
  if (samples.empty() || is_over(stops)) return out;
  const std::unique_ptr<kernel> as_it_is = live.copy();
  placements(*as_it_is, *tried).try_all(samples, stops, out);
  return out;
}

}  // namespace tenon::observe
