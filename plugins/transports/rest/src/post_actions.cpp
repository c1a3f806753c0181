// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What people may change, each told to the host with the name of the caller.
#include <sstream>

#include "handlers.hpp"
#include "path_names.hpp"
#include "tenon/sdk/found_and_fix.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;

// The caller of a request, as the service wants it.
class caller {
 public:
  explicit caller(const request &asked) : origin_("rest " + asked.address) {
    for (const std::string &group : asked.from.groups) groups_.push_back(sdk::text(group));
    caller_.size = sizeof caller_;
    caller_.rights = asked.from.all ? TENON_CALLER_ALL : 0;
    caller_.user = sdk::text(asked.from.user);
    caller_.groups = groups_.data();
    caller_.group_count = groups_.size();
    caller_.origin = sdk::text(origin_);
  }
  caller(const caller &) = delete;
  caller &operator=(const caller &) = delete;
  [[nodiscard]] const tenon_admin_caller *get() const { return &caller_; }

 private:
  std::string origin_;
  std::vector<tenon_text> groups_;
  tenon_admin_caller caller_{};
};

const tenon_host_admin &admin(const context &c) {
  if (c.use.admin == nullptr) throw refused{503, "the scheduler takes no actions"};
  return *c.use.admin;
}

answer done(std::string_view action) { return json_answer(json::object{{"done", true}, {"action", action}}); }

// What a client can do where an object is not there (its nearest name), or is in another state.
std::string fix_of(const context &c, tenon_status status, uint32_t action, const std::string &partition,
                   std::string_view object, std::string_view target) {
  const bool missing = status == TENON_UNRESOLVABLE;
  if (!missing && status != TENON_UNSCHEDULABLE) return {};
  const bool of_queue = action == TENON_ADMIN_STOP_QUEUE || action == TENON_ADMIN_START_QUEUE;
  const bool of_node = action == TENON_ADMIN_DRAIN_NODE || action == TENON_ADMIN_UNDRAIN_NODE;
  const bool of_application = action == TENON_ADMIN_KILL_APPLICATION || action == TENON_ADMIN_MOVE_APPLICATION;
  if (action == TENON_ADMIN_RECOVERY_DONE) {
    const snapshot all(c.use, 0);
    nearest_name near(object);
    for (const auto &one : listed<tenon_view_rm>(all->rms)) near.look_at(view(one.id));
    return missing ? near.nearest() : "GET /tenon/v1/rms shows what is held";
  }
  if (!of_queue && !of_node && !of_application) return "GET /ws/v1/partitions shows their states";
  if (!missing)
    return std::string("GET /ws/v1/partition/PARTITION/") + (of_node ? "nodes" : "queues") + " shows states";
  const partition_view p(
      c.use, partition,
      of_node ? TENON_READ_NODES : TENON_READ_QUEUES | (of_application ? TENON_READ_APPLICATIONS : 0));
  nearest_name of_object(object), of_target(target);
  bool there = false;
  if (of_node)
    for (const auto &one : listed<tenon_view_node>(p->nodes)) of_object.look_at(view(one.id));
  for (const auto &one : listed<tenon_view_application>(p->active)) {
    if (of_application) of_object.look_at(view(one.id));
    there = there || view(one.id) == object;
  }
  for (const auto &one : listed<tenon_view_queue>(p->queues)) {
    if (of_queue) of_object.look_at(view(one.path));
    of_target.look_at(view(one.path));
  }
  return of_application && there ? of_target.nearest() : of_object.nearest();
}

answer act(const context &c, uint32_t action, std::string_view object, std::string_view name,
           std::string_view target = {}) {
  const tenon_host_admin &service = admin(c);
  const std::string &partition = c.asked.parameter("partition");
  const std::string full = partition.empty() ? std::string{} : full_name(c.use, partition);
  const caller who(c.asked);
  text_buffer why;
  tenon_admin_act_in in{};
  in.size = sizeof in;
  in.action = action;
  in.caller = who.get();
  in.partition = sdk::text(full);
  in.object = sdk::text(object);
  in.target = sdk::text(target);
  in.reason = sdk::text(c.asked.asked("reason").value_or(std::string_view{}));
  tenon_admin_act_out out{};
  out.size = sizeof out;
  out.error = why.out();
  const tenon_status status = service.act(c.use.host, &in, &out);
  if (status == TENON_OK) return done(name);
  // The kernel says behind what it found what to do.
  const bool says_what_to_do = status == TENON_UNSCHEDULABLE && !sdk::split_fix(why.text()).fix.empty();
  refuse(status, why.text(), says_what_to_do ? std::string() : fix_of(c, status, action, full, object, target));
}

// Of the query, or else of the body.
std::string wanted_queue(const request &asked) {
  std::string out(asked.asked("queue").value_or(std::string_view{}));
  if (out.empty() && !asked.body.empty()) {
    boost::system::error_code problem;
    const json::value body = json::parse(asked.body, problem);
    const json::value *queue = !problem && body.is_object() ? body.as_object().if_contains("queue") : nullptr;
    if (queue != nullptr && queue->is_string()) out = queue->as_string();
  }
  if (out.empty())
    throw refused{400, "queue: want the path of a leaf, in the query or as {\"queue\": \"root.leaf\"}, have none",
                  "GET /ws/v1/partition/PARTITION/queues has the paths"};
  return out;
}

// The nearest resource manager or policy group where the one that is named is not there.
std::string fix_of_configuration(const context &c, tenon_status status) {
  if (status != TENON_UNRESOLVABLE) return {};
  const snapshot all(c.use, 0);
  const std::string_view rm = c.asked.asked("rm").value_or(std::string_view{});
  const std::string_view group = c.asked.asked("policyGroup").value_or(std::string_view{});
  nearest_name near(rm.empty() ? group : rm);
  if (rm.empty()) {
    for (const auto &one : listed<tenon_view_policy_group>(all->policy_groups)) near.look_at(view(one.name));
  } else {
    for (const auto &one : listed<tenon_view_rm>(all->rms)) near.look_at(view(one.id));
  }
  return near.nearest();
}

answer configure(const context &c, std::string_view text, std::string_view name) {
  const tenon_host_admin &service = admin(c);
  const caller who(c.asked);
  text_buffer why(65'536), notes(65'536);
  tenon_admin_config_in in{};
  in.size = sizeof in;
  const auto force = c.asked.asked("force");
  in.flags = force && *force != "false" ? TENON_ADMIN_FORCED : 0;
  in.caller = who.get();
  in.rm = sdk::text(c.asked.asked("rm").value_or(std::string_view{}));
  in.policy_group = sdk::text(c.asked.asked("policyGroup").value_or(std::string_view{}));
  in.configuration = sdk::text(text);
  tenon_admin_config_out out{};
  out.size = sizeof out;
  out.error = why.out();
  out.notes = notes.out();
  const tenon_status status = service.update_config(c.use.host, &in, &out);
  if (status != TENON_OK) refuse(status, why.text(), fix_of_configuration(c, status));
  json::array warnings;
  std::istringstream lines{std::string(notes.text())};
  for (std::string line; std::getline(lines, line);) warnings.push_back(json::string(line));
  return json_answer(
      json::object{{"done", true}, {"action", name}, {"revision", out.revision}, {"warnings", std::move(warnings)}});
}

}  // namespace

answer post_config(const context &c) {
  if (c.asked.body.empty())
    throw refused{400, "body: want a queues.yaml, have nothing",
                  "send the text, as with curl --data-binary @queues.yaml"};
  return configure(c, c.asked.body, "config");
}
answer post_reload(const context &c) { return configure(c, {}, "reload"); }

answer post_stop_partition(const context &c) { return act(c, TENON_ADMIN_STOP_PARTITION, {}, "stop partition"); }
answer post_start_partition(const context &c) { return act(c, TENON_ADMIN_START_PARTITION, {}, "start partition"); }
answer post_drain_partition(const context &c) { return act(c, TENON_ADMIN_DRAIN_PARTITION, {}, "drain partition"); }
answer post_canary_back(const context &c) { return act(c, TENON_ADMIN_CANARY_BACK, {}, "canary back"); }
answer post_canary_again(const context &c) { return act(c, TENON_ADMIN_CANARY_AGAIN, {}, "canary again"); }
answer post_drain_node(const context &c) {
  return act(c, TENON_ADMIN_DRAIN_NODE, c.asked.parameter("node"), "drain node");
}
answer post_undrain_node(const context &c) {
  return act(c, TENON_ADMIN_UNDRAIN_NODE, c.asked.parameter("node"), "undrain node");
}
answer post_stop_queue(const context &c) {
  return act(c, TENON_ADMIN_STOP_QUEUE, c.asked.parameter("queue"), "stop queue");
}
answer post_start_queue(const context &c) {
  return act(c, TENON_ADMIN_START_QUEUE, c.asked.parameter("queue"), "start queue");
}
answer post_kill_application(const context &c) {
  return act(c, TENON_ADMIN_KILL_APPLICATION, c.asked.parameter("application"), "kill application");
}
answer post_move_application(const context &c) {
  return act(c, TENON_ADMIN_MOVE_APPLICATION, c.asked.parameter("application"), "move application",
             wanted_queue(c.asked));
}
answer post_recovery_done(const context &c) {
  return act(c, TENON_ADMIN_RECOVERY_DONE, c.asked.parameter("rm"), "recovery done");
}
answer put_log_level(const context &c) {
  return act(c, TENON_ADMIN_LOG_LEVEL, c.asked.parameter("level"), "log level");
}

}  // namespace tenon::rest
