// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// POST /tenon/v1/partition/:partition/whatif: every outcome, what is wrong with a question, and who may ask how much.
#include <algorithm>
#include <atomic>
#include <thread>

#include "rest_case.hpp"

namespace tenon::rest::testing {
namespace {

namespace json = boost::json;

class WhatIf : public rest_case {
 protected:
  const std::string path = "/tenon/v1/partition/default/whatif";

  static json::object one_ask(std::string_view queue, json::object ask) {
    return {{"applications", json::array{json::object{{"queue", queue}, {"asks", json::array{std::move(ask)}}}}}};
  }
  reply ask(const json::object &question, const std::string &token = {}) {
    return post(path, json::serialize(question), token);
  }
  // That wait for room in their queue.
  void ask_many(uint64_t session, int count) {
    interface::requests many;
    for (int i = 0; i < count; ++i)
      many.ask({.application = "app-2", .key = "many-" + std::to_string(i), .resources = {{"vcore", 3000}}});
    submit(session, many);
    until("/ws/v1/partition/default/queue/root.small",
          [&](const reply &r) { return r.json().at("pendingResource").at("vcore") == 3000 * (int64_t{count} + 1); });
  }
  // Seconds that readers took from scheduling.
  double spent() {
    const std::string page = get("/ws/v1/metrics").body, name = "\ntenon_snapshots_seconds_total ";
    const size_t at = page.find(name);
    EXPECT_NE(at, std::string::npos) << page;
    return at == std::string::npos ? 0 : std::stod(page.substr(at + name.size()));
  }
  json::value answer(const json::object &question) {
    const reply r = ask(question);
    EXPECT_EQ(r.status, 200U) << r.body;
    EXPECT_EQ(r.headers.at("content-type"), "application/json; charset=UTF-8");
    return r.json();
  }
};

TEST_F(WhatIf, SaysWhereItWouldBe) {
  open();
  small_cluster();
  const std::string before = get("/ws/v1/partition/default/applications/active").body;
  const json::value said = answer(one_ask("root.default", {{"resources", {{"vcore", "1"}}}, {"count", 2}}));
  const json::value &one = said.at("asks").at(0);
  EXPECT_EQ(said.at("partition"), "[rm]default");
  EXPECT_EQ(said.at("all_placed"), true);
  EXPECT_EQ(said.at("subject_to_check"), false);
  EXPECT_EQ(one.at("outcome"), "placed");
  EXPECT_EQ(one.at("placed").as_array().size(), 2U);
  EXPECT_TRUE(one.at("explanation").is_null());
  EXPECT_NE(said.at("text").as_string().find("2 of 2 placed"), std::string_view::npos) << said;
  EXPECT_EQ(get("/ws/v1/partition/default/applications/active").body, before) << "nothing is changed by it";
  // What the document says of the answer is what it has.
  const json::value document = get("/tenon/v1/openapi.json").json();
  const json::value &post = document.at("paths").at("/tenon/v1/partition/{partition}/whatif").at("post");
  EXPECT_TRUE(post.at("requestBody").at("content").as_object().contains("application/json"));
  EXPECT_FALSE(post.as_object().contains("security"));
  const json::value &schemas = document.at("components").at("schemas");
  for (const auto &[name, object] : {std::pair{"WhatIf", &said}, {"WhatIfAsk", &one}}) {
    for (const auto &entry : schemas.at(name).at("properties").as_object())
      EXPECT_TRUE(object->as_object().contains(entry.key())) << name << " has no " << entry.key();
    EXPECT_EQ(schemas.at(name).at("properties").as_object().size(), object->as_object().size()) << name;
  }
}

TEST_F(WhatIf, SaysWhoWouldGiveWay) {
  open();
  const uint64_t session = small_cluster();
  interface::requests more;
  for (int i = 3; i < 6; ++i) more.ask({.application = "app-1", .key = "ask-" + std::to_string(i)});
  submit(session, more);
  until("/ws/v1/partition/default/application/app-1",
        [](const reply &r) { return r.json().at("allocations").as_array().size() == 6; });
  // root.small is below its guarantee, and nothing is free.
  json::object question =
      one_ask("root.small", {{"resources", {{"vcore", 1000}}}, {"allow_preempt_other", true}, {"key", "mine"}});
  const json::value said = answer(question);
  const json::value &one = said.at("asks").at(0);
  ASSERT_EQ(one.at("outcome"), "evicts") << said;
  EXPECT_EQ(one.at("victims").at(0).at("application"), "app-1");
  EXPECT_EQ(one.at("victims").at(0).at("queue"), "root.default");
  EXPECT_EQ(one.at("placed").at(0).at("node"), one.at("victims").at(0).at("node"));
  EXPECT_EQ(said.at("all_placed"), true);
  // Before the delay of preemption is over it waits.
  question["within_ms"] = 1'000;
  EXPECT_EQ(answer(question).at("asks").at(0).at("outcome"), "waits");
}

TEST_F(WhatIf, SaysWhatItWouldWaitForOrWhyItIsRefused) {
  open();
  small_cluster();
  const json::value waits = answer(one_ask("root.small", {{"resources", {{"vcore", "3"}}}}));
  EXPECT_EQ(waits.at("asks").at(0).at("outcome"), "waits");
  EXPECT_EQ(waits.at("asks").at(0).at("explanation").at("obstacles").at(0).at("queue"), "root.small");
  EXPECT_EQ(waits.at("all_placed"), false);
  json::object of_nobody = one_ask("root.default", {{"resources", {{"vcore", "1"}}}});
  of_nobody.at("applications").at(0).as_object()["user"] = "no good";
  const json::value refused = answer(of_nobody);
  EXPECT_EQ(refused.at("asks").at(0).at("outcome"), "refused");
  EXPECT_FALSE(refused.at("asks").at(0).at("message").as_string().empty());
}

TEST_F(WhatIf, RefusesWithThePlace) {
  open();
  small_cluster();
  const auto asks = [](std::string_view text) {
    return R"({"applications":[{"asks":[{"key":"a"},)" + std::string(text) + "]}]}";
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "question: "},
      {"[]", "question: "},
      {"{\"applications\":", "question: "},
      {R"({"application":[]})", "question: 'application'; want: members that a question has: partition, applications"},
      {R"({"partition":"default","applications":[]})", "partition: "},
      {R"({"applications":[]})", "applications: none; want: at least one ask"},
      {R"({"applications":{}})", "applications: '{}'; want: a list"},
      {R"({"applications":[{"queue":3}]})", "applications[0].queue: '3'; want: a text"},
      {R"({"applications":[{"tags":{"a":1}}]})", "applications[0].tags.a: '1'; want: a text"},
      {R"({"applications":[{"groups":["a",null]}]})", "applications[0].groups[1]: 'null'; want: a text"},
      {R"({"within_ms":"1s","applications":[]})", "within_ms: '\"1s\"'; want: a whole number of 64 bits"},
      {asks("7"), "applications[0].asks[1]: '7'; want: an object"},
      {asks(R"({"count":1.5})"), "applications[0].asks[1].count: '1.5E0'; want: a whole number of 32 bits"},
      {asks(R"({"count":3000000000})"), "applications[0].asks[1].count: '3000000000'; want: a whole number"},
      {asks(R"({"count":0})"), "applications[0].asks[1].count: 0; want: 1 or more allocations"},
      {asks(R"({"gang":true})"), "applications[0].asks[1]: 'gang'; want: members that a question has: key"},
      {asks(R"({"resources":{"vcore":"two"}})"), "applications[0].asks[1].resources.vcore: "},
      {asks(R"({"allow_preempt_self":0})"), "applications[0].asks[1].allow_preempt_self: '0'; want: true or false"},
  };
  for (const auto &[body, words] : cases) {
    const reply r = post(path, body);
    EXPECT_EQ(r.status, 400U) << body;
    const std::string message(r.json().at("message").as_string());
    EXPECT_TRUE(message.starts_with(words)) << body << "\n" << message;
  }
  json::object many = one_ask("root.default", {{"resources", {{"vcore", 1}}}});
  json::array &all = many.at("applications").at(0).at("asks").as_array();
  for (int i = 0; i < 100; ++i) all.push_back(json::value(all.front()));
  EXPECT_EQ(ask(many).status, 400U) << "101 asks";
  all.pop_back();
  EXPECT_EQ(ask(many).status, 200U) << "100 asks";
  EXPECT_EQ(post("/tenon/v1/partition/none/whatif", json::serialize(many)).status, 404U);
  EXPECT_EQ(get(path).status, 405U);
}

TEST_F(WhatIf, IsOfTheUserOfTheToken) {
  queues_yaml_ = R"(
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - {name: batch, submitacl: "*"}
          - {name: small, submitacl: "olga,nobody"}
          - {name: other, submitacl: "*"}
)";
  open({"token_to_read: true"});
  const uint64_t session = enter();
  submit(session, interface::requests().node("node-1", {{"vcore", 4000}, {"memory", 1000}}));
  json::object question = one_ask("root.small", {{"resources", {{"vcore", 1}}}});
  EXPECT_EQ(ask(question).status, 401U) << "reading wants a token here";
  const auto outcome = [&](const std::string &token) {
    const reply r = ask(question, token);
    EXPECT_EQ(r.status, 200U) << r.body;
    return std::string(r.json().at("asks").at(0).at("outcome").as_string());
  };
  EXPECT_NE(outcome("queues-of-olga-only"), "refused");
  EXPECT_EQ(outcome("may-look-and-no-more"), "refused") << "pat may not submit there";
  question.at("applications").at(0).as_object()["user"] = "olga";
  EXPECT_NE(outcome("may-look-and-no-more"), "refused");
}

TEST_F(WhatIf, WantsAPartitionThatIsNotTooLarge) {
  most_copied_ = 50;
  open();
  const uint64_t session = small_cluster();
  EXPECT_EQ(ask(one_ask("root.default", {{"resources", {{"vcore", 1}}}})).status, 200U);
  ask_many(session, 50);
  const reply no = ask(one_ask("root.default", {{"resources", {{"vcore", 1}}}}));
  EXPECT_EQ(no.status, 409U);
  EXPECT_NE(no.body.find("at most 50 asks, allocations, applications and nodes"), std::string::npos) << no.body;
}

TEST_F(WhatIf, SharesACopyWhileNothingHappens) {
  open({"requests_per_second_per_client: 0"});
  const uint64_t session = small_cluster();
  ask_many(session, 20'000);
  const json::object question = one_ask("root.default", {{"resources", {{"vcore", 1}}}});
  const json::value first = answer(question);
  const double one_copy = spent();
  constexpr int more = 60;
  for (int i = 0; i < more; ++i)
    EXPECT_EQ(answer(question).at("asks"), first.at("asks")) << "each has a copy of its own";
  EXPECT_LT(spent(), 8 * one_copy) << "sixty copies take longer";
  submit(session, interface::requests().node("node-9", {{"vcore", 4000}, {"memory", 1000}}));
  until("/ws/v1/partition/default/nodes", [](const reply &r) { return r.body.find("node-9") != std::string::npos; });
  json::object of_the_new_one = question;
  of_the_new_one.at("applications").at(0).at("asks").at(0).as_object()["required_node"] = "node-9";
  const json::value now = answer(of_the_new_one);
  EXPECT_EQ(now.at("asks").at(0).at("outcome"), "placed") << "what it was before is forgotten: " << now;
}

TEST_F(WhatIf, TakesATwentiethOfTheTimeAtMost) {
  open({"requests_per_second_per_client: 0"});
  const uint64_t session = small_cluster();
  ask_many(session, 20'000);
  using clock = std::chrono::steady_clock;
  const json::object question = one_ask("root.default", {{"resources", {{"vcore", 1}}}});
  const auto seconds = [](clock::duration of) { return std::chrono::duration<double>(of).count(); };
  const double before = spent();
  const auto begin = clock::now();
  std::atomic<int> answers = 0, changes = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&, i] {
      while (seconds(clock::now() - begin) < 2) {
        const std::string key = "other-" + std::to_string(i) + "-" + std::to_string(++changes);
        submit(session,
               interface::requests().ask({.application = "app-2", .key = key, .resources = {{"vcore", 3000}}}));
        answers += ask(question).status == 200 ? 1 : 0;
      }
    });
  }
  for (std::thread &one : clients) one.join();
  EXPECT_GE(answers, 1);
  EXPECT_LE(spent() - before, 1.5 * (0.1 + seconds(clock::now() - begin) / 20)) << answers << " answers";
}

TEST_F(WhatIf, IsBoundedAsEverythingElse) {
  open({"requests_per_second_per_client: 5", "max_body_bytes: 2000"});
  small_cluster();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const json::object question = one_ask("root.default", {{"resources", {{"vcore", 1}}}});
  int good = 0, too_many = 0;
  for (int i = 0; i < 30; ++i) {
    const unsigned status = ask(question).status;
    good += status == 200 ? 1 : 0;
    too_many += status == 429 ? 1 : 0;
  }
  EXPECT_EQ(good + too_many, 30);
  EXPECT_GE(good, 5);
  EXPECT_GE(too_many, 1);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_EQ(post(path, std::string(3'000, ' ')).status, 413U);
}

}  // namespace
}  // namespace tenon::rest::testing
