// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What an accepted queues.yaml becomes, and what it is warned about.
#include <gmock/gmock.h>

#include "tenon/config/queues.hpp"

namespace tenon::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using texts = std::vector<std::string>;

cluster_config accepted(std::string_view text, const parse_options &options = {}) {
  const auto parsed = parse_queues_yaml(text, "q.yaml", options);
  EXPECT_TRUE(parsed) << text << "\n" << (parsed ? "" : parsed.why().text());
  return parsed ? *parsed : cluster_config{};
}

partition_config partition_of(std::string_view text, const parse_options &options = {}) {
  const cluster_config config = accepted(text, options);
  EXPECT_EQ(config.partitions.size(), 1U);
  return config.partitions.empty() ? partition_config{} : config.partitions[0];
}

texts warnings(std::string_view text, const parse_options &options = {}) {
  const auto parsed = parse_queues(text, "q.yaml", options);
  EXPECT_TRUE(parsed.config) << text;
  texts out;
  for (const refusal &w : parsed.warnings) out.push_back(w.text());
  return out;
}

TEST(QueuesAccepted, AnEmptyTextIsTheDefaultConfiguration) {
  for (const char *text : {"", "# nothing\n", "---\n"}) {
    const partition_config p = partition_of(text);
    EXPECT_EQ(p.name, "default");
    EXPECT_EQ(p.root.submit_acl, "*");
    ASSERT_EQ(p.placement_rules.size(), 1U);
    EXPECT_EQ(p.placement_rules[0].name, "tag");
    EXPECT_EQ(p.placement_rules[0].value, "namespace");
    EXPECT_TRUE(p.placement_rules[0].create);
  }
}

TEST(QueuesAccepted, ATextWithoutPartitionsHasNone) {
  EXPECT_THAT(accepted("partitions: []\n").partitions, IsEmpty());
  EXPECT_THAT(warnings("partitions:\n"), ElementsAre(HasSubstr("no partitions")));
}

TEST(QueuesAccepted, EveryKeyOfAQueue) {
  const partition_config p = partition_of(R"(
partitions:
- name: Prod
  queues:
  - name: Root
    adminacl: admin
    queues:
    - name: Sales
      parent: true
      resources:
        guaranteed: {memory: 1Gi, vcore: 1}
        max: {memory: 2G, vcore: 2500m, nvidia.com/gpu: 0}
      maxapplications: 12
      properties: {application.sort.policy: fair, x: 5}
      adminacl: bob
      submitacl: '*'
      childtemplate:
        maxapplications: 3
        properties: {a: b, empty: }
        resources: {max: {memory: 1k}, guaranteed: {memory: 0}}
      limits:
      - {limit: 'few', users: [bob, '*'], groups: [dev], maxresources: {memory: 1M}, maxapplications: 2}
)");
  EXPECT_EQ(p.name, "Prod");
  EXPECT_EQ(p.root.name, "root");
  EXPECT_TRUE(p.root.parent);
  ASSERT_EQ(p.root.queues.size(), 1U);
  queue_config expected;
  expected.name = "sales";
  expected.parent = true;
  expected.guaranteed = {{"memory", int64_t{1} << 30}, {"vcore", 1000}};
  expected.max = {{"memory", 2'000'000'000}, {"vcore", 2500}, {"nvidia.com/gpu", 0}};
  expected.max_applications = 12;
  expected.properties = {{"application.sort.policy", "fair"}, {"x", "5"}};
  expected.admin_acl = "bob";
  expected.submit_acl = "*";
  expected.child_template.max_applications = 3;
  expected.child_template.properties = {{"a", "b"}};
  expected.child_template.max = {{"memory", 1000}};
  expected.limits = {{"few", {"bob", "*"}, {"dev"}, {{"memory", 1'000'000}}, 2}};
  EXPECT_EQ(p.root.queues[0], expected);
}

TEST(QueuesAccepted, ARootIsPutAboveWhatIsThere) {
  const partition_config two = partition_of("partitions:\n- queues:\n  - name: root\n  - name: other\n");
  EXPECT_EQ(two.root.name, "root");
  ASSERT_EQ(two.root.queues.size(), 2U);
  EXPECT_EQ(two.root.queues[0].name, "root");
  const partition_config one = partition_of("partitions:\n- queues:\n  - name: prod\n    queues: [{name: a}]\n");
  ASSERT_EQ(one.root.queues.size(), 1U);
  EXPECT_TRUE(one.root.queues[0].parent) << "it has children";
  EXPECT_THAT(partition_of("partitions:\n- queues: []\n").root.queues, IsEmpty());
}

TEST(QueuesAccepted, LimitsOfThePartitionAreThoseOfRoot) {
  const partition_config p =
      partition_of("partitions:\n- limits: [{users: [a], maxapplications: 1}]\n  queues: [{name: root}]\n");
  ASSERT_EQ(p.root.limits.size(), 1U);
  EXPECT_EQ(p.root.limits[0].users, texts{"a"});
}

TEST(QueuesAccepted, PartitionNamesLoseTheRmAndDefaultIsLowerCase) {
  EXPECT_EQ(partition_of("partitions: [{name: '[rm-1]Gpu', queues: []}]").name, "Gpu");
  EXPECT_EQ(partition_of("partitions: [{name: DEFAULT, queues: []}]").name, "default");
  EXPECT_EQ(partition_of("partitions: [{name: '', queues: []}]").name, "default");
  EXPECT_EQ(partition_of("partitions: [{name: '[rm-1]', queues: []}]").name, "default");
}

TEST(QueuesAccepted, AMaxOfZerosIsNone) {
  const std::string text =
      "partitions: [{queues: [{name: a, submitacl: '*', resources: {max: {memory: 0, vcore: 0}}}]}]";
  EXPECT_THAT(partition_of(text).root.queues[0].max, IsEmpty());
  EXPECT_THAT(warnings(text), ElementsAre(HasSubstr("max of queue a is all zero and is ignored")));
  EXPECT_THAT(
      partition_of("partitions: [{queues: [{name: a, resources: {max: {memory: 0, vcore: 1}}}]}]").root.queues[0].max,
      ElementsAre(Pair("memory", 0), Pair("vcore", 1000)));
}

TEST(QueuesAccepted, RulesWithFiltersAndParents) {
  const partition_config p = partition_of(R"(
partitions:
- queues: [{name: root}]
  placementrules:
  - name: User
    create: true
    filter: {type: Deny, users: ['^a.*'], groups: [x, y]}
    parent: {name: TAG, value: NameSpace, create: true, parent: {name: fixed, value: Dept.X, create: true}}
  - {name: acme_Rule, value: 'Kept As It Is'}
)");
  ASSERT_EQ(p.placement_rules.size(), 2U);
  const placement_rule_config &user = p.placement_rules[0];
  EXPECT_EQ(user.name, "user");
  EXPECT_TRUE(user.create);
  EXPECT_FALSE(user.filter.allow) << "deny in any letter case";
  EXPECT_EQ(user.filter.users, texts{"^a.*"});
  EXPECT_EQ(user.filter.groups, (texts{"x", "y"}));
  const placement_rule_config &tag = user.parent.at(0);
  EXPECT_EQ(tag.name, "tag");
  EXPECT_EQ(tag.value, "namespace");
  EXPECT_EQ(tag.parent.at(0).value, "dept.x");
  EXPECT_EQ(p.placement_rules[1].name, "acme_rule");
  EXPECT_EQ(p.placement_rules[1].value, "Kept As It Is");
}

TEST(QueuesAccepted, SwitchesAndNodeOrder) {
  const partition_config plain = partition_of("partitions: [{queues: []}]");
  EXPECT_TRUE(plain.preemption_enabled);
  EXPECT_FALSE(plain.quota_preemption_enabled);
  EXPECT_EQ(plain.node_sort, node_sort_config{});
  EXPECT_EQ(plain.tuning, partition_tuning{});
  const partition_config p = partition_of(R"(
partitions:
- queues: []
  preemption: {enabled: false, quotapreemptionenabled: true}
  nodesortpolicy: {type: binpacking, resourceweights: {memory: 2, gpu: 0.5}}
  usergroupresolver: {type: os}
)");
  EXPECT_FALSE(p.preemption_enabled);
  EXPECT_TRUE(p.quota_preemption_enabled);
  EXPECT_EQ(p.node_sort.type, "binpacking");
  EXPECT_THAT(p.node_sort.resource_weights, ElementsAre(Pair("gpu", 0.5), Pair("memory", 2.0)));
  EXPECT_EQ(p.user_group_resolver, "os");
  EXPECT_EQ(partition_of("partitions: [{queues: [], nodesortpolicy: {type: ''}}]").node_sort.type, "fair");
}

TEST(QueuesAccepted, CanaryOfOurOwn) {
  EXPECT_THAT(partition_of("partitions: [{queues: [], canary: }]").canary, IsEmpty());
  const partition_config p = partition_of(R"(
partitions:
- queues: [{name: root, queues: [{name: Team}]}]
  canary: {nodesortpolicy: {type: binpacking, resourceweights: {gpu: 2}}, queues: [Root.Team, root.made], share: 0x32, salt: 5}
)");
  ASSERT_EQ(p.canary.size(), 1U);
  const canary_config &c = p.canary[0];
  EXPECT_EQ(c.node_sort.type, "binpacking");
  EXPECT_THAT(c.node_sort.resource_weights, ElementsAre(Pair("gpu", 2.0)));
  EXPECT_THAT(c.queues, ElementsAre("root.team", "root.made"));
  EXPECT_EQ(c.share, 50U);
  EXPECT_EQ(c.salt, "5");
  const partition_config all = partition_of(R"(
partitions:
- queues: []
  canary: {nodesortpolicy: {type: fair}, queues: [root]}
)");
  EXPECT_EQ(all.canary.at(0).share, 1'000U);
  EXPECT_EQ(all.canary.at(0).back, canary_limits{});
  const partition_config some = partition_of(R"(
partitions:
- queues: []
  canary: {nodesortpolicy: {type: fair}, share: 1, back: {faults: 3, placements: 20, waitingp99: 90s, waitingfactor: 1500}}
)");
  EXPECT_EQ(some.canary.at(0).back, (canary_limits{3, 20, 90'000, 1'500}));
  EXPECT_EQ(some.canary.at(0).kind(), module_kind::node_sort);
  const partition_config predicate = partition_of(R"(
partitions:
- queues: []
  canary: {predicate: node-attributes, share: 1}
)");
  EXPECT_EQ(predicate.canary.at(0).kind(), module_kind::predicate);
  EXPECT_EQ(predicate.canary.at(0).policy(), "node-attributes");
}

TEST(QueuesAccepted, DurationsOfOurOwn) {
  const partition_config p = partition_of(R"(
partitions:
- queues: []
  reservation: {enabled: false, delay: 5s, wait: 30m, queue_delay: 7m, backfill: true, max_nodes: 3}
  preemption: {retry: 20s, max_steps: 500}
  timeouts: {starting: 1m, completing: 2s, terminated: 24h, placeholder: 90s, queuecleanup: 1s, drain: 0, releaseconfirm: 1m30s, startretry: 3s, startretrymax: 1m}
)");
  partition_tuning expected;
  expected.reservation_enabled = false;
  expected.reservation_delay_ms = 5'000;
  expected.reservation_wait_ms = 30 * 60'000;
  expected.reservation_backfill = true;
  expected.reservation_max_nodes = 3;
  expected.reservation_queue_delay_ms = int64_t{7} * 60'000;
  expected.preemption_retry_ms = 20'000;
  expected.preemption_max_steps = 500;
  expected.starting_timeout_ms = 60'000;
  expected.completing_timeout_ms = 2'000;
  expected.terminated_timeout_ms = 24 * 3'600'000;
  expected.placeholder_timeout_ms = 90'000;
  expected.queue_cleanup_ms = 1'000;
  expected.drain_timeout_ms = 0;
  expected.release_confirm_timeout_ms = 90'000;
  expected.start_retry_ms = 3'000;
  expected.start_retry_max_ms = 60'000;
  EXPECT_EQ(p.tuning, expected);
}

TEST(QueuesAccepted, NoStepsAreAnyNumberOfThem) {
  const partition_config p = partition_of("partitions: [{queues: [], preemption: {max_steps: 0}}]\n");
  EXPECT_EQ(p.tuning.preemption_max_steps, INT64_MAX);
}

TEST(QueuesAccepted, PriorityClasses) {
  EXPECT_THAT(accepted("priorityclasses: {high: 1000, low: -5}\npartitions: []\n").priority_classes,
              ElementsAre(Pair("high", 1000), Pair("low", -5)));
}

TEST(QueuesAccepted, AliasesAndMergeKeys) {
  const partition_config p = partition_of(R"(
partitions:
- queues:
  - &base {name: a, maxapplications: 5, submitacl: '*'}
  - {<<: *base, name: b}
)");
  ASSERT_EQ(p.root.queues.size(), 2U);
  EXPECT_EQ(p.root.queues[1].name, "b");
  EXPECT_EQ(p.root.queues[1].max_applications, 5U);
}

TEST(QueuesAccepted, AnApplicationSortPolicyThatNobodyProvidesIsFifo) {
  const std::string text =
      "partitions: [{queues: [{name: a, parent: true, submitacl: '*', properties: {application.sort.policy: acme}, "
      "childtemplate: {properties: {application.sort.policy: acme}}}]}]";
  // Nobody knows what modules provide: kept for whoever does.
  EXPECT_EQ(partition_of(text).root.queues[0].properties.at("application.sort.policy"), "acme");
  EXPECT_EQ(warnings(text).size(), 2U);
  parse_options options;
  options.known[module_kind::app_sort] = {"fifo", "fair"};
  const queue_config queue = partition_of(text, options).root.queues[0];
  EXPECT_EQ(queue.properties.at("application.sort.policy"), "fifo");
  EXPECT_EQ(queue.child_template.properties.at("application.sort.policy"), "fifo");
  options.known[module_kind::app_sort] = {"acme"};
  EXPECT_EQ(partition_of(text, options).root.queues[0].properties.at("application.sort.policy"), "acme");
  EXPECT_THAT(warnings(text, options), IsEmpty());
}

TEST(QueuesAccepted, BadPropertyValuesAreWarnedAbout) {
  const auto warned = [](const std::string &property) {
    const auto all = warnings("partitions: [{queues: [{name: a, submitacl: '*', properties: {" + property + "}}]}]");
    return all.empty() ? std::string() : all[0];
  };
  for (const char *good : {"application.sort.priority: Disabled", "application.unschedasks.backoff: 5",
                           "application.unschedasks.backoff.delay: 5s", "priority.policy: fence", "priority.offset: -5",
                           "priority.offset: +5", "preemption.policy: 'fence,intra'", "preemption.delay: 1ms",
                           "quota.preemption.delay: 1h", "application.sort.policy: stateaware",
                           "queue.sort.policy: priority", "some.other: thing", "priority.offset: ''"}) {
    EXPECT_EQ(warned(good), "") << good;
  }
  const std::pair<const char *, const char *> bad[] = {
      {"application.sort.priority: maybe", "the default holds: `enabled`"},
      {"application.unschedasks.backoff: -1", "'-1' for application.unschedasks.backoff is ignored"},
      {"application.unschedasks.backoff.delay: 0s", "is ignored"},
      {"priority.policy: fenced", "is ignored"},
      {"priority.offset: 3000000000", "is ignored"},
      {"preemption.policy: 'fence,none'", "is ignored"},
      {"preemption.delay: 5", "is ignored"},
      {"queue.sort.policy: fifo", "queue sort policy 'fifo' is not provided"},
      {"application.sort.polcy: fair", "did you mean 'application.sort.policy'?"},
  };
  for (const auto &[property, reason] : bad) EXPECT_THAT(warned(property), HasSubstr(reason)) << property;
}

TEST(QueuesAccepted, OtherThingsHardlyMeantAreWarnedAbout) {
  const std::pair<const char *, const char *> cases[] = {
      {"partitions: [{queues: [{name: a, submitacl: 'bob,1x'}]}]",
       "q.yaml:1:45: '1x' in an ACL is no name and is ignored"},
      {"partitions: [{queues: [], placementrules: [{name: acme}]}]", "rule acme is not built in"},
      {"partitions: [{queues: [], placementrules: [{name: user, filter: {users: [a, '^b']}}]}]",
       "an expression must be the only entry"},
      {"partitions: [{queues: [], usergroupresolver: {type: ldap}}]",
       "user group resolver 'ldap' is not provided; want: one that is built in, or that a module of the deployment "
       "provides; fix: one of: none, os; a daemon refuses it"},
      {"partitions: [{queues: [~, {name: a, maxapplications: 1.5}]}]", "it is read as 1"},
      {"partitions: [{queues: [{name: '@recovery@'}]}]", "applications that are recovered"},
      {"partitions: [{queues: [{name: root, queues: [{name: d, queues: [{name: x}]}]}], placementrules: [{name: fixed, "
       "value: d}]}]",
       "the rule never matches"},
      {"partitions: [{queues: [{name: root, queues: [{name: D, parent: true}]}], placementrules: [{name: fixed, value: "
       "d, create: true}]}]",
       "the rule never matches"},
  };
  for (const auto &[text, reason] : cases) EXPECT_THAT(warnings(text), testing::Contains(HasSubstr(reason))) << text;
}

// What stands in a partition whose root lets everybody in, as far as it is warned about.
std::vector<std::string> warnings_of_queues(const std::string &queues) {
  return warnings("partitions: [{queues: [{name: root, submitacl: '*', queues: [" + queues + "]}]}]");
}

TEST(QueuesAccepted, QueuesThatNobodyMayUseAreWarnedAbout) {
  EXPECT_THAT(warnings("partitions: [{queues: [{name: root, queues: [{name: a}, {name: b}]}]}]"),
              testing::ElementsAre(HasSubstr("q.yaml:1:24: nobody may submit to queue root and all below it")));
  EXPECT_THAT(warnings("partitions: [{queues: [{name: root, queues: [{name: a, adminacl: bob}, {name: B, submitacl: ' "
                       "team'}, {name: c, queues: [{name: d, submitacl: al}, {name: e}]}, {name: f}]}]}]"),
              testing::ElementsAre(HasSubstr("nobody may submit to queue root.c.e"),
                                   HasSubstr("nobody may submit to queue root.f")));
  EXPECT_THAT(warnings_of_queues("{name: a}"), IsEmpty());
}

TEST(QueuesAccepted, ARootWithoutChildrenIsWarnedAbout) {
  const std::string root = "queues: [{name: root, submitacl: '*'}]";
  EXPECT_THAT(warnings("partitions: [{" + root + "}]"),
              testing::ElementsAre(HasSubstr("root of partition default has no child queue, and no placement rule")));
  EXPECT_THAT(warnings("partitions: [{" + root + ", placementrules: [{name: user, create: true}]}]"), IsEmpty());
}

TEST(QueuesAccepted, GuaranteesBehindAFenceAreWarnedAbout) {
  const std::string inside = "resources: {guaranteed: {vcore: 1}}";
  const std::string fence = "properties: {preemption.policy: fence}";
  EXPECT_THAT(
      warnings_of_queues("{name: a, " + fence + ", queues: [{name: b, " + inside + "}]}, {name: c, " + inside + "}"),
      testing::ElementsAre(HasSubstr("what root.a.b has guaranteed is behind the preemption fence of root.a")));
  EXPECT_THAT(warnings_of_queues("{name: a, " + inside + ", " + fence + "}"),
              testing::ElementsAre(HasSubstr("what root.a has guaranteed is behind the preemption fence of root.a")));
  EXPECT_THAT(warnings_of_queues("{name: a, " + fence + "}, {name: b, " + inside + "}"), IsEmpty());
}

TEST(QueuesAccepted, MemoryWithoutUnitIsWarnedAbout) {
  EXPECT_THAT(
      warnings_of_queues("{name: a, resources: {max: {memory: 64, vcore: 8}}}"),
      testing::ElementsAre(HasSubstr("memory of 64 bytes: a number without unit is bytes; want: a unit, as 64Mi "
                                     "or 64Gi")));
  EXPECT_THAT(warnings_of_queues("{name: a, limits: [{limit: l, users: ['*'], maxresources: {memory: 8}}]}"),
              testing::ElementsAre(HasSubstr("memory of 8 bytes")));
  EXPECT_THAT(warnings_of_queues("{name: a, resources: {max: {memory: 64Gi}}}, {name: b, resources: {max: {memory: "
                                 "68719476736}}}, {name: c, resources: {max: {memory: 0, vcore: 1}}}"),
              IsEmpty());
}

TEST(QueuesAccepted, TypesThatWereMeantToBeKnownOnesAreWarnedAbout) {
  const std::pair<std::string, std::string> cases[] = {{"cpu", "vcore"},
                                                       {"vcores", "vcore"},
                                                       {"requests.cpu", "vcore"},
                                                       {"limits.memory", "memory"},
                                                       {"Memory", "memory"},
                                                       {"Vcore", "vcore"},
                                                       {"memroy", "memory"},
                                                       {"CPU", "vcore"},
                                                       {"ram", "memory"},
                                                       {"ephemeral_storage", "ephemeral-storage"},
                                                       {"requests.nvidia.com/gpu", "nvidia.com/gpu"}};
  for (const auto &[type, meant] : cases) {
    EXPECT_THAT(warnings_of_queues("{name: a, resources: {max: {" + type + ": 8M}}}"),
                testing::ElementsAre(testing::AllOf(HasSubstr("the resource type '" + type + "'"),
                                                    HasSubstr("did you mean '" + meant + "'?"))))
        << type;
  }
  EXPECT_THAT(warnings_of_queues("{name: a, resources: {guaranteed: {cpu: 1}, max: {cpu: 2}}, "
                                 "limits: [{limit: l, users: ['*'], maxresources: {cpu: 1, mem: 1G}}]}"),
              testing::ElementsAre(HasSubstr("'cpu'"), HasSubstr("'mem'")))
      << "each once";
  for (const std::string type : {"gpu", "nvidia.com/gpu", "pods", "hugepages-2Mi", "licences", "fpga", "scratch"})
    EXPECT_THAT(warnings_of_queues("{name: a, resources: {max: {" + type + ": 8}}}"), IsEmpty()) << type;
}

TEST(QueuesAccepted, AccessListsBelowAnOpenQueueAreWarnedAbout) {
  EXPECT_THAT(warnings_of_queues("{name: a, submitacl: alice}, {name: b, queues: [{name: c, submitacl: ' team'}]}"),
              testing::ElementsAre(HasSubstr("submitacl of queue root.a keeps nobody out: submitacl of queue root lets "
                                             "everybody in there, too"),
                                   HasSubstr("submitacl of queue root.b.c keeps nobody out")));
  EXPECT_THAT(warnings("partitions: [{queues: [{name: root, adminacl: '*', queues: [{name: a, adminacl: bob, "
                       "submitacl: alice}]}]}]"),
              testing::ElementsAre(HasSubstr("submitacl of queue root.a keeps nobody out: adminacl of queue root"),
                                   HasSubstr("adminacl of queue root.a keeps nobody out")));
  EXPECT_THAT(warnings_of_queues("{name: a, adminacl: bob}, {name: b, submitacl: '*'}"), IsEmpty())
      << "administrators may do more";
  EXPECT_THAT(warnings("partitions: [{queues: [{name: root, queues: [{name: a, submitacl: '*'}, {name: b, submitacl: "
                       "bob}]}]}]"),
              IsEmpty());
}

TEST(QueuesAccepted, ABlankBehindACommaOfAnAccessListIsWarnedAbout) {
  const auto of = [](const std::string &list) {
    return warnings("partitions: [{queues: [{name: root, queues: [{name: a, submitacl: '" + list + "'}]}]}]");
  };
  EXPECT_THAT(of("alice, bob"),
              testing::ElementsAre(testing::AllOf(HasSubstr("names behind the blank in 'alice, bob' are groups"),
                                                  HasSubstr("write 'alice,bob' where they are users"))));
  EXPECT_THAT(of("alice ,bob"), testing::ElementsAre(HasSubstr("are groups")));
  for (const std::string good : {"alice,bob", "alice bob", "alice,bob team", " team"})
    EXPECT_THAT(of(good), IsEmpty()) << good;
}

// Whoever keeps queues in Kubernetes has them in a ConfigMap, or in the values of a chart.
TEST(QueuesAccepted, QueuesInsideAnotherFileAreReadThere) {
  const std::string inside =
      "  queues.yaml: |\n    partitions:\n    - name: default\n      queues: [{name: root, submitacl: '*', queues: "
      "[{name: a}]}]\n";
  for (const std::string before : {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yunikorn-configs}\ndata:\n",
                                   "image: {tag: 1}\nyunikornDefaults:\n"}) {
    const auto parsed = parse_queues(before + inside, "q.yaml");
    ASSERT_TRUE(parsed.config) << parsed.refusals.at(0).text();
    EXPECT_EQ(parsed.config->partitions.at(0).root.queues.at(0).name, "a");
    EXPECT_THAT(warnings(before + inside), testing::ElementsAre(HasSubstr("\"queues.yaml\" is read")));
  }
  const auto wrong = parse_queues("data:\n  queues.yaml: |\n    partitions:\n    - nam: x\n", "q.yaml");
  ASSERT_FALSE(wrong.config);
  EXPECT_THAT(wrong.refusals.at(0).text(), HasSubstr("q.yaml, data.\"queues.yaml\":2:3: unknown key 'nam'"));
}

TEST(QueuesAccepted, AnEmptyTextIsWarnedAbout) {
  for (const char *text : {"", "# nothing\n"})
    EXPECT_THAT(warnings(text), testing::ElementsAre(HasSubstr("q.yaml: a text without content, in place of which")))
        << text;
}

TEST(QueuesAccepted, AResolverThatNobodyProvidesIsRefusedWhereThatIsKnown) {
  parse_options options;
  options.known[module_kind::identity] = {"none", "os"};
  const auto refused =
      parse_queues("partitions: [{queues: [{name: a}], usergroupresolver: {type: ldap}}]", "q.yaml", options);
  EXPECT_FALSE(refused.config);
  ASSERT_EQ(refused.refusals.size(), 1U);
  EXPECT_THAT(refused.refusals[0].text(), HasSubstr("user group resolver 'ldap' is not provided"));
  EXPECT_TRUE(
      parse_queues("partitions: [{queues: [{name: a}], usergroupresolver: {type: os}}]", "q.yaml", options).config);
}

TEST(QueuesChecksum, IsOfTheTextWithoutItsChecksum) {
  EXPECT_EQ(queues_checksum(""), "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855");
  EXPECT_EQ(queues_checksum("partitions: []\n"), "8ADE4D4ABAF5E775C21062511F08DC8AA6A87B725DF2BC7F898AA44C77AE1AE9");
  const std::string digits(64, 'A');
  EXPECT_EQ(queues_checksum("partitions: []\nchecksum: " + digits + "\n"), queues_checksum("partitions: []\n\n"));
  EXPECT_NE(queues_checksum("partitions: []\n"), queues_checksum("partitions: [ ]\n"));
  EXPECT_EQ(accepted("partitions: []\n").checksum, queues_checksum("partitions: []\n"));
}

}  // namespace
}  // namespace tenon::config
