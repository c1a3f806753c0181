// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ledger/kept_counts.hpp"

#include <utility>

#include "model/application_id.hpp"

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

// -- Asks and allocations. --

void kept_counts::write(const ask_wants &c) {
  const uint64_t more = wanted_allocations(c.of.max_allocations) - wanted_allocations(c.before);
  amounts_.asks += more;
  amounts_.bytes += more * allocation_size;
}

kept_amounts kept_counts::of_foreign(const allocation &a) const {
  kept_amounts out{0, 1, 0, allocation_size + size_of(a.key())};
  if (const auto found = foreign_tags.find(a.key()); found != foreign_tags.end())
    out.bytes += size_of_pairs(found->second);
  return out;
}

// -- Applications, nodes and queues. --

void kept_counts::write(const application_admitted &c) {
  uint64_t bytes = application_size + c.of.id.size() + c.of.user.size() + c.of.submitted_queue.size();
  for (const std::string &group : c.of.groups) bytes += size_of(group);
  add_bytes(c.of, bytes + size_of_pairs(c.of.tags));
}

void kept_counts::write(const group_made &c) { add_bytes(*c.of.owner, task_group_size + c.of.name.size()); }

void kept_counts::add_bytes(application &app, uint64_t more) {
  app.kept_bytes += more;
  amounts_.bytes += more;
}

void kept_counts::write(const application_left &c) {
  --amounts_.applications;
  amounts_.bytes -= std::exchange(c.of.kept_bytes, 0);
}

// A node has its attributes from its first moment on.
void kept_counts::write(const attributes_set &c) {
  if (c.of.kept_bytes == 0) ++amounts_.nodes;
  amounts_.bytes -= c.of.kept_bytes;
  c.of.kept_bytes = node_size + c.of.id.size() + size_of_pairs(c.of.attributes);
  amounts_.bytes += c.of.kept_bytes;
}

void kept_counts::write(const node_removed &c) {
  --amounts_.nodes;
  amounts_.bytes -= c.of.kept_bytes;
}

void kept_counts::write(const queue_made &c) {
  if (c.of.managed) return;
  c.of.kept_bytes = queue_size + 2 * c.of.path.size();
  amounts_.bytes += c.of.kept_bytes;
}

void kept_counts::forget(queue &q) { amounts_.bytes -= std::exchange(q.kept_bytes, 0); }

// -- What goes when the command comes. --

kept_amounts kept_counts::instead_of(const tenon::put_ask &c) const {
  const std::string app_id = application_id_of(c.application, c.key);
  const auto named = active.find(app_id);
  if (named == active.end()) return {};
  const application &app = *named->second;
  kept_amounts out;
  if (c.application.empty()) out = {1, 0, 0, app.kept_bytes};
  if (const ask *a = app.asks.find(c.key); a != nullptr) out += of_ask(*a);
  return out;
}

kept_amounts kept_counts::instead_of(const tenon::put_allocation &c) const {
  if (!c.allocation.foreign) return instead_of(c.allocation.ask);
  const auto found = foreign.find(c.allocation.ask.key);
  return found == foreign.end() ? kept_amounts{} : of_foreign(*found->second);
}

kept_amounts kept_counts::instead_of(const tenon::update_node &c) const {
  const node *n = nodes.find(c.node);
  return n == nullptr ? kept_amounts{} : kept_amounts{0, 0, 0, size_of_pairs(n->attributes)};
}

}  // namespace tenon::internal
