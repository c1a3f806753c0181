// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <boost/json.hpp>

#include "embedded.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::embedded {
namespace {

namespace json = boost::json;

json::object amounts(const amount_map &from) {
  json::object out;
  for (const auto &[type, amount] : from) out[type] = amount;
  return out;
}

json::object queue(const queue_snapshot &q) {
  json::object out{{"path", q.path},
                   {"state", std::string(name(q.state))},
                   {"leaf", q.leaf},
                   {"managed", q.managed},
                   {"allocated", amounts(q.allocated)},
                   {"pending", amounts(q.pending)},
                   {"guaranteed", amounts(q.guaranteed)},
                   {"runningApplications", q.running_apps}};
  if (q.max) out["max"] = amounts(*q.max);
  return out;
}

json::object application(const application_snapshot &a) {
  json::array asks, allocations;
  for (const ask_snapshot &one : a.asks)
    asks.push_back(json::object{{"key", one.key},
                                {"resources", amounts(one.resources)},
                                {"pending", one.pending_count},
                                {"priority", one.priority},
                                {"blocker", one.blocker}});
  for (const allocation_snapshot &one : a.allocations)
    allocations.push_back(json::object{{"key", one.key},
                                       {"node", one.node},
                                       {"resources", amounts(one.resources)},
                                       {"placeholder", one.placeholder},
                                       {"state", std::string(name(one.state))}});
  return {{"id", a.id},
          {"queue", a.queue},
          {"user", a.user},
          {"state", std::string(name(a.state))},
          {"message", a.message},
          {"asks", std::move(asks)},
          {"allocations", std::move(allocations)}};
}

json::object node(const node_snapshot &n) {
  json::object attributes;
  for (const auto &[key, value] : n.attributes) attributes[key] = value;
  return {{"id", n.id},
          {"schedulable", n.schedulable},
          {"capacity", amounts(n.capacity)},
          {"allocated", amounts(n.allocated)},
          {"occupied", amounts(n.occupied)},
          {"attributes", std::move(attributes)}};
}

template <class Item, class Make>
json::array list(const std::vector<Item> &from, Make &&make) {
  json::array out;
  for (const Item &one : from) out.push_back(make(one));
  return out;
}

}  // namespace

std::string dump(const kernel_snapshot &state, const std::vector<service::rm_status> &rms,
                 const std::map<uint64_t, std::string> &said) {
  json::array partitions, managers;
  for (const partition_snapshot &p : state.partitions)
    partitions.push_back(json::object{{"name", p.name},
                                      {"state", std::string(name(p.state))},
                                      {"capacity", amounts(p.capacity)},
                                      {"used", amounts(p.used)},
                                      {"queues", list(p.queues, queue)},
                                      {"applications", list(p.applications, application)},
                                      {"ended", list(p.ended, application)},
                                      {"nodes", list(p.nodes, node)}});
  for (const service::rm_status &one : rms) {
    json::object rm{{"id", one.id},
                    {"version", one.version},
                    {"policyGroup", one.policy_group},
                    {"state", std::string(name(one.state))},
                    {"connected", one.connected},
                    {"waitingRequests", one.waiting_requests},
                    {"waitingAnswers", one.waiting_answers}};
    if (const auto words = said.find(one.session); words != said.end()) rm["says"] = words->second;
    managers.push_back(std::move(rm));
  }
  return json::serialize(json::object{
      {"now", state.now_ms}, {"partitions", std::move(partitions)}, {"resourceManagers", std::move(managers)}});
}

}  // namespace tenon::embedded
