// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of placement: rules, access, dynamic queues and the cleaner.
#include "scene.hpp"

namespace tenon::testing {
namespace {

placement_rule_config rule(std::string name, bool create = false, std::string value = {}) {
  placement_rule_config r;
  r.name = std::move(name);
  r.create = create;
  r.value = std::move(value);
  return r;
}

placement_rule_config below(placement_rule_config r, placement_rule_config parent) {
  r.parent = {std::move(parent)};
  return r;
}

template <class T>
class RulesOfPlacement : public scene<T> {
 protected:
  static cluster_config cluster(std::vector<placement_rule_config> rules, std::vector<queue_config> queues) {
    cluster_config c = make_cluster(std::move(queues));
    c.partitions[0].placement_rules = std::move(rules);
    return c;
  }
  void begin(std::vector<placement_rule_config> rules, std::vector<queue_config> queues) {
    this->start(cluster(std::move(rules), std::move(queues)));
  }
  // Where it is placed, "" when it is not.
  std::string place(const std::string &id, app_options o) {
    this->add_app(id, std::move(o));
    const auto a = this->app(id);
    return a->state == application_state::rejected ? "" : a->queue;
  }
};
TYPED_TEST_SUITE(RulesOfPlacement, schedulers);

TYPED_TEST(RulesOfPlacement, AccessComesFromAnyLevel) {
  queue_config open = make_queue("open"), admin = make_queue("admin"), inherit = make_queue("inherit");
  open.submit_acl = "*";
  admin.admin_acl = " admins";
  queue_config parent = make_queue("parent", {open, admin, inherit});
  parent.submit_acl = "one,two group-1";
  cluster_config c = make_cluster({parent});
  c.partitions[0].root.submit_acl = "";
  c.partitions[0].root.admin_acl = "boss";
  this->start(c);
  EXPECT_EQ(this->place("a1", {.queue = "root.parent.open", .user = "any"}), "root.parent.open");
  EXPECT_EQ(this->place("a2", {.queue = "root.parent.inherit", .user = "two"}), "root.parent.inherit");
  EXPECT_EQ(this->place("a3", {.queue = "root.parent.inherit", .user = "any", .groups = {"group-1"}}),
            "root.parent.inherit");
  EXPECT_EQ(this->place("a4", {.queue = "root.parent.inherit", .user = "any"}), "");
  EXPECT_EQ(this->place("a5", {.queue = "root.parent.admin", .user = "any", .groups = {"admins"}}),
            "root.parent.admin");
  EXPECT_EQ(this->place("a6", {.queue = "root.parent.admin", .user = "boss"}), "root.parent.admin");
}

TYPED_TEST(RulesOfPlacement, ARefusedOneHearsWhatSpeaksAgainstItsQueue) {
  queue_config parent = make_queue("parent", {make_queue("closed"), make_queue("other")});
  parent.submit_acl = "one";
  cluster_config c = make_cluster({parent});
  c.partitions[0].root.submit_acl = "";
  this->start(c);
  const auto refused = [&](const std::string &queue, const std::string &user, const std::string &why) {
    EXPECT_THAT(this->add_app(queue, {.queue = queue, .user = user}),
                ElementsAre("application_rejected " + queue + ": failed to place application " + queue +
                            ": application rejected: no placement rule matched" + why));
  };
  refused("root.parent.closed", "any",
          "; user any may not submit to queue root.parent.closed: no submitacl or adminacl of these queues has the "
          "user or a group of the user: root.parent.closed, root.parent, root; add any to submitacl of queue "
          "root.parent.closed in queues.yaml, or use a queue that is open");
  refused("root.parent", "one",
          "; queue root.parent is no leaf: applications are in leaves; below root.parent there are closed, other; use "
          "one of "
          "them, as root.parent.closed");
  refused("root.parent.close", "one",
          "; there is no queue root.parent.close; below root.parent there are closed, other; did you mean "
          "root.parent.closed?");
  refused("root.nowhere.at.all", "one",
          "; there is no queue root.nowhere.at.all; below root there is parent; use root.parent");
  refused("root.parent.other.more", "one",
          "; there is no queue root.parent.other.more; root.parent.other is a leaf: use it, or add the queue to "
          "queues.yaml");
  refused("parent.other", "one",
          "; queue parent.other is not named in full; name it from root on, as root.parent.other");
  EXPECT_THAT(
      this->add_app("none", {.queue = "", .user = "one"}),
      ElementsAre("application_rejected none: failed to place application none: application rejected: no placement "
                  "rule matched; the application names no queue; below root there is parent; set queueName to a "
                  "leaf, or add a rule to placementrules of the partition that finds one"));
}

TYPED_TEST(RulesOfPlacement, ProvidedTakesLeavesAndRootDefaultIsTheLastResort) {
  this->begin({}, {make_queue("parent", {make_queue("leaf")}), make_queue("default")});
  EXPECT_EQ(this->place("a1", {.queue = "ROOT.Parent.Leaf"}), "root.default") << "only root. makes a full path";
  EXPECT_EQ(this->place("a2", {.queue = "root.Parent.Leaf"}), "root.parent.leaf");
  EXPECT_EQ(this->place("a3", {.queue = "default"}), "root.default");
  EXPECT_EQ(this->place("a4", {.queue = "root.parent"}), "root.default");
  EXPECT_EQ(this->place("a5", {.queue = ""}), "root.default");
  EXPECT_EQ(this->place("a6", {.queue = "root.parent.l eaf"}), "");
}

TYPED_TEST(RulesOfPlacement, RulesAreTriedInOrder) {
  this->begin({rule("tag", false, "namespace"), rule("user"), rule("fixed", true, "root.rest")},
              {make_queue("space"), make_queue("me")});
  EXPECT_EQ(this->place("a1", {.user = "me", .tags = {{"Namespace", "space"}}}), "root.space");
  EXPECT_EQ(this->place("a2", {.user = "me", .tags = {{"namespace", "unknown"}}}), "root.me");
  EXPECT_EQ(this->place("a3", {.user = "you"}), "root.rest");
}

TYPED_TEST(RulesOfPlacement, ParentsAreRulesOfTheirOwn) {
  this->begin({below(rule("user", true), below(rule("tag", true, "namespace"), rule("fixed", true, "top")))}, {});
  EXPECT_EQ(this->place("a1", {.user = "j.doe", .tags = {{"namespace", "space"}}}), "root.top.space.j_dot_doe");
  EXPECT_FALSE(this->queue_at("root.top.space")->managed);
  EXPECT_FALSE(this->queue_at("root.top.space")->leaf);
  EXPECT_TRUE(this->queue_at("root.top.space.j_dot_doe")->leaf);
  EXPECT_EQ(this->place("a2", {.user = "me"}), "") << "no namespace, so no parent";
  EXPECT_THAT(
      this->add_app("a3", {.user = "me", .tags = {{"namespace", "root.top.space.j_dot_doe"}}}),
      ElementsAre("application_rejected a3: failed to place application a3: parent rule returned a leaf queue: "
                  "root.top.space.j_dot_doe; let the parent of the rule in placementrules give a queue that may "
                  "have others below it"));
}

TYPED_TEST(RulesOfPlacement, FiltersChooseByUserAndGroup) {
  placement_rule_config allowed = rule("fixed", true, "allowed"), others = rule("fixed", true, "others");
  allowed.filter = {true, {"^dev-.*"}, {"qa", "ops"}};
  others.filter = {false, {"intruder"}, {}};
  this->begin({allowed, others}, {});
  EXPECT_EQ(this->place("a1", {.user = "dev-1"}), "root.allowed");
  EXPECT_EQ(this->place("a2", {.user = "me", .groups = {"x", "ops"}}), "root.allowed");
  EXPECT_EQ(this->place("a3", {.user = "me"}), "root.others");
  EXPECT_EQ(this->place("a4", {.user = "intruder"}), "");
}

TYPED_TEST(RulesOfPlacement, NothingIsMadeBelowALeaf) {
  this->begin({rule("provided", true)}, {make_queue("leaf")});
  EXPECT_THAT(
      this->add_app("a1", {.queue = "root.leaf.below"}),
      ElementsAre("application_rejected a1: failed to place application a1: creation of queue root.leaf.below "
                  "failed parent is already a leaf: root.leaf; use root.leaf, or make it a parent in queues.yaml"));
}

TYPED_TEST(RulesOfPlacement, ForcedOnesEndInTheRecoveryQueue) {
  this->begin({rule("provided", true)}, {make_queue("leaf")});
  const tags_of force{{"application.create.force", "true"}};
  EXPECT_EQ(this->place("a1", {.queue = "", .tags = force}), "root.@recovery@");
  EXPECT_EQ(this->place("a2", {.queue = "root.leaf", .tags = force}), "root.leaf");
  EXPECT_EQ(this->place("a3", {.queue = "root.@recovery@"}), "");
}

TYPED_TEST(RulesOfPlacement, DynamicLeavesFollowTheTemplate) {
  queue_config parent = make_queue("parent");
  parent.parent = true;
  parent.properties = {{"application.sort.policy", "fair"}};
  parent.child_template.max_applications = 3;
  parent.child_template.max = {{"vcore", 5}};
  parent.child_template.guaranteed = {{"vcore", 0}};
  parent.child_template.properties = {{"priority.offset", "2"}};
  this->begin({rule("provided", true)}, {parent});
  this->place("a1", {.queue = "root.parent.a.b"});
  EXPECT_EQ(this->queue_at("root.parent.a")->max, std::nullopt);
  EXPECT_EQ(this->queue_at("root.parent.a")->properties.size(), 0U);
  const auto leaf = this->queue_at("root.parent.a.b");
  EXPECT_EQ(leaf->max, (amount_map{{"vcore", 5}}));
  EXPECT_EQ(leaf->guaranteed, amount_map());
  EXPECT_EQ(leaf->max_running_apps, 3U);
  EXPECT_EQ(leaf->properties, (std::map<std::string, std::string>{{"priority.offset", "2"}}));
}

TYPED_TEST(RulesOfPlacement, NamespaceTagsSetDynamicLeavesOnly) {
  this->begin({rule("provided", true)}, {make_queue("fixed")});
  const auto quota = [](const std::string &n) {
    return tags_of{{"namespace.resourcequota", R"({"resources":{"first":{"value":)" + n + "}}}"},
                   {"namespace.resourcemaxapps", "4"}};
  };
  this->place("a1", {.queue = "root.fixed", .tags = quota("10")});
  this->place("a2", {.queue = "root.made", .tags = quota("10")});
  this->place("a3", {.queue = "root.made", .tags = quota("0")});
  EXPECT_EQ(this->queue_at("root.fixed")->max, std::nullopt);
  EXPECT_EQ(this->queue_at("root.made")->max, (amount_map{{"first", 10}}));
  EXPECT_EQ(this->queue_at("root.made")->max_running_apps, 4U);
}

TYPED_TEST(RulesOfPlacement, QuotaAndGuaranteeOfANamespaceAreAPair) {
  const auto tags = [](const std::string &quota, const std::string &guarantee) {
    const auto json = [](const std::string &n) { return R"({"resources":{"first":{"value":)" + n + "}}}"; };
    tags_of out;
    if (!quota.empty()) out["namespace.resourcequota"] = json(quota);
    if (!guarantee.empty()) out["namespace.resourceguaranteed"] = json(guarantee);
    return out;
  };
  queue_config parent = make_queue("parent");
  parent.parent = true;
  parent.child_template.max = {{"first", 70}};
  this->begin({rule("provided", true)}, {parent});
  int n = 0;
  const auto expect = [&](const std::string &queue, const tags_of &of, std::optional<amount_map> max,
                          const amount_map &guaranteed) {
    this->place("a" + std::to_string(++n), {.queue = queue, .tags = of});
    EXPECT_EQ(this->queue_at(queue)->max, max) << n;
    EXPECT_EQ(this->queue_at(queue)->guaranteed, guaranteed) << n;
  };
  const amount_map ten{{"first", 10}}, five{{"first", 5}}, none;
  expect("root.made", tags("10", "5"), ten, five);
  expect("root.made", tags("10", ""), ten, none);
  expect("root.made", tags("", "5"), std::nullopt, five);
  expect("root.made", tags("10", "5"), ten, five);
  expect("root.made", tags("", ""), ten, five);
  expect("root.made", tags("0", ""), ten, five);
  expect("root.made", tags("0", "5"), std::nullopt, five);
  expect("root.parent.made", tags("", ""), amount_map{{"first", 70}}, none);
  expect("root.parent.made", tags("10", "5"), ten, five);
  expect("root.parent.made", tags("", "5"), amount_map{{"first", 70}}, five);
}

TYPED_TEST(RulesOfPlacement, TheTemplateIsTheNearestOneAboveAlsoBelowWhatDrains) {
  const auto tagged = tags_of{{"namespace.resourceguaranteed", R"({"resources":{"first":{"value":5}}})"}};
  queue_config parent = make_queue("parent");
  parent.parent = true;
  parent.child_template.max = {{"first", 70}};
  queue_config drains = make_queue("drains"), keeps = make_queue("keeps");
  drains.parent = keeps.parent = true;
  keeps.child_template.max = {{"first", 30}};
  queue_config before = parent;
  before.queues = {drains, keeps};
  this->begin({rule("provided", true)}, {before});
  this->place("a1", {.queue = "root.parent.drains.made"});
  this->place("a2", {.queue = "root.parent.keeps.made"});
  parent.child_template.max = {{"first", 40}};
  EXPECT_THAT(this->reload(this->cluster({rule("provided", true)}, {parent})), ElementsAre("configured"));
  this->place("a3", {.queue = "root.parent.drains.made", .tags = tagged});
  this->place("a4", {.queue = "root.parent.keeps.made", .tags = tagged});
  EXPECT_EQ(this->queue_at("root.parent.drains.made")->max, (amount_map{{"first", 40}}));
  EXPECT_EQ(this->queue_at("root.parent.keeps.made")->max, (amount_map{{"first", 30}}));
}

TYPED_TEST(RulesOfPlacement, EmptyDynamicQueuesAreCleanedBottomUp) {
  this->begin({rule("provided", true)}, {make_queue("fixed")});
  this->place("a1", {.queue = "root.x.y.z"});
  this->wait(10 * second);
  EXPECT_TRUE(this->queue_at("root.x.y.z"));
  this->wait(second);
  this->remove_app("a1");
  this->wait(9 * second - 1);
  EXPECT_TRUE(this->queue_at("root.x.y.z"));
  this->wait(1);
  EXPECT_FALSE(this->queue_at("root.x"));
  EXPECT_TRUE(this->queue_at("root.fixed"));
}

}  // namespace
}  // namespace tenon::testing
