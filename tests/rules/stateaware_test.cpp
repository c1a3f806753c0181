// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of the order stateaware: applications of a leaf start one after the other.
#include "scene.hpp"

namespace tenon::testing {
namespace {

template <class T>
class RulesOfStateaware : public scene<T> {
 protected:
  void SetUp() override {
    queue_config leaf = make_queue("leaf");
    leaf.properties["application.sort.policy"] = "stateaware";
    this->start({leaf});
    this->add("node-1", {{"vcore", 100}});
  }
  // Two applications of so many asks each, the first of them a millisecond older.
  void begin(int32_t asks) {
    for (const std::string id : {"app-1", "app-2"}) {
      this->add_app(id);
      this->ask(id, "a", {{"vcore", 1}}, {.count = asks});
      this->wait(1);
    }
  }
};
TYPED_TEST_SUITE(RulesOfStateaware, schedulers);

TYPED_TEST(RulesOfStateaware, OneStartsAfterTheOther) {
  this->begin(2);
  EXPECT_THAT(this->placed(),
              ElementsAre("app-1/a#1 on node-1", "app-1/a#2 on node-1", "app-2/a#3 on node-1", "app-2/a#4 on node-1"));
}

TYPED_TEST(RulesOfStateaware, OneThatStartsAndWantsNothingMoreKeepsTheNextOneWaitingForFiveMinutes) {
  this->begin(1);
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1"));
  this->wait(299 * second);
  EXPECT_THAT(this->placed(), IsEmpty());
  this->wait(second);
  EXPECT_THAT(this->placed(), ElementsAre("app-2/a#2 on node-1"));
}

TYPED_TEST(RulesOfStateaware, OneThatEndsWhileItStartsLetsTheNextOneGo) {
  this->begin(1);
  EXPECT_EQ(this->placed().size(), 1U);
  this->give_back("app-1", "a");
  EXPECT_THAT(this->placed(), ElementsAre("app-2/a#2 on node-1"));
  this->add_app("app-3");
  this->ask("app-3", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), IsEmpty());
  this->remove_app("app-2");
  EXPECT_THAT(this->placed(), ElementsAre("app-3/a#3 on node-1"));
}

TYPED_TEST(RulesOfStateaware, ThoseThatRunGoOnWhileOneStarts) {
  this->begin(2);
  EXPECT_EQ(this->placed().size(), 4U);
  this->add_app("app-3");
  this->ask("app-3", "a", {{"vcore", 1}});
  EXPECT_EQ(this->placed().size(), 1U);
  this->ask("app-1", "more", {{"vcore", 1}});
  this->add_app("app-4");
  this->ask("app-4", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/more#6 on node-1"));
}

TYPED_TEST(RulesOfStateaware, OfOneAgeOnlyTheOneThatCameFirstGoes) {
  this->add_app("app-1");
  this->add_app("app-2");
  this->ask("app-1", "large", {{"vcore", 101}});
  this->ask("app-2", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), IsEmpty());
  this->withdraw("app-1", "large");
  EXPECT_THAT(this->placed(), ElementsAre("app-2/a#1 on node-1"));
}

}  // namespace
}  // namespace tenon::testing
