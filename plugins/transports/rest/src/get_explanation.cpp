// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Why an ask waits, and what would let it run: as the host says it, with the deprecated keys that answers had before.
#include <algorithm>

#include "handlers.hpp"
#include "path_names.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;

class explained {
 public:
  explicit explained(const services &s) : services_(s) {}
  ~explained() {
    const tenon_explain_close_in in{sizeof in, 0, id};
    if (id != 0) services_.explain->close(services_.host, &in);
  }
  explained(const explained &) = delete;
  explained &operator=(const explained &) = delete;
  uint64_t id = 0;

 private:
  const services &services_;
};

json::object obstacle_json(const tenon_obstacle &o) {
  object_writer out;
  out.always("kind", view(o.kind));
  out.always("text", view(o.words));
  out.put("queue", o.queue);
  out.put("name", o.name);
  out.put("group", o.group != 0);
  out.put("type", o.type);
  out.put("policy", o.policy);
  out.put("reason", o.reason);
  out.put("asked", o.asked);
  out.put("limit", o.limit);
  out.put("used", o.used);
  out.put("free", o.free);
  out.put("shortBy", o.short_by);
  out.put("until", nanoseconds(o.until_ms));
  return out.take();
}

json::object change_json(const tenon_change &c) {
  object_writer out;
  out.always("kind", view(c.kind));
  out.always("text", view(c.words));
  out.put("queue", c.queue);
  out.put("name", c.name);
  out.put("group", c.group != 0);
  out.put("type", c.type);
  out.put("from", c.from);
  out.put("to", c.to);
  out.put("resource", c.amounts);
  return out.take();
}

json::object with_old_keys(const tenon_explanation &e) {
  json::array obstacles, changes;
  for (const auto &o : listed<tenon_obstacle>(e.obstacles)) obstacles.push_back(obstacle_json(o));
  for (const auto &one : listed<tenon_change>(e.changes)) changes.push_back(change_json(one));
  object_writer nodes, out;
  nodes.always("nodes", e.nodes);
  nodes.always("fit", e.nodes_that_fit);
  nodes.put("notSchedulable", e.nodes_not_schedulable);
  nodes.put("tooLittle", e.nodes_short);
  nodes.put("devicesMissing", e.nodes_short_of_devices);
  nodes.put("refused", e.nodes_refused);
  nodes.put("refusedByRM", e.nodes_refused_by_rm);
  out.always("partition", view(e.partition));
  out.always("applicationID", view(e.application));
  out.always("allocationKey", view(e.key));
  out.always("queueName", view(e.queue));
  out.always("pending", e.pending != 0);
  out.always("waiting", e.waiting);
  out.always("before", e.before);
  out.put("resource", e.asked);
  out.always("obstacles", std::move(obstacles));
  out.always("changes", std::move(changes));
  out.always("outcome", view(e.outcome));
  out.put("after", e.after);
  out.always("nodes", nodes.take());
  out.always("text", view(e.words));
  return out.take();
}

// What is not there, at every depth; lists are of the same things.
void put_missing(json::object &to, json::object from) {
  for (auto &entry : from) {
    json::value *there = to.if_contains(entry.key());
    if (there == nullptr) {
      to[entry.key()] = std::move(entry.value());
    } else if (there->is_object() && entry.value().is_object()) {
      put_missing(there->as_object(), std::move(entry.value().as_object()));
    } else if (there->is_array() && entry.value().is_array()) {
      json::array &into = there->as_array(), &items = entry.value().as_array();
      for (size_t i = 0; i < std::min(into.size(), items.size()); ++i)
        if (items[i].is_object()) put_missing(into[i].as_object(), std::move(items[i].as_object()));
    }
  }
}

json::object explanation_json(const tenon_explanation &e) {
  json::object out;
  if (TENON_COVERS(&e, tenon_explanation, json)) out = json::parse(view(e.json)).as_object();
  put_missing(out, with_old_keys(e));
  return out;
}

}  // namespace

answer get_explanation(const context &c) {
  if (c.use.explain == nullptr) throw refused{503, "the scheduler gives no explanations"};
  const std::string partition = full_name(c.use, c.asked.parameter("partition"));
  text_buffer why;
  tenon_explain_in in{};
  in.size = sizeof in;
  in.partition = sdk::text(partition);
  in.application = sdk::text(c.asked.parameter("application"));
  in.key = sdk::text(c.asked.parameter("key"));
  tenon_explain_out out{};
  out.size = sizeof out;
  out.error = why.out();
  explained one(c.use);
  const tenon_status status = c.use.explain->explain(c.use.host, &in, &out);
  if (status != TENON_OK) {
    const partition_view p(c.use, partition, TENON_READ_APPLICATIONS | TENON_READ_ASKS);
    nearest_name of_application(sdk::view(in.application)), of_ask(sdk::view(in.key));
    bool there = false;
    for (const auto &a : listed<tenon_view_application>(p->active)) {
      of_application.look_at(view(a.id));
      if (view(a.id) != sdk::view(in.application)) continue;
      there = true;
      for (const auto &ask : listed<tenon_view_ask>(a.asks)) of_ask.look_at(view(ask.key));
    }
    refuse(status, why.text(), there ? of_ask.nearest() : of_application.nearest());
  }
  one.id = out.id;
  return json_answer(explanation_json(*out.explanation));
}

}  // namespace tenon::rest
