// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of inspections that go in parts.
#include "scene.hpp"

namespace tenon::testing {
namespace {

template <class T>
class RulesOfInspections : public scene<T> {
 public:
  lines part(uint32_t most) { return this->run(inspect{this->partition_, {}, most}); }
  lines ask_for(const std::string &app, const std::string &key, int32_t priority = 0) {
    return this->ask(app, key, {{"vcore", 1}}, {.priority = priority});
  }
  // app-1 to app-3 in root.leaf with two asks each; there is no node.
  void begin() {
    this->start({make_queue("leaf"), make_queue("other")});
    for (const char *app : {"app-1", "app-2", "app-3"}) {
      this->add_app(app);
      ask_for(app, "a");
      ask_for(app, "b");
    }
  }
};
TYPED_TEST_SUITE(RulesOfInspections, schedulers);

TYPED_TEST(RulesOfInspections, APartLooksAtAsManyApplicationsAndAsks) {
  this->begin();
  EXPECT_THAT(this->part(6),
              ElementsAre(HasSubstr("app-1/a"), HasSubstr("app-1/b"), HasSubstr("app-2/a"), HasSubstr("app-2/b")));
  EXPECT_THAT(this->part(6), ElementsAre(HasSubstr("app-3/a"), HasSubstr("app-3/b")));
  EXPECT_THAT(this->part(6), IsEmpty()) << "a new round, which finds nothing new";
}

TYPED_TEST(RulesOfInspections, APartEndsBeforeALeafThatItDoesNotHold) {
  this->begin();
  this->add_app("app-4", {.queue = "root.other"});
  this->ask_for("app-4", "a");
  EXPECT_THAT(this->part(10), SizeIs(6));
  EXPECT_THAT(this->part(10), ElementsAre(HasSubstr("app-4/a")));
}

TYPED_TEST(RulesOfInspections, ALargeApplicationIsLookedAtInTheOrderOfItsAsks) {
  this->begin();
  this->add_app("app-4");
  for (int32_t i = 0; i < 5; ++i) this->ask_for("app-4", std::string(1, static_cast<char>('a' + i)), i);
  EXPECT_THAT(this->part(3), SizeIs(2));
  EXPECT_THAT(this->part(3), SizeIs(2));
  EXPECT_THAT(this->part(3), SizeIs(2));
  EXPECT_THAT(this->part(3), ElementsAre(HasSubstr("app-4/e"), HasSubstr("app-4/d"), HasSubstr("app-4/c")));
  this->ask_for("app-4", "f", 7);
  EXPECT_THAT(this->part(3), ElementsAre(HasSubstr("app-4/b"), HasSubstr("app-4/a"))) << "f has its turn next time";
  EXPECT_THAT(this->part(0), ElementsAre(HasSubstr("app-4/f")));
}

TYPED_TEST(RulesOfInspections, WhatOnePartSaysCountsInTheNext) {
  queue_config parent = make_queue("parent", {make_queue("one"), make_queue("two")});
  parent.max = amount_map{{"vcore", 3}};
  this->start({parent});
  for (const char *queue : {"one", "two"}) {
    this->add_app(queue, {.queue = std::string("root.parent.") + queue});
    this->ask_for(queue, "a");
    this->ask_for(queue, "b");
  }
  EXPECT_THAT(this->part(3), ElementsAre(HasSubstr("one/a: FAILED"), HasSubstr("one/b: FAILED")));
  EXPECT_THAT(this->part(3), ElementsAre(HasSubstr("two/a: FAILED"), HasSubstr("two/b: SKIPPED")));
}

TYPED_TEST(RulesOfInspections, SoItDoesForUsersAndGroups) {
  queue_config leaf = make_queue("leaf");
  leaf.limits = {make_limit({"alice"}, {}, {{"vcore", 1}}), make_limit({}, {"team"}, {{"vcore", 1}})};
  this->start({leaf});
  for (const char *app : {"app-1", "app-2"}) {
    this->add_app(app, {.user = "alice"});
    this->ask_for(app, "a");
  }
  for (const char *app : {"app-3", "app-4"}) {
    this->add_app(app, {.user = "bob", .groups = {"team"}});
    this->ask_for(app, "a");
  }
  EXPECT_THAT(this->part(2), ElementsAre(HasSubstr("app-1/a: FAILED")));
  EXPECT_THAT(this->part(2), ElementsAre(HasSubstr("app-2/a: SKIPPED")));
  EXPECT_THAT(this->part(2), ElementsAre(HasSubstr("app-3/a: FAILED")));
  EXPECT_THAT(this->part(2), ElementsAre(HasSubstr("app-4/a: SKIPPED")));
}

TYPED_TEST(RulesOfInspections, TheFirstOfAStrictLeafKeepsBackThoseOfLaterParts) {
  queue_config leaf = make_queue("leaf");
  leaf.max = amount_map{{"vcore", 4}};
  leaf.properties["queue.strict"] = "true";
  this->start({leaf});
  this->add("node-1", {{"vcore", 2}});
  this->add_app("app-0");
  this->ask("app-0", "runs", {{"vcore", 2}});
  this->placed();
  for (const char *app : {"app-1", "app-2"}) this->add_app(app);
  this->ask("app-1", "first", {{"vcore", 3}});
  this->ask_for("app-2", "small");
  EXPECT_THAT(this->part(3), ElementsAre(HasSubstr("app-1/first: SKIPPED"))) << "app-0 counts as well";
  EXPECT_THAT(this->part(3), ElementsAre(HasSubstr("app-2/small: SKIPPED"))) << "there is headroom for it alone";
}

TYPED_TEST(RulesOfInspections, WhatGoesBetweenTwoPartsIsLeftOut) {
  this->begin();
  EXPECT_THAT(this->part(3), SizeIs(2));
  this->remove_app("app-2");
  EXPECT_THAT(this->part(3), ElementsAre(HasSubstr("app-3/a"), HasSubstr("app-3/b")));
}

TYPED_TEST(RulesOfInspections, TheRoundGoesOnBehindALargeApplicationThatIsRemoved) {
  this->start({make_queue("leaf")});
  this->add_app("large");
  for (const char *key : {"a", "b", "c", "d", "e"}) this->ask_for("large", key);
  for (const char *app : {"app-1", "app-2"}) {
    this->add_app(app);
    this->ask_for(app, "a");
    this->ask_for(app, "b");
  }
  EXPECT_THAT(this->part(3), SizeIs(3));
  this->remove_app("large");
  EXPECT_THAT(this->part(3), ElementsAre(HasSubstr("app-1/a"), HasSubstr("app-1/b")));
  EXPECT_THAT(this->part(3), ElementsAre(HasSubstr("app-2/a"), HasSubstr("app-2/b")));
}

TYPED_TEST(RulesOfInspections, WhatMovesToAPlaceThatTheRoundHasPassedWaitsForTheNext) {
  queue_config leaf = make_queue("leaf");
  leaf.max = amount_map{{"vcore", 3}};
  this->start({leaf, make_queue("other")});
  this->add_app("moves", {.queue = "root.other"});
  this->ask_for("moves", "a");
  this->add_app("large");
  for (const char *key : {"a", "b", "c", "d", "e"}) this->ask_for("large", key);
  EXPECT_THAT(this->part(3),
              ElementsAre(HasSubstr("large/a: FAILED"), HasSubstr("large/b: FAILED"), HasSubstr("large/c: FAILED")));
  this->move("moves", "root.leaf");
  EXPECT_THAT(this->part(3), ElementsAre(HasSubstr("large/d: SKIPPED"), HasSubstr("large/e: SKIPPED")));
  EXPECT_THAT(this->part(3), IsEmpty()) << "the other leaf has nothing any more";
  EXPECT_THAT(this->part(0), ElementsAre(HasSubstr("moves/a: FAILED"), HasSubstr("large/c: SKIPPED")))
      << "it was submitted first";
}

TYPED_TEST(RulesOfInspections, AResourceManagerThatIsAwayEndsTheRound) {
  this->begin();
  EXPECT_THAT(this->part(3), SizeIs(2));
  this->signal(rm_signal::lost);
  EXPECT_THAT(this->part(3), IsEmpty());
  this->signal(rm_signal::back);
  this->ask_for("app-1", "c");
  EXPECT_THAT(this->part(4), ElementsAre(HasSubstr("app-1/c")));
}

TYPED_TEST(RulesOfInspections, AConfigurationEndsTheRound) {
  this->begin();
  EXPECT_THAT(this->part(3), SizeIs(2));
  this->ask_for("app-1", "c");
  this->reload(make_cluster({make_queue("leaf"), make_queue("other")}));
  EXPECT_THAT(this->part(4), ElementsAre(HasSubstr("app-1/c")));
}

}  // namespace
}  // namespace tenon::testing
