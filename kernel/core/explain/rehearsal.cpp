// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "explain/rehearsal.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "explain/explain_text.hpp"
#include "partition.hpp"
#include "tenon/kernel/devices.hpp"

namespace tenon::internal {
namespace {

constexpr int most_rounds = 32;              // how often something is added for the ask because others took it
constexpr size_t most_changes = 4;           // on how many things it may depend: nobody would make all of more
constexpr uint64_t most_decisions = 10'000;  // that are made to find out

// Names of nodes that have none so far, before and behind all others: what equals another node in everything else goes
// by its name.
constexpr std::string_view first_node = "!new-", last_node = "~new-";

// The change that added the node; null: it was there.
change *added_node(std::vector<change> &all, std::string_view id) {
  size_t left = 0;  // of those without a name
  if (id.starts_with(first_node) || id.starts_with(last_node)) {
    (void)std::from_chars(id.data() + first_node.size(), id.data() + id.size(), left);
  }
  for (change &c : all) {
    if (c.kind == change_kind::add_node && (c.name.empty() ? left-- == 1 : c.name == id)) return &c;
  }
  return nullptr;
}

bool names_a_new_node(const std::vector<change> &all) {
  return std::any_of(all.begin(), all.end(),
                     [](const change &c) { return c.kind == change_kind::add_node && c.name.empty(); });
}

// Of all that is found out in one go, the part that is about the same thing grows.
void merge(std::vector<change> &all, const std::vector<change> &more) {
  for (const change &one : more) {
    if (change *added = added_node(all, one.name); added != nullptr) {
      added->amounts[one.type] = one.to;
      continue;
    }
    const auto same = std::find_if(all.begin(), all.end(), [&](const change &c) {
      return c.kind == one.kind && c.kind != change_kind::add_node && c.queue == one.queue && c.name == one.name &&
             c.group == one.group && c.type == one.type;
    });
    if (same == all.end()) {
      all.push_back(one);
    } else {
      same->to = std::max(same->to, one.to);
    }
  }
}

class named_amounts {
 public:
  explicit named_amounts(const amount_map &from) : from_(from) {
    for (const auto &[type, amount] : from_) list_.push_back({type, amount});
  }
  [[nodiscard]] amounts get() const { return list_; }

 private:
  amount_map from_;
  std::vector<named_amount> list_;
};

template <class Texts>
std::vector<named_text> texts_of(const Texts &from) {
  std::vector<named_text> out;
  for (const auto &[key, value] : from) out.push_back({key, value});
  return out;
}

}  // namespace

rehearsal::rehearsal(const core &shared, const copy_maker &copy, std::string_view application, std::string_view key,
                     std::string_view new_node)
    : core_(shared.policies, shared.options), new_node_(new_node) {
  core_.now_ms = shared.now_ms;
  copy_ = copy(core_);
  ask_ = copy_->find_application(application)->asks.find(key);
}

rehearsal::~rehearsal() = default;

bool rehearsal::run(const std::atomic<bool> *stops) {
  const int32_t before = ask_->placed;
  while (made_ < most_decisions && (stops == nullptr || !*stops)) {
    core_.outbox.clear();
    core_.texts.clear();
    if (!copy_->decide()) return false;
    if (ask_->placed > before) return true;
    ++made_;
    const decision_view &d = core_.outbox.front();
    if (d.application != ask_->owner->id || d.key != ask_->key) ++others_;
  }
  return false;
}

explanation rehearsal::look() const {
  explanation out;
  copy_->explainer.explain_ask(*ask_, out);
  return out;
}

void rehearsal::make(const std::vector<change> &changes) {
  for (const change &one : changes) make(one);
}

void rehearsal::make(const change &one) {
  partition &p = *copy_;
  queue *q = p.queues.find_queue(one.queue);
  switch (one.kind) {
    case change_kind::raise_queue_applications:
      q->max_applications = static_cast<uint64_t>(one.to);
      p.limit_lines.room_rose(*q);
      break;
    case change_kind::raise_queue_resources:
      q->max.set(p.types.find(one.type), one.to);
      p.fair_maxima.refresh(*p.root);
      p.ready.wake_headroom(*q);
      break;
    case change_kind::raise_limit_applications:
    case change_kind::raise_limit_resources:
      raise_limit(*q, one);
      break;
    case change_kind::raise_node_capacity:
    case change_kind::raise_node_devices:
      change_node(one);
      break;
    case change_kind::undrain_node: {
      tenon::change_node c;
      c.partition = p.name;
      c.node = one.name;
      c.event = static_cast<uint8_t>(node_event::undrain);
      p.obey(c);
      break;
    }
    case change_kind::add_node:
      add_node(one);
      break;
    case change_kind::resume_rm:
      p.paused = false;
      break;
    case change_kind::start_partition: {
      tenon::change_partition c;
      c.partition = p.name;
      c.event = static_cast<uint8_t>(object_event::start);
      p.obey(c);
      break;
    }
    case change_kind::start_queue: {
      tenon::change_queue c;
      c.partition = p.name;
      c.queue = one.queue;
      c.event = static_cast<uint8_t>(object_event::start);
      p.obey(c);
      break;
    }
  }
}

// As a new configuration would: an entry of "*" is that of all whom it concerns.
void rehearsal::raise_limit(queue &q, const change &one) {
  partition &p = *copy_;
  const limit_config *wanted = limits::limit_for(q, one.name, one.group);
  std::vector<limit_config> limits = q.limits.all();
  for (size_t i = 0; i < limits.size(); ++i) {
    if (&q.limits.all()[i] != wanted) continue;
    if (one.kind == change_kind::raise_limit_applications) {
      limits[i].max_applications = static_cast<uint64_t>(one.to);
    } else {
      limits[i].max_resources[one.type] = one.to;
    }
  }
  q.limits = queue_limits(std::move(limits));
  for (auto &[name, tracker] : one.group ? p.limits.groups() : p.limits.users()) {
    const auto found = tracker.nodes.find(&q);
    if (found == tracker.nodes.end()) continue;
    p.limits.set_limit(*found->second, limits::limit_for(q, name, one.group));
    p.limit_lines.room_rose(*found->second);
  }
}

void rehearsal::change_node(const change &one) {
  partition &p = *copy_;
  const node *n = p.nodes.find(one.name);
  amount_map capacity = configured_values(n->capacity, p.types);
  auto attributes = n->attributes;
  update_node c;
  c.partition = p.name;
  c.node = one.name;
  if (one.kind == change_kind::raise_node_capacity) {
    capacity[one.type] = one.to;
    c.has_capacity = true;
  } else {
    std::string &value = attributes[std::string(devices_prefix) + one.type];
    value = std::to_string(one.to) + value.substr(std::min(value.find('x'), value.size()));
    c.has_attributes = true;
  }
  const named_amounts amounts(capacity);
  const std::vector<named_text> texts = texts_of(attributes);
  c.capacity = amounts.get();
  c.attributes = texts;
  p.obey(c);
}

// With the attributes that the ask names, as predicates that go by such tags want them.
void rehearsal::add_node(const change &one) {
  std::map<std::string, std::string, std::less<>> attributes;
  for (const auto &[key, value] : ask_->tags()) {
    if (key.starts_with("si/")) attributes[key] = value.substr(0, value.find('|'));
  }
  const std::string id = one.name.empty() ? new_node_ + std::to_string(++added_) : one.name;
  const named_amounts capacity(one.amounts);
  const std::vector<named_text> texts = texts_of(attributes);
  tenon::add_node c;
  c.partition = copy_->name;
  c.node = id;
  c.capacity = capacity.get();
  c.attributes = texts;
  copy_->obey(c);
}

namespace {

// What was found out so far.
struct search {
  explanation &out;
  const std::atomic<bool> *stops;
  size_t most = most_changes;
  std::vector<change> all;
  int added = 0;

  // The trial, in which all changes were made at once, did not place the ask: more is added to it until it does, or
  // nothing more can be added. False: there is nothing to look for any more.
  bool add_to(rehearsal &trial) {
    for (bool at_once = true;; at_once = false) {
      explanation now = trial.look();
      if (now.changes.empty()) {
        if (at_once) gives_up(now);
        return !at_once;
      }
      merge(all, now.changes);
      if (++added > most_rounds || all.size() > most) return false;
      trial.make(now.changes);
      if (trial.run(stops)) return true;
      if (is_over()) return false;
    }
  }

  [[nodiscard]] bool is_over() const { return stops != nullptr && *stops; }

  void gives_up(explanation &now) {
    out.outcome = change_outcome::waits;
    out.changes = std::move(all);
    put_obstacles_as_text(now);
    for (const obstacle &o : now.obstacles) out.holds.push_back(o.text);
  }
};

}  // namespace

uint64_t objects_in(const partition_model &of) {
  return uint64_t{of.asks.live()} + of.allocations.live() + of.applications.live() + of.nodes.count();
}

// Where others take what was added for the ask more is added, in the copy in which they did. What then shows that it is
// enough is a fresh copy in which all of it is made at once.
void find_changes(const partition_model &of, const core &shared, const copy_maker &copy, const explain_terms &terms,
                  explanation &out) {
  if (objects_in(of) > terms.most_objects) {
    out.outcome = change_outcome::not_tried;
    return;
  }
  out.outcome = change_outcome::others_first;
  search s{out, terms.stops, std::max(most_changes, out.changes.size()), {}, 0};
  while (!s.is_over()) {
    rehearsal trial(shared, copy, out.application, out.key, last_node);
    trial.make(s.all);
    if (!trial.run(s.stops)) {
      if (!s.add_to(trial)) return;
      continue;
    }
    if (names_a_new_node(s.all)) {
      rehearsal other(shared, copy, out.application, out.key, first_node);
      other.make(s.all);
      if (!other.run(s.stops)) {
        if (!s.add_to(other)) return;
        continue;
      }
      if (other.others() != trial.others()) return;  // it depends on the name
    }
    out.outcome = s.all.empty() ? change_outcome::at_its_turn : change_outcome::runs;
    out.changes = std::move(s.all);
    out.after = trial.others();
    return;
  }
}

}  // namespace tenon::internal
