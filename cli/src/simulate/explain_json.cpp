// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/explain_json.hpp"

#include <boost/json.hpp>

namespace tenon::cli {
namespace {

namespace json = boost::json;

json::object amounts_of(const amount_map &amounts) {
  json::object out;
  for (const auto &[type, amount] : amounts) out[type] = amount;
  return out;
}

json::object counts_of(const std::vector<std::pair<std::string, uint64_t>> &counts) {
  json::object out;
  for (const auto &[reason, count] : counts) out[reason] = count;
  return out;
}

json::object object_of(const obstacle &o) {
  return {{"kind", name(o.kind)}, {"queue", o.queue},       {"name", o.name},     {"group", o.group},
          {"type", o.type},       {"asked", o.asked},       {"limit", o.limit},   {"used", o.used},
          {"free", o.free},       {"short_by", o.short_by}, {"policy", o.policy}, {"until_ms", o.until_ms},
          {"reason", o.reason},   {"text", o.text}};
}

json::object object_of(const change &c) {
  return {{"kind", name(c.kind)}, {"queue", c.queue}, {"name", c.name}, {"group", c.group},
          {"type", c.type},       {"from", c.from},   {"to", c.to},     {"amounts", amounts_of(c.amounts)},
          {"text", c.text}};
}

}  // namespace

json::object explanation_json(const explanation &e) {
  json::array obstacles, changes;
  for (const obstacle &o : e.obstacles) obstacles.push_back(object_of(o));
  for (const change &c : e.changes) changes.push_back(object_of(c));
  const json::object nodes{{"nodes", e.nodes.nodes},
                           {"fit", e.nodes.fit},
                           {"not_schedulable", e.nodes.not_schedulable},
                           {"types", counts_of(e.nodes.types)},
                           {"devices", counts_of(e.nodes.devices)},
                           {"predicates", counts_of(e.nodes.predicates)},
                           {"refused", counts_of(e.nodes.refused)}};
  return {{"partition", e.partition},
          {"application", e.application},
          {"key", e.key},
          {"queue", e.queue},
          {"pending", e.pending},
          {"asked", amounts_of(e.asked)},
          {"waiting", e.waiting},
          {"obstacles", obstacles},
          {"nodes", nodes},
          {"before", e.before},
          {"changes", changes},
          {"outcome", name(e.outcome)},
          {"after", e.after},
          {"holds", json::array(e.holds.begin(), e.holds.end())},
          {"text", e.text}};
}

std::string to_json(const explanation &e) { return json::serialize(explanation_json(e)); }

}  // namespace tenon::cli
