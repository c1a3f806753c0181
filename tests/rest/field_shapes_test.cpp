// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every answer against the field's shapes as recorded in field_shapes.json: no key beside them, each of its type, those
// with a ! always there. And the other way round: each key is seen, but for those that are listed here with the reason.
#include <fstream>
#include <set>
#include <sstream>

#include "rest_case.hpp"

namespace tenon::rest::testing {
namespace {

namespace json = boost::json;

class recorded_shapes {
 public:
  recorded_shapes() {
    std::ifstream in(std::string(TENON_SOURCE_DIR) + "/tests/rest/field_shapes.json");
    std::stringstream text;
    text << in.rdbuf();
    all_ = json::parse(text.str());
  }

  // `is`: "text", "integer", "flag", "number", "texts", "amounts", "any", "list:Shape" or "object:Shape".
  void check(const json::value &v, std::string_view is, const std::string &where) {
    if (is.starts_with("object:")) return check_object(v, is.substr(7), where);
    if (is.starts_with("list:") || is == "texts") {
      if (v.is_null() && is == "list:Event") return;  // nothing in that range
      ASSERT_TRUE(v.is_array()) << where << ": " << v;
      for (const auto &one : v.get_array()) check(one, is == "texts" ? "text" : is.substr(5), where + "[]");
      return;
    }
    if (is == "amounts") {
      ASSERT_TRUE(v.is_object()) << where << ": " << v;
      for (const auto &[type, amount] : v.get_object()) check(amount, "integer", where + "." + std::string(type));
      return;
    }
    const bool good = is == "text"      ? v.is_string()
                      : is == "integer" ? v.is_int64() || v.is_uint64()
                      : is == "flag"    ? v.is_bool()
                      : is == "number"  ? v.is_number()
                                        : is == "any";
    if (good) return;
    if (all_.as_object().contains(is)) return check_object(v, is, where);
    ADD_FAILURE() << where << ": want " << is << ", have " << v;
  }

  // Recorded, and in no answer.
  [[nodiscard]] std::set<std::string> unseen() const {
    std::set<std::string> out;
    for (const auto &[name, shape] : all_.as_object()) {
      for (const auto &[key, is] : shape.as_object()) {
        const std::string whole = std::string(name) + "." + std::string(bare(key));
        if (key != "*" && !seen_.contains(whole)) out.insert(whole);
      }
    }
    return out;
  }

 private:
  static std::string_view bare(std::string_view key) { return key.substr(0, key.find('!')); }

  void check_object(const json::value &v, std::string_view name, const std::string &where) {
    ASSERT_TRUE(v.is_object()) << where << ": " << v;
    const json::object &shape = all_.at(name).as_object();
    if (const auto *each = shape.if_contains("*")) {
      for (const auto &[key, value] : v.get_object()) check(value, each->as_string(), where + "." + std::string(key));
      return;
    }
    for (const auto &[key, is] : shape) {
      if (!key.ends_with('!')) continue;
      EXPECT_TRUE(v.get_object().contains(bare(key))) << where << " has no " << bare(key);
    }
    for (const auto &[key, value] : v.get_object()) {
      const auto *is = shape.if_contains(key);
      if (is == nullptr) is = shape.if_contains(std::string(key) + "!");
      ASSERT_NE(is, nullptr) << where << " has a key that the field does not have: " << key;
      seen_.insert(std::string(name) + "." + std::string(key));
      check(value, is->as_string(), where + "." + std::string(key));
    }
  }

  json::value all_;
  std::set<std::string> seen_;
};

constexpr const char *rich_queues = R"(
partitions:
  - name: default
    placementrules:
      - name: provided
        create: false
        filter: {type: allow, users: [alice, bob], groups: ["^grp"]}
      - {name: tag, value: namespace, create: true, filter: {users: ["^ali"], groups: [dev]}, parent: {name: user}}
    nodesortpolicy: {type: fair, resourceweights: {vcore: 2.5}}
    preemption: {enabled: true, quotapreemptionenabled: false}
    reservation: {delay: 1ms}
    queues:
      - name: root
        submitacl: "*"
        limits:
          - {limit: hers, groups: [alice], maxapplications: 40}
          - {limit: everybody, users: ["*"], groups: ["*"], maxapplications: 50, maxresources: {vcore: 100}}
        queues:
          - name: default
            maxapplications: 20
            properties: {application.sort.policy: fifo, priority.offset: "3", quota.preemption.delay: 5s}
          - name: small
            adminacl: olga
            resources: {max: {vcore: 2}, guaranteed: {vcore: 1}}
          - name: other
            parent: true
            childtemplate:
              maxapplications: 3
              properties: {application.sort.policy: fifo}
              resources: {max: {vcore: 9}, guaranteed: {vcore: 1}}
)";

class FieldShapes : public rest_case {
 protected:
  // Something of everything.
  void rich_cluster() {
    const uint64_t rm = enter();
    interface::requests first;
    first.node("node-1", {{"vcore", 6000}, {"memory", 1000}},
               {{"si/hostname", "host-1"}, {"si/rackname", "rack"}, {"si/instance-type", "large"}});
    first.node("node-2", {{"vcore", 2000}, {"memory", 1000}});
    first.application("app-1").application("app-2", "root.small").application("app-3").application("full");
    first.application("nowhere", "root.none").gang("gang", {{"vcore", 2000}});
    first.allocation({.application = "", .key = "foreign-1", .tags = {{"foreign", "default"}}}, "node-2");
    first.ask({.application = "gang", .key = "ph", .max_allocations = 2, .task_group = "tg", .placeholder = true});
    first.ask({.application = "app-1", .key = "runs", .priority = 7, .tags = {{"a", "b"}}});
    first.ask({.application = "app-1", .key = "ends"});
    first.ask({.application = "app-2", .key = "large", .resources = {{"vcore", 3000}}, .priority = 5});
    first.ask({.application = "app-3",
               .key = "bound",
               .resources = {{"vcore", 9000}},
               .tags = {{"yunikorn.apache.org/requiredNode", "node-1"}}});
    submit(rm, first);
    until_allocations("gang", 2);
    until_allocations("app-1", 2);
    interface::requests second;
    second.release("app-1", "ends");
    second.ask({.application = "gang", .key = "real", .task_group = "tg"});
    // No node has so much free, and node-1 could have.
    second.ask({.application = "full", .key = "reserves", .resources = {{"vcore", 5000}}, .priority = 5});
    submit(rm, second);
    // All of it is there, and no ask of the gang waits any more: the real one is to take a placeholder's place.
    until("/ws/v1/partition/default/application/full",
          [](const reply &r) { return r.body.find("\"reserves\"") != std::string::npos; });
    until("/ws/v1/partition/default/application/gang",
          [](const reply &r) { return !r.json().as_object().contains("requests"); });
    interface::requests third;
    third.release("gang", "ph", {}, TENON_TERMINATION_REPLACED);
    submit(rm, third);
    until("/ws/v1/partition/default/application/gang",
          [](const reply &r) { return r.body.find("\"placeholderUsed\":true") != std::string::npos; });
    until("/ws/v1/partition/default/application/full",
          [](const reply &r) { return r.body.find("\"hasReserved\":true") != std::string::npos; });
    post("/tenon/v1/partition/default/application/app-2/kill", {}, "everything-goes-here");
  }
  void until_allocations(const std::string &app, size_t count) {
    until("/ws/v1/partition/default/application/" + app, [&](const reply &r) {
      if (r.status != 200) return false;
      const json::value v = r.json();
      const auto *all = v.as_object().if_contains("allocations");
      return all != nullptr && all->as_array().size() == count;
    });
  }
};

TEST_F(FieldShapes, AreThoseOfEveryAnswer) {
  queues_yaml_ = rich_queues;
  open();
  recorded_shapes shapes;
  const auto look = [&](const std::string &path, std::string_view is) {
    const reply r = get(path, {{"Accept", "application/json"}});
    EXPECT_EQ(r.status, 200U) << path << r.body;
    if (r.status == 200) shapes.check(r.json(), is, path);
  };
  look("/ws/v1/config", "object:Config");  // before any resource manager, too
  rich_cluster();
  const std::string p = "/ws/v1/partition/default";
  look("/ws/v1/clusters", "list:Cluster");
  look("/ws/v1/config", "object:Config");
  look("/ws/v1/history/apps", "list:ApplicationHistory");
  look("/ws/v1/history/containers", "list:ContainerHistory");
  look("/ws/v1/partitions", "list:Partition");
  look(p + "/placementrules", "list:PlacementRule");
  look(p + "/queues", "object:Queue");
  look(p + "/queue/root.default", "object:Queue");
  look(p + "/queue/root?subtree", "object:Queue");
  look(p + "/nodes", "list:Node");
  look(p + "/node/node-1", "object:Node");
  look(p + "/queue/root.default/applications", "list:Application");
  look(p + "/queue/root.default/applications/active?status=running", "list:Application");
  look(p + "/queue/root.default/application/app-1", "object:Application");
  look(p + "/application/gang", "object:Application");
  look(p + "/applications/active", "list:Application");
  look(p + "/applications/rejected", "list:Application");
  look(p + "/applications/completed", "list:Application");
  look(p + "/usage/users", "list:UserUsage");
  look(p + "/usage/user/alice", "object:UserUsage");
  look(p + "/usage/groups", "list:GroupUsage");
  look(p + "/usage/group/alice", "object:GroupUsage");
  look("/ws/v1/events/batch", "object:EventBatch");
  look("/ws/v1/events/batch?start=1000000000", "object:EventBatch");
  look("/ws/v1/scheduler/healthcheck", "object:Health");
  look("/ws/v1/scheduler/node-utilizations", "list:NodeUtilizations");
  look("/debug/fullstatedump", "object:StateDump");
  shapes.check(post("/ws/v1/validate-conf", rich_queues).json(), "object:Validation", "validate-conf");
  shapes.check(post("/ws/v1/validate-conf", "partitions: 5").json(), "object:Validation", "validate-conf");
  shapes.check(get(p + "/application/none").json(), "object:Error", "an error");
  const std::set<std::string> not_here = {
      // Nobody preempts.
      "Allocation.preempted", "Ask.triggeredPreemption", "Queue.preemptingResource",
      "ResourceHistory.preemptedResource",
      // All of the gang is replaced by now, and no ask of it waits.
      "Allocation.placeholder", "Ask.placeholder", "Ask.taskGroupName",
      // No order of applications puts any off, none says which pod is its first, no autoscaler is asked.
      "Application.backoffDeadline", "Allocation.originator", "Ask.originator", "Ask.triggeredScaleUp",
      // Not in this configuration.
      "Config.Extra", "ConfigPartition.Limits", "ConfigResolver.type",
      // All is well.
      "HealthCheck.DiagnosisMessage",
      // Never: docs/rest.md.
      "EventStream.CreatedAt", "EventStream.Name", "StateDump.eventStreams"};
  EXPECT_EQ(shapes.unseen(), not_here);
}

}  // namespace
}  // namespace tenon::rest::testing
