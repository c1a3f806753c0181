// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placement rules of a module in the kernel: what the kernel keeps to itself, whatever a rule says.
#include "tenon/sdk/placement_rule.hpp"

#include <gmock/gmock.h>

#include "cluster.hpp"
#include "tenon/kernel/journal.hpp"
#include "tenon/kernel/messages.hpp"

namespace {

using namespace tenon::sdk;

// Says what the tag `say` says: a name, a path with '!' before it, or what to do.
struct obedient {
  static constexpr std::string_view name = "obedient";

  placement place(const submission &app) const {
    const std::string say(app.tag("say").value_or(""));
    if (say == "?fail") throw std::runtime_error("a bug");
    if (say == "?refuse") throw invalid_config("");
    if (say == "?refuse in words") throw invalid_config("not\there\x80");
    if (say == "?time") return below_parent(std::to_string(app.now_ms()));
    if (say.starts_with("?is ")) {
      const auto found = app.find(say.substr(4));
      if (!found) return below_parent("missing");
      return below_parent((found->leaf ? "leaf-" : "parent-") + std::to_string(found->state));
    }
    return say.starts_with("!") ? full_path(say.substr(1)) : below_parent(say);
  }
};

}  // namespace

TENON_MODULE(placement_rule<obedient>)

namespace tenon::testing {
namespace {

using ::testing::ElementsAre;

// Rules of this file, and everything else as built in.
class with_obedient : public builtin_policy_source {
 public:
  [[nodiscard]] bool provides(module_kind kind, std::string_view name) const override {
    return name == "obedient" || builtin_policy_source::provides(kind, name);
  }
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override {
    static constexpr std::array modules{builtin::static_module{"test.obedient", &TENON_MODULE_ENTRY}};
    if (name != "obedient") return builtin_policy_source::bind(kind, name, configuration, max_resource_types);
    if (configuration.find("bad") != std::string_view::npos) return refusal{"here", "good", "bad", "better"};
    configurations.emplace_back(configuration);
    return bind_static(modules, kind, name, configuration, max_resource_types);
  }
  std::vector<std::string> configurations;
};

placement_rule_config rule(std::string name, bool create, std::string value = {}) {
  placement_rule_config out;
  out.name = std::move(name);
  out.create = create;
  out.value = std::move(value);
  return out;
}

class PlacementRule : public ::testing::Test {
 protected:
  // The obedient rule first, then everything into root.rest.
  void start(placement_rule_config first) {
    it_.run(register_rm{"rm", "1", "default", configured({std::move(first), rule("fixed", true, "root.rest")})});
  }
  const cluster_config *configured(std::vector<placement_rule_config> rules) {
    configs_.push_back(it_.config());
    configs_.back().partitions[0].placement_rules = std::move(rules);
    return &configs_.back();
  }
  // The queue of an application whose tag says this, or why it is refused.
  std::string place(const std::string &say) {
    const named_text tag{"SAY", say};
    const std::string id = "app-" + std::to_string(++applications_);
    add_application c;
    c.partition = default_partition;
    c.application = id;
    c.user = "testuser";
    c.tags = {&tag, 1};
    std::string out;
    it_->apply(now_ms, c);
    it_->drain([&](const decision_view &d) { out = d.queue.empty() ? text_of(d) : std::string(d.queue); });
    return out;
  }
  uint64_t faults() { return it_->counters().policy_faults; }

  static constexpr int64_t now_ms = 1'500'000;
  with_obedient policies_;
  cluster it_{policies_, {named_queue("leaf"), named_queue("parent", {}, {named_queue("below")})}};
  std::deque<cluster_config> configs_;
  int applications_ = 0;
};

TEST_F(PlacementRule, NameIsBelowTheParentRulePathIsNot) {
  placement_rule_config below = rule("obedient", true);
  below.parent = {rule("fixed", false, "root.parent")};
  start(below);
  EXPECT_EQ(place("Name"), "root.parent.name");
  EXPECT_EQ(place("two.levels"), "root.parent.two.levels");
  EXPECT_EQ(place("!root.Elsewhere"), "root.elsewhere");
}

TEST_F(PlacementRule, CreateIsTheKernels) {
  start(rule("obedient", false));
  EXPECT_EQ(place("new"), "root.rest");
  EXPECT_EQ(place("leaf"), "root.leaf");
  EXPECT_EQ(place("parent"), "root.rest") << "is no leaf";
}

TEST_F(PlacementRule, FilterIsTheKernels) {
  placement_rule_config others = rule("obedient", true);
  others.filter.users = {"other"};
  start(others);
  EXPECT_EQ(place("leaf"), "root.rest");
  EXPECT_EQ(it_->counters().policy_calls, 1U) << "of the fixed rule alone";
}

TEST_F(PlacementRule, NamesAreChecked) {
  start(rule("obedient", true));
  for (const char *bad : {"a b", "a..b", "!root.", "!root.a$", "a."}) {
    const std::string said = place(bad);
    EXPECT_THAT(said, ::testing::HasSubstr(": " + messages::queue_name_invalid() + ": \""));
  }
  EXPECT_EQ(faults(), 0U);
}

TEST_F(PlacementRule, FullPathThatDoesNotStartAtRootIsAFault) {
  start(rule("obedient", true));
  EXPECT_EQ(place("!elsewhere"), "root.rest");
  EXPECT_EQ(place("!rooted.a"), "root.rest");
  EXPECT_EQ(faults(), 2U);
}

TEST_F(PlacementRule, FaultCountsAsNoMatch) {
  start(rule("obedient", true));
  EXPECT_EQ(place("?fail"), "root.rest");
  EXPECT_EQ(faults(), 1U);
  EXPECT_EQ(place(""), "root.rest");
  EXPECT_EQ(faults(), 1U);
}

TEST_F(PlacementRule, FaultOfAParentCountsAsNoMatchOfBoth) {
  placement_rule_config below = rule("fixed", true, "x");
  below.parent = {rule("obedient", true)};
  start(below);
  EXPECT_EQ(place("?fail"), "root.rest");
  EXPECT_EQ(place("top"), "root.top.x");
}

TEST_F(PlacementRule, RefusalInTheWordsOfTheRuleAsOneLineOfUtf8) {
  start(rule("obedient", true));
  EXPECT_EQ(place("?refuse"), "failed to place application app-1: placement rule obedient refused the application");
  EXPECT_EQ(place("?refuse in words"),
            "failed to place application app-2: placement rule obedient refused the application: not here?");
  EXPECT_EQ(faults(), 0U);
}

TEST_F(PlacementRule, SeesQueuesAndTheTimeOfTheJournal) {
  start(rule("obedient", true));
  EXPECT_EQ(place("?is root"), "root.parent-1");
  EXPECT_EQ(place("?is ROOT.Leaf"), "root.leaf-1");
  EXPECT_EQ(place("?is root.parent.below"), "root.leaf-1");
  EXPECT_EQ(place("?is root.new"), "root.missing");
  EXPECT_EQ(place("?is "), "root.missing");
  EXPECT_EQ(place("?time"), "root." + std::to_string(now_ms));
}

TEST_F(PlacementRule, ValueIsTheConfiguration) {
  start(rule("obedient", true, "A \"quoted\"\n\\text"));
  placement_rule_config nested = rule("user", true);
  nested.parent = {rule("Obedient", true)};
  start(nested);
  EXPECT_THAT(policies_.configurations, ElementsAre(R"({"value":"A \"quoted\"\u000a\\text"})", "{}"));
}

// What rules said is in the journal: decisions of a replay are the same, whoever provides the rules by then.
class ReplayedRule : public PlacementRule {
 protected:
  // Every way to answer, parents, what the kernel makes of it, and configurations that are refused.
  void record() {
    placement_rule_config below = rule("obedient", true);
    below.parent = {rule("obedient", true, "parent")};
    start(below);
    for (const char *say : {"Name", "!root.Elsewhere", "!elsewhere", "", "a b", "?fail", "?refuse", "?refuse in words",
                            "?time", "?is root.leaf", "!root.leaf", "parent"}) {
      submit(say);
    }
    it_.run(configure{"rm", configured({rule("obedient", true, "bad")})});
    it_.run(configure{"rm", configured({rule("disobedient", true)})});
    it_.run(configure{"rm", configured({rule("user", true), rule("obedient", false)})});
    submit("again");
  }
  void submit(std::string_view say) {
    it_.add_app("app-" + std::to_string(++applications_), "", "testuser", {{"SAY", std::string(say)}});
  }

  std::vector<std::string> replayed(policy_source &policies) const {
    kernel by(policies);
    std::vector<std::string> out;
    std::string again = journal_header("a test");
    const auto read = read_journal(it_.journal(), [&](int64_t at_ms, const command &c) {
      by.apply(at_ms, c);
      append_entry(again, at_ms, c, by.answers());
      by.drain([&](const decision_view &d) { out.push_back(format(d)); });
    });
    EXPECT_TRUE(read);
    EXPECT_EQ(again, it_.journal()) << "what is recorded of a replay";
    return out;
  }
};

TEST_F(ReplayedRule, NeedsNoModule) {
  record();
  builtin_policy_source without;
  EXPECT_EQ(replayed(without), it_.decisions());
}

TEST_F(ReplayedRule, IsNotAskedAgain) {
  struct other : with_obedient {
    result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                               uint32_t max_resource_types) override {
      auto bound = with_obedient::bind(kind, name, configuration, max_resource_types);
      if (!bound || kind != module_kind::placement_rule) return bound;
      static constexpr tenon_placement_rule_v1 says_more{
          sizeof says_more, 0, [](tenon_instance *, const tenon_place_in *, tenon_place_out *out) {
            out->name[0] = 'x';
            out->name_length = 1;
            return tenon_status{TENON_OK};
          }};
      (*bound)->placement = &says_more;
      return bound;
    }
  } otherwise;
  record();
  EXPECT_EQ(replayed(otherwise), it_.decisions());
}

// Journals of format 3 have no answers of rules.
TEST_F(ReplayedRule, IsAskedWhereTheJournalDoesNotSay) {
  record();
  std::vector<std::string> out;
  kernel by(policies_);
  const auto read = read_journal(it_.journal(), [&](int64_t at_ms, const command &c) {
    std::string silent = journal_header("");
    append_entry(silent, at_ms, c, {});
    EXPECT_TRUE(read_journal(silent, [&](int64_t, const command &asks) { by.apply(at_ms, asks); }));
    by.drain([&](const decision_view &d) { out.push_back(format(d)); });
  });
  EXPECT_TRUE(read);
  EXPECT_EQ(out, it_.decisions());
}

// Whatever the answers in a journal are, they are no queue that there cannot be.
TEST_F(ReplayedRule, AnswersThatNoRuleGaveAreFaults) {
  using kind = step_answer::kind;
  start(rule("obedient", true));
  const step_answer wrong[] = {{.what = kind::placement, .ok = true, .text = "elsewhere"},
                               {.what = kind::rule_known, .ok = true},
                               {.what = kind::rm_check, .ok = true},
                               {.what = kind::placement_fault, .ok = true, .text = "x"}};
  for (const step_answer &one : wrong) {
    add_application c;
    c.partition = default_partition;
    c.application = "app";
    c.user = "testuser";
    c.answers = {&one, 1};
    it_.run(c);
    EXPECT_THAT(it_.decisions().back(), ::testing::HasSubstr("no placement rule matched"))
        << static_cast<int>(one.what);
  }
  const step_answer name[] = {{.what = kind::placement, .text = "a..b"}};
  add_application c;
  c.partition = default_partition;
  c.application = "app";
  c.user = "testuser";
  c.answers = name;
  it_.run(c);
  EXPECT_THAT(it_.decisions().back(), ::testing::HasSubstr(messages::queue_name_invalid()));
  it_.run(register_rm{"other", "1", "default", configured({rule("user", true)}), 0, 0, name});
  EXPECT_THAT(it_.decisions().back(), ::testing::HasSubstr("unknown rule name specified user"));
}

TEST_F(PlacementRule, RefusedConfigurationRefusesTheWholeAndChangesNothing) {
  start(rule("obedient", true));
  it_.run(configure{"rm", configured({rule("provided", false), rule("obedient", true, "bad")})});
  EXPECT_THAT(it_.decisions().back(), ::testing::HasSubstr("here: bad"));
  it_.run(configure{"rm", configured({rule("disobedient", true)})});
  EXPECT_THAT(it_.decisions().back(), ::testing::HasSubstr("unknown rule name specified disobedient"));
  EXPECT_EQ(place("still"), "root.still");
}

}  // namespace
}  // namespace tenon::testing
