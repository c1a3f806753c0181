// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every endpoint: its status, its keys and their types, as the document that describes them says.
#include <set>

#include "rest_case.hpp"

namespace tenon::rest::testing {
namespace {

namespace json = boost::json;

// Does a value have the shape that a schema of the document says, with no key beside it?
class shapes {
 public:
  explicit shapes(json::value document) : document_(std::move(document)) {}

  void check(const json::value &v, const json::object &schema, const std::string &where) const {
    if (const auto *reference = schema.if_contains("$ref")) {
      const std::string name(reference->as_string());
      const auto &named = document_.at("components").at("schemas").at(name.substr(name.rfind('/') + 1));
      return check(v, named.as_object(), where);
    }
    const auto *type = schema.if_contains("type");
    if (type == nullptr) return;
    const std::string_view is = type->as_string();
    if (is == "string") {
      EXPECT_TRUE(v.is_string()) << where;
    } else if (is == "integer") {
      EXPECT_TRUE(v.is_int64() || v.is_uint64()) << where << ": " << v;
    } else if (is == "boolean") {
      EXPECT_TRUE(v.is_bool()) << where;
    } else if (is == "array") {
      if (v.is_null()) return;
      ASSERT_TRUE(v.is_array()) << where;
      for (const auto &one : v.as_array()) check(one, schema.at("items").as_object(), where + "[]");
    } else if (is == "object") {
      ASSERT_TRUE(v.is_object()) << where;
      check_object(v.as_object(), schema, where);
    }
  }

  // Of the answer to a GET of this path.
  void check_answer(const std::string &path, const json::value &v) const {
    const auto &content = document_.at("paths").at(path).at("get").at("responses").at("200").at("content");
    check(v, content.at("application/json").at("schema").as_object(), path);
  }

 private:
  void check_object(const json::object &o, const json::object &schema, const std::string &where) const {
    if (const auto *values = schema.if_contains("additionalProperties")) {
      for (const auto &[key, value] : o) check(value, values->as_object(), where + "." + std::string(key));
      return;
    }
    const auto *properties = schema.if_contains("properties");
    if (properties == nullptr) return;
    for (const auto &[key, value] : o) {
      const auto *known = properties->as_object().if_contains(key);
      ASSERT_NE(known, nullptr) << where << " has a key that nobody described: " << key;
      check(value, known->as_object(), where + "." + std::string(key));
    }
    if (const auto *required = schema.if_contains("required")) {
      for (const auto &key : required->as_array()) {
        EXPECT_TRUE(o.contains(key.as_string())) << where << " has no " << key;
      }
    }
  }

  json::value document_;
};

class Endpoints : public rest_case {};

TEST_F(Endpoints, HaveTheShapesThatAreDescribed) {
  open();
  small_cluster();
  const shapes all(get("/tenon/v1/openapi.json").json());
  const std::string p = "/ws/v1/partition/default", t = "/ws/v1/partition/{partition}";
  const std::vector<std::pair<std::string, std::string>> paths = {
      {"/ws/v1/clusters", "/ws/v1/clusters"},
      {"/ws/v1/history/apps", "/ws/v1/history/apps"},
      {"/ws/v1/history/containers", "/ws/v1/history/containers"},
      {"/ws/v1/partitions", "/ws/v1/partitions"},
      {p + "/placementrules", t + "/placementrules"},
      {p + "/queues", t + "/queues"},
      {p + "/queue/root?subtree", t + "/queue/{queue}"},
      {p + "/queue/root.default", t + "/queue/{queue}"},
      {p + "/nodes", t + "/nodes"},
      {p + "/node/node-1", t + "/node/{node}"},
      {p + "/queue/root.default/applications", t + "/queue/{queue}/applications"},
      {p + "/queue/root.default/applications/active?status=Starting", t + "/queue/{queue}/applications/{state}"},
      {p + "/queue/root.default/application/app-1", t + "/queue/{queue}/application/{application}"},
      {p + "/application/app-1", t + "/application/{application}"},
      {p + "/applications/active", t + "/applications/{state}"},
      {p + "/applications/rejected", t + "/applications/{state}"},
      {p + "/applications/completed", t + "/applications/{state}"},
      {p + "/usage/users", t + "/usage/users"},
      {p + "/usage/user/alice", t + "/usage/user/{user}"},
      {p + "/usage/groups", t + "/usage/groups"},
      {"/ws/v1/events/batch", "/ws/v1/events/batch"},
      {"/ws/v1/scheduler/healthcheck", "/ws/v1/scheduler/healthcheck"},
      {"/ws/v1/scheduler/node-utilizations", "/ws/v1/scheduler/node-utilizations"},
      {"/debug/fullstatedump", "/debug/fullstatedump"},
      {"/tenon/v1/modules", "/tenon/v1/modules"},
      {"/tenon/v1/call-shadows", "/tenon/v1/call-shadows"},
      {"/tenon/v1/rms", "/tenon/v1/rms"},
      {"/tenon/v1/partition/default/history", "/tenon/v1/partition/{partition}/history"},
      {"/tenon/v1/partition/default/queue/root.default/history",
       "/tenon/v1/partition/{partition}/queue/{queue}/history"},
      {"/tenon/v1/partition/default/reservations", "/tenon/v1/partition/{partition}/reservations"},
      {"/tenon/v1/partition/default/preemptions", "/tenon/v1/partition/{partition}/preemptions"},
      {"/tenon/v1/partition/default/devices", "/tenon/v1/partition/{partition}/devices"},
      {"/tenon/v1/partition/default/application/app-2/explain/large",
       "/tenon/v1/partition/{partition}/application/{application}/explain/{key}"},
  };
  for (const auto &[path, described] : paths) {
    const reply r = get(path);
    EXPECT_EQ(r.status, 200U) << path << " " << r.body;
    EXPECT_EQ(r.headers.at("content-type"), "application/json; charset=UTF-8") << path;
    if (r.status == 200) all.check_answer(described, r.json());
  }
}

TEST_F(Endpoints, SayThatADeploymentHasNoShadow) {
  open();
  const reply none = get("/tenon/v1/shadow");
  EXPECT_EQ(none.status, 404U);
  EXPECT_NE(none.body.find("no shadow: the deployment has none"), std::string::npos) << none.body;
}

TEST_F(Endpoints, SayWhatRuns) {
  open();
  small_cluster();
  const json::value app = get("/ws/v1/partition/default/application/app-1").json();
  EXPECT_EQ(app.at("applicationID"), "app-1");
  EXPECT_EQ(app.at("usedResource").at("vcore"), 3000);
  EXPECT_EQ(app.at("maxUsedResource").at("vcore"), 3000);
  EXPECT_EQ(app.at("queueName"), "root.default");
  EXPECT_EQ(app.at("allocations").at(0).at("allocationTags").at("a"), "b");
  const json::value waiting = get("/ws/v1/partition/default/application/app-2").json();
  EXPECT_EQ(waiting.at("requests").at(0).at("allocationKey"), "large");
  const json::value queue = get("/ws/v1/partition/default/queue/root.small").json();
  EXPECT_EQ(queue.at("pendingResource").at("vcore"), 3000);
  EXPECT_EQ(queue.at("maxResource").at("vcore"), 2000);
  EXPECT_FALSE(queue.as_object().contains("children"));
  const json::value tree = get("/ws/v1/partition/default/queues").json();
  EXPECT_EQ(tree.at("children").as_array().size(), 3U);
  EXPECT_EQ(tree.at("partition"), "default");
  const json::value node = get("/ws/v1/partition/default/node/node-1").json();
  EXPECT_EQ(node.at("hostName"), "host-1");
  EXPECT_EQ(node.at("rackName"), "rack");
  // YuniKorn's pages read the attributes of every node, also of one without any of its own.
  EXPECT_EQ(node.at("attributes").at("si/node-partition"), "[rm]default");
  const json::value plain = get("/ws/v1/partition/default/node/node-2").json();
  EXPECT_EQ(plain.at("attributes"), (json::value{{"si/node-partition", "[rm]default"}}));
  const json::value rejected = get("/ws/v1/partition/default/applications/rejected").json();
  EXPECT_EQ(rejected.at(0).at("applicationID"), "nowhere");
  EXPECT_EQ(get("/ws/v1/scheduler/healthcheck").json().at("Healthy"), true);
  // Nobody uses memory, and the nodes are counted nevertheless.
  const json::value use = get("/ws/v1/scheduler/node-utilizations").json().at(0).at("utilizations");
  EXPECT_EQ(use.at(0).at("type"), "memory");
  EXPECT_EQ(use.at(0).at("utilization").at(0).at("numOfNodes"), 2);
  const json::value modules = get("/tenon/v1/modules").json();
  for (const auto &module : modules.as_array()) {
    if (module.at("module") == "tenon.node-fair") {
      EXPECT_EQ(module.at("kind"), "node-sort");
    }
    EXPECT_TRUE(module.as_object().contains("kind")) << module;
  }
  EXPECT_EQ(get("/ws/v1/partitions").json().at(0).at("totalContainers"), 3);
  EXPECT_EQ(get("/ws/v1/history/containers").json().as_array().back().at("totalContainers"), "3");
  const json::value why = get("/tenon/v1/partition/default/application/app-2/explain/large").json();
  EXPECT_EQ(why.at("pending"), true);
  EXPECT_EQ(why.at("obstacles").at(0).at("queue"), "root.small") << why;
  const std::string first =
      "It can never run as the cluster is: it asks 3 of vcore, the max of queue root.small is 2. "
      "To let it run, ask for at most 2 of vcore, use another queue, or raise max vcore of queue "
      "root.small to 3.\n";
  EXPECT_EQ(std::string(why.at("text").as_string()).substr(0, first.size()), first);
}

TEST_F(Endpoints, RememberWhatAnApplicationUsedAtMost) {
  open();
  const uint64_t session = small_cluster();
  submit(session, interface::requests().release("app-1", "ask-0"));
  const reply last = until("/ws/v1/partition/default/application/app-1",
                           [](const reply &r) { return r.json().at("usedResource").at("vcore") == 2000; });
  EXPECT_EQ(last.json().at("usedResource").at("vcore"), 2000);
  EXPECT_EQ(last.json().at("maxUsedResource").at("vcore"), 3000);
}

TEST_F(Endpoints, RefuseWithTheDocumentedBody) {
  open();
  small_cluster();
  const std::string p = "/ws/v1/partition/default";
  const std::vector<std::tuple<std::string, unsigned, std::string, std::string>> cases = {
      {p + "/queue/root.a%20b", 400,
       "invalid queue name, max 64 characters consisting of alphanumeric characters and '-', '_', '#', '@', '/', ':' "
       "allowed",
       "ask for a path of GET /ws/v1/partition/PARTITION/queues"},
      {p + "/usage/user/*", 400, "Invalid user name", "it begins with a letter or _"},
      {p + "/usage/group/*", 400, "Invalid group name", "it begins with a letter or _"},
      {p + "/applications/none", 400, "Only following application states are allowed: active, rejected, completed",
       "have 'none'; a state as running goes with active"},
      {p + "/queue/root.default/applications/completed", 400, "Only following application states are allowed: active",
       "GET /ws/v1/partition/PARTITION/applications/completed"},
      {p + "/applications/active?status=none", 400,
       "Only following active statuses are allowed: new,accepted,starting,running,completing,failing,resuming",
       "have 'none'"},
      {"/ws/v1/events/batch?count=0", 400, "0 is not a valid value for \"count\"", "ask for 1 or more"},
      {p + "/nodes?cursor=x", 400, "query parameter \"cursor\": want one of Tenon-Next-Cursor",
       "leave it out for the first page"},
      {"/tenon/v1/partition/default/application/app-2/explain/larg", 404, "", "did you mean 'large'?"},
      {"/tenon/v1/partition/default/application/app-11/explain/ask-9", 404, "", "did you mean 'app-1'?"},
      {p + "/queue/root.%zz", 400, "invalid URL escape in queue", "write % as %25"},
      {p + "/nodes?limt=5", 400, "there is no query parameter \"limt\"", "did you mean 'limit'?"},
      {p + "/nodes?fields=nodeid", 400, "", "did you mean 'nodeID'?"},
      {"/tenon/v1/reload", 405, "Method Not Allowed", "this path takes POST, OPTIONS"},
  };
  for (const auto &[path, status, message, fix] : cases) {
    const reply r = get(path);
    EXPECT_EQ(r.status, status) << path << r.body;
    EXPECT_EQ(r.json().at("status_code"), status) << path;
    const std::string said(r.json().at("message").as_string()), whole(r.json().at("description").as_string());
    if (!message.empty()) {
      EXPECT_EQ(said, message) << path;
    }
    EXPECT_THAT(whole, ::testing::StartsWith(said.substr(0, said.find_last_not_of('.') + 1) + "; ")) << path;
    EXPECT_THAT(whole, ::testing::HasSubstr(fix)) << path;
  }
  for (const auto &[path, message, description] : std::vector<std::array<std::string, 3>>{
           {"/ws/v1/partition/defaul/queues", "Partition not found", "there is no 'defaul'; did you mean 'default'?"},
           {p + "/queue/root.defaul", "Queue not found", "there is no 'root.defaul'; did you mean 'root.default'?"},
           {p + "/node/none", "Node not found", "there is no 'none'; did you mean '"},
           {p + "/application/none", "Application not found", "there is no 'none'; one that is there is 'app-"},
           {p + "/usage/user/anne", "User not found", "there is no 'anne'; did you mean '"},
           {p + "/usage/group/none", "Group not found", "there is no 'none', and none at all"},
           {"/ws/v1/config?rm=none", "Configuration not found", "there is no 'none'; one that is there is 'rm'"},
           {"/ws/v1/config?policyGroup=defalt", "Configuration not found",
            "there is no 'defalt'; did you mean 'default'?"},
           {"/ws/v1/partitons", "Resource not found", "did you mean '/ws/v1/partitions'?"},
           {"/ws/v2/partitions", "Resource not found", "did you mean '/ws/v1/partitions'?"},
           {p + "/queuess", "Resource not found", "did you mean '" + p + "/queues'?"},
           {"/tenon/v1/none", "Resource not found", "did you mean '/tenon/v1/"}}) {
    const reply r = get(path);
    EXPECT_EQ(r.status, 404U) << path << r.body;
    EXPECT_EQ(r.json().at("message").as_string(), message) << path;
    EXPECT_THAT(std::string(r.json().at("description").as_string()), testing::HasSubstr(description)) << path;
  }
  EXPECT_EQ(get("/none").status, 404U);
  EXPECT_THAT(get("/none").body,
              ::testing::StartsWith("404 page not found\nThere is no /none: paths here begin with /ws/v1/"));
  EXPECT_EQ(send(port_, "DELETE", "/ws/v1/partitions").status, 405U);
  const reply slash = get("/ws/v1/partitions/");
  EXPECT_EQ(slash.status, 301U);
  EXPECT_EQ(slash.headers.at("location"), "/ws/v1/partitions");
  EXPECT_EQ(send(port_, "POST", "/ws/v1/validate-conf/").status, 308U);
  EXPECT_EQ(get("/ws/v1/stack?a=b").headers.at("location"), "/debug/stack?a=b");
  EXPECT_EQ(get("/ws/v1/stack").body, "<a href=\"/debug/stack\">Moved Permanently</a>.\n");
  EXPECT_EQ(get("/ws/v1/fullstatedump").headers.at("location"), "/debug/fullstatedump");
}

TEST_F(Endpoints, GiveListsInPages) {
  open();
  small_cluster();
  std::set<std::string> seen;
  std::string cursor;
  for (int i = 0; i < 5; ++i) {
    const reply r =
        get("/ws/v1/partition/default/nodes?limit=1&fields=nodeID" + (cursor.empty() ? "" : "&cursor=" + cursor));
    ASSERT_EQ(r.status, 200U) << r.body;
    const json::value page = r.json();
    for (const auto &one : page.as_array()) {
      EXPECT_EQ(one.as_object().size(), 1U);
      seen.insert(std::string(one.at("nodeID").as_string()));
    }
    const auto next = r.headers.find("tenon-next-cursor");
    if (next == r.headers.end()) break;
    cursor = next->second;
  }
  EXPECT_EQ(seen, (std::set<std::string>{"node-1", "node-2"}));
  EXPECT_EQ(get("/ws/v1/partition/default/nodes?fields=none").status, 400U);
  EXPECT_EQ(get("/ws/v1/partition/default/nodes?limit=0").status, 400U);
  EXPECT_EQ(get("/ws/v1/partition/default/nodes?cursor=x").status, 400U);
}

TEST_F(Endpoints, CompressWhatIsWorthIt) {
  open();
  small_cluster();
  const reply r = get("/ws/v1/partition/default/queues", {{"Accept-Encoding", "deflate, gzip;q=0.5"}});
  EXPECT_EQ(r.headers.at("content-encoding"), "gzip");
  EXPECT_EQ(r.headers.at("vary"), "Accept-Encoding");
  EXPECT_EQ(r.body.substr(0, 2), "\x1f\x8b");
  EXPECT_FALSE(
      get("/ws/v1/partition/default/queues", {{"Accept-Encoding", "gzip;q=0"}}).headers.contains("content-encoding"));
  EXPECT_FALSE(get("/ws/v1/clusters", {{"Accept-Encoding", "gzip"}}).headers.contains("content-encoding"));
}

TEST_F(Endpoints, ShowAndCheckConfigurations) {
  open();
  EXPECT_NE(get("/ws/v1/config").body.find("olga"), std::string::npos);  // nobody has registered yet
  EXPECT_NE(get("/ws/v1/config?policyGroup=default").body.find("olga"), std::string::npos);
  EXPECT_EQ(get("/ws/v1/config?policyGroup=none").status, 404U);
  EXPECT_EQ(get("/ws/v1/config?rm=rm").status, 404U);
  small_cluster();
  const reply yaml = get("/ws/v1/config");
  EXPECT_EQ(yaml.headers.at("content-type"), "application/x-yaml; charset=UTF-8");
  EXPECT_NE(yaml.body.find("partitions:"), std::string::npos);
  EXPECT_NE(yaml.body.find("checksum:"), std::string::npos);
  const json::value parsed = get("/ws/v1/config", {{"Accept", "application/json"}}).json();
  EXPECT_EQ(parsed.at("Partitions").at(0).at("Name"), "default");
  EXPECT_EQ(parsed.at("Partitions").at(0).at("Queues").at(0).at("Queues").at(1).at("Resources").at("Max").at("vcore"),
            "2");
  EXPECT_EQ(parsed.at("DeadlockDetectionEnabled"), false);
  const json::value good = post("/ws/v1/validate-conf", queues).json();
  EXPECT_EQ(good.at("allowed"), true);
  EXPECT_EQ(good.at("checksumMatch"), true);
  const reply bad =
      post("/ws/v1/validate-conf", "partitions: [{name: default, queues: [{name: notroot, nonsense: 1}]}]");
  EXPECT_EQ(bad.status, 200U);
  EXPECT_EQ(bad.json().at("allowed"), false);
  EXPECT_FALSE(bad.json().at("reason").as_string().empty());
}

TEST_F(Endpoints, ShowTheConfigurationThatAnRmBrought) {
  open();
  small_cluster();
  interface::registration_request request;
  request.rm = "shim";
  request.config =
      "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: own, properties: "
      "{preemption.delay: 7s}}]}]}]";
  uint64_t session = 0;
  ASSERT_TRUE(rm_.enter(request, 0, session).good);
  const auto of = [&](const std::string &query) {
    return until("/ws/v1/config" + query, [](const reply &r) { return r.status == 200; }).body;
  };
  const std::string own = of("?rm=shim");
  EXPECT_NE(own.find("preemption.delay: 7s"), std::string::npos) << own;
  EXPECT_EQ(of("?rm=rm").find("preemption.delay"), std::string::npos) << "the other one has its group's";
  EXPECT_EQ(of("?policyGroup=default").find("preemption.delay"), std::string::npos);
  EXPECT_EQ(get("/ws/v1/config?rm=shim", {{"Accept", "application/json"}})
                .json()
                .at("Partitions")
                .at(0)
                .at("Queues")
                .at(0)
                .at("Queues")
                .at(0)
                .at("Properties")
                .at("preemption.delay"),
            "7s");
}

TEST_F(Endpoints, DescribeEveryRoute) {
  open();
  const json::value document = get("/tenon/v1/openapi.json").json();
  EXPECT_EQ(document.at("openapi"), "3.0.3");
  for (const auto &[path, operations] : document.at("paths").as_object()) {
    for (const auto &[method, what] : operations.as_object()) {
      EXPECT_FALSE(what.at("summary").as_string().empty()) << path << method;
    }
  }
  EXPECT_EQ(get("/").headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(get("/debug/stack").status, 200U);
}

TEST_F(Endpoints, SendFilesOfTheDashboardOnce) {
  open({"token_to_read: true"});
  EXPECT_EQ(get("/ws/v1/clusters").status, 401U);
  const reply first = get("/dashboard/main.js");
  EXPECT_EQ(first.status, 200U);
  EXPECT_EQ(first.headers.at("content-type"), "text/javascript; charset=utf-8");
  EXPECT_NE(first.headers.at("content-security-policy").find("script-src 'self'"), std::string::npos);
  const reply again = get("/dashboard/main.js", {{"If-None-Match", first.headers.at("etag")}});
  EXPECT_EQ(again.status, 304U);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(get("/dashboard/main.js", {{"If-None-Match", "W/\"another\""}}).status, 200U);
  EXPECT_EQ(get("/dashboard/none.js").status, 404U);
}

// A client that takes the server for a proxy names it in the target.
TEST_F(Endpoints, TakeATargetInAbsoluteForm) {
  open();
  const auto status = [&](const std::string &target, const std::string &host = "localhost") {
    return send_raw(port_, "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n").status;
  };
  EXPECT_EQ(status("/ws/v1/partitions"), 200U);
  EXPECT_EQ(status("http://localhost/ws/v1/partitions"), 200U);
  EXPECT_EQ(status("HTTP://127.0.0.1:9080/ws/v1/partitions?x=1"), 200U);
  EXPECT_EQ(status("https://[::1]:9080/ws/v1/partitions"), 200U);
  EXPECT_EQ(status("http://localhost/ws/v1/none"), 404U);
  EXPECT_EQ(status("http://localhost"), status("/"));
  EXPECT_EQ(status("http://localhost?x=1"), status("/"));
  EXPECT_EQ(status("http://page.example/ws/v1/partitions"), 421U) << "the target's host counts";
  EXPECT_EQ(status("http://localhost/ws/v1/partitions", "page.example"), 200U) << "and not the header field";
  EXPECT_EQ(status("ftp://localhost/ws/v1/partitions"), 404U);
}

}  // namespace
}  // namespace tenon::rest::testing
