// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is kept for the RM, counted where it comes and goes.
#include "base/kept_sizes.hpp"
#include "partition.hpp"
#include "tenon/kernel/kept.hpp"

namespace tenon {
namespace {

using namespace internal;

kept_amounts growth_of(const put_ask &c) {
  const uint64_t wanted = wanted_allocations(c.max_allocations);
  kept_amounts out{0, wanted, 0, ask_size + c.key.size() + size_of_pairs(c.tags) + wanted * allocation_size};
  if (!c.application.empty()) return out;
  out.applications = 1;
  out.bytes += application_size + size_of_pairs(c.tags);
  return out;
}

kept_amounts growth_of(const existing_allocation &e) {
  if (e.foreign) return {0, 1, 0, allocation_size + size_of(e.ask.key) + size_of_pairs(e.ask.tags)};
  put_ask one = e.ask;
  one.max_allocations = 1;
  return growth_of(one);
}

}  // namespace

kept_amounts growth_by(const command &c) {
  const auto visit = [](const auto &one) -> kept_amounts {
    using type = std::decay_t<decltype(one)>;
    if constexpr (std::is_same_v<type, put_ask>) {
      return growth_of(one);
    } else if constexpr (std::is_same_v<type, put_allocation>) {
      return growth_of(one.allocation);
    } else if constexpr (std::is_same_v<type, add_application>) {
      kept_amounts out{1, 0, 0, application_size + one.application.size() + one.user.size() + one.queue.size()};
      for (const std::string_view group : one.groups) out.bytes += size_of(group);
      out.bytes += size_of_pairs(one.tags);
      return out;
    } else if constexpr (std::is_same_v<type, add_node>) {
      kept_amounts out{0, 0, 1, node_size + one.node.size() + size_of_pairs(one.attributes)};
      for (const existing_allocation &e : one.existing) out += growth_of(e);
      return out;
    } else if constexpr (std::is_same_v<type, update_node>) {
      return {0, 0, 0, one.has_attributes ? size_of_pairs(one.attributes) : 0};
    } else if constexpr (std::is_same_v<type, check_answer>) {
      return {0, 0, 0, one.accepted ? 0 : refusal_size + one.reason.size()};
    } else {
      return {};
    }
  };
  return std::visit(visit, c);
}

}  // namespace tenon

namespace tenon::internal {
namespace {

uint64_t size_of_ask(const ask &a) {
  return ask_size + a.key.size() + size_of_pairs(a.tags) + wanted_allocations(a.max_allocations) * allocation_size;
}

}  // namespace

// -- Asks and allocations. --

void partition::count_kept(const ask &a) {
  keeps.asks += wanted_allocations(a.max_allocations);
  keeps.bytes += size_of_ask(a);
}

void partition::uncount_kept(const ask &a) {
  keeps.asks -= wanted_allocations(a.max_allocations);
  keeps.bytes -= size_of_ask(a);
}

void partition::want_allocations(ask &a, int32_t wanted) {
  const uint64_t before = wanted_allocations(a.max_allocations), now = wanted_allocations(wanted);
  a.max_allocations = wanted;
  keeps.asks += now - before;
  keeps.bytes += (now - before) * allocation_size;
}

kept_amounts partition::kept_for_foreign(const allocation &a) const {
  kept_amounts out{0, 1, 0, allocation_size + size_of(a.key())};
  if (const auto found = foreign_tags.find(a.key()); found != foreign_tags.end())
    out.bytes += size_of_pairs(found->second);
  return out;
}

void partition::count_kept_foreign(const allocation &a) { keeps += kept_for_foreign(a); }

void partition::uncount_kept_foreign(const allocation &a) {
  const kept_amounts goes = kept_for_foreign(a);
  keeps.asks -= goes.asks;
  keeps.bytes -= goes.bytes;
}

ask_class &partition::class_of(const class_key &key) {
  bool made = false;
  ask_class &out = classes.intern(key, made);
  if (made) keeps.bytes += ask_class_size + 2 * out.required_node.size();
  return out;
}

// -- Applications, nodes and queues. --

void partition::count_kept(application &app) {
  app.kept_bytes += application_size + app.id.size() + app.user.size() + app.submitted_queue.size();
  for (const std::string &group : app.groups) app.kept_bytes += size_of(group);
  app.kept_bytes += size_of_pairs(app.tags);
  keeps.bytes += app.kept_bytes;
}

void partition::count_kept(application &app, const task_group &group) {
  const uint64_t more = task_group_size + group.name.size();
  app.kept_bytes += more;
  keeps.bytes += more;
}

void partition::count_kept(node &n) {
  keeps.bytes -= n.kept_bytes;
  n.kept_bytes = node_size + n.id.size() + size_of_pairs(n.attributes);
  keeps.bytes += n.kept_bytes;
}

void partition::count_kept(queue &q) {
  q.kept_bytes = queue_size + 2 * q.path.size();
  keeps.bytes += q.kept_bytes;
}

// It is removed, or the configuration names it now.
void partition::uncount_kept(queue &q) { keeps.bytes -= std::exchange(q.kept_bytes, 0); }

void partition::count_kept_usage(uint64_t more) {
  kept_usage += more;
  keeps.bytes += more;
}

void partition::uncount_kept_usage(uint64_t less) {
  kept_usage -= less;
  keeps.bytes -= less;
}

// -- Asked. --

kept_amounts partition::kept_instead_of(const tenon::put_ask &c) const {
  const std::string app_id = c.application.empty() ? "@independent/" + std::string(c.key) : std::string(c.application);
  const application *app = find_application(app_id);
  if (app == nullptr) return {};
  kept_amounts out;
  if (c.application.empty()) out = {1, 0, 0, app->kept_bytes};
  if (const auto found = app->asks.find(c.key); found != app->asks.end())
    out += {0, wanted_allocations(found->second->max_allocations), 0, size_of_ask(*found->second)};
  return out;
}

kept_amounts partition::kept_instead_of(const tenon::put_allocation &c) const {
  if (!c.allocation.foreign) return kept_instead_of(c.allocation.ask);
  const auto found = foreign.find(c.allocation.ask.key);
  return found == foreign.end() ? kept_amounts{} : kept_for_foreign(*found->second);
}

kept_amounts partition::kept_instead_of(const tenon::update_node &c) const {
  const node *n = nodes.find(c.node);
  return n == nullptr ? kept_amounts{} : kept_amounts{0, 0, 0, size_of_pairs(n->attributes)};
}

}  // namespace tenon::internal
