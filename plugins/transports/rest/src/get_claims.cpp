// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What asks claim beside free room: nodes that are kept for them, allocations that gave way to them.
#include <map>

#include "handlers.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;

// The part of "application/key" before the slash that ends the application's id; ids may have slashes themselves.
using applications_by_id = std::map<std::string_view, const tenon_view_application *>;
std::pair<std::string_view, std::string_view> split(std::string_view whole, const applications_by_id &known) {
  for (size_t at = whole.find('/'); at != std::string_view::npos; at = whole.find('/', at + 1)) {
    if (known.contains(whole.substr(0, at))) return {whole.substr(0, at), whole.substr(at + 1)};
  }
  const size_t first = std::min(whole.find('/'), whole.size());
  return {whole.substr(0, first), whole.substr(std::min(first + 1, whole.size()))};
}

json::object reservation_json(const tenon_view_node &n, std::string_view whole, const applications_by_id &known) {
  const auto [id, key] = split(whole, known);
  object_writer out;
  out.always("nodeID", view(n.id));
  out.always("applicationID", id);
  out.always("allocationKey", key);
  out.put("available", n.available);
  const auto owner = known.find(id);
  if (owner == known.end()) return out.take();
  out.put("queueName", owner->second->queue);
  out.put("user", owner->second->user);
  for (const auto &ask : listed<tenon_view_ask>(owner->second->asks)) {
    if (view(ask.key) != key) continue;
    out.put("resource", ask.resources);
    out.put("requestTime", nanoseconds(ask.created_ms));
  }
  return out.take();
}

}  // namespace

answer get_reservations(const context &c) {
  const partition_view p(c.use, c.asked.parameter("partition"),
                         TENON_READ_NODES | TENON_READ_APPLICATIONS | TENON_READ_ASKS);
  applications_by_id known;
  for (const auto &a : listed<tenon_view_application>(p->active)) known.emplace(view(a.id), &a);
  json::array out;
  for (const auto &n : listed<tenon_view_node>(p->nodes)) {
    for (uint64_t i = 0; i < n.reservations.count; ++i)
      out.push_back(reservation_json(n, view(n.reservations.texts[i]), known));
  }
  return json_answer(out);
}

answer get_preemptions(const context &c) {
  const std::string partition = full_name(c.use, c.asked.parameter("partition"));
  const reading now(c.use, TENON_METRICS_PREEMPTIONS);
  const listed<tenon_preemption> all(now->preemptions);
  json::array out;
  for (uint64_t i = all.size(); i-- > 0;) {
    const tenon_preemption &one = all[i];
    if (view(one.partition) != partition) continue;
    object_writer object;
    object.always("number", one.number);
    object.always("time", nanoseconds(one.at_ms));
    object.put("queueName", one.queue);
    object.always("applicationID", view(one.application));
    object.always("allocationKey", view(one.key));
    object.put("nodeID", one.node);
    object.put("message", one.words);
    out.push_back(object.take());
  }
  return json_answer(out);
}

}  // namespace tenon::rest
