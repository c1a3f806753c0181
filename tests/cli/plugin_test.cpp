// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon plugin`: what is listed, explained, pinned and refused. `new` is tried as strangers do in tests/packages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "run/run_policies.hpp"
#include "tenon/abi/base.h"
#include "tenon/config/bound_policies.hpp"
#include "tenon/host/thread_role.hpp"
#include "tenon/kernel/kernel.hpp"
#include "testing.hpp"

namespace tenon::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A deployment with a vendor's module: node-sort 'fixture' of acme.good, and queues that name it.
class Plugin : public testing::Test {
 protected:
  Plugin() {
    std::filesystem::create_directories(folder_.file("mods"));
    copy("good");
    write_manifest();
    EXPECT_EQ(run_tenon({"plugin", "seal", manifest_}).code, 0);
    queues_ =
        folder_.file("queues.yaml",
                     "partitions:\n  - name: default\n    nodesortpolicy: {type: fixture}\n    queues: [{name: a}]\n");
    deployment_ = folder_.file("tenon.yaml",
                               "apiVersion: tenon/v1\nmodule_path: [mods]\nmodules: [{id: acme.good}]\n"
                               "policy_groups: {default: queues.yaml}\n");
  }

  void copy(const std::string &fixture) const {
    std::filesystem::copy_file(std::filesystem::path(TENON_FIXTURE_DIRECTORY) / (fixture + ".so"),
                               folder_.file("mods/good.so"), std::filesystem::copy_options::overwrite_existing);
  }
  void write_manifest(const std::string &order_rev = "1") {
    manifest_ =
        folder_.file("mods/good.yaml",
                     "apiVersion: tenon.module/v1\nid: acme.good\nversion: 1.0.0\nvendor: Acme\n"
                     "license: Apache-2.0\ndescription: A module.\nlibrary: good.so\n# why\nabi_epoch: 1\ndraft_rev: " +
                         std::to_string(TENON_DRAFT_REV) +
                         "\nprovides: [{interface: tenon.node-sort/1, name: fixture, order_rev: " + order_rev + "}]\n");
  }
  [[nodiscard]] command_result explain() const { return run_tenon({"plugin", "explain", deployment_}); }

  temporary_folder folder_;
  std::string manifest_, queues_, deployment_;
};

TEST_F(Plugin, ListHasEveryModuleAndOpensNone) {
  copy("load_aborts");
  const command_result run = run_tenon({"plugin", "list", "--deployment", deployment_});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("acme.good 1.0.0"), HasSubstr("tenon.node-sort/1 fixture"),
                             HasSubstr("tenon.node-fair"), HasSubstr("built in")));
}

TEST_F(Plugin, ListAsJson) {
  const command_result run = run_tenon({"plugin", "list", "--deployment", deployment_, "--json"});
  const auto modules = boost::json::parse(run.out).at("modules").as_array();
  const auto &first = modules.front().as_object();
  EXPECT_EQ(first.at("id").as_string(), "acme.good");
  EXPECT_EQ(first.at("standing").as_string(), "used");
  EXPECT_FALSE(first.at("built_in").as_bool());
  EXPECT_EQ(first.at("provides").at(0).at("order_rev").as_int64(), 1);
}

TEST_F(Plugin, DescribeListsOptionsDefaultsAndPermissions) {
  copy("load_aborts");  // a library that is never opened
  const command_result vendors = run_tenon({"plugin", "describe", "acme.good", "--deployment", deployment_});
  EXPECT_EQ(vendors.code, 0) << vendors.err;
  EXPECT_THAT(vendors.out, AllOf(HasSubstr("acme.good 1.0.0"), HasSubstr("tenon.node-sort/1 fixture, order_rev 1"),
                                 HasSubstr("permissions: none")));
  const command_result own = run_tenon({"plugin", "describe", "tenon.sqlite"});
  EXPECT_THAT(own.out, testing::ContainsRegex("retention +string +\"7d\""));
  EXPECT_THAT(own.out, testing::ContainsRegex("busy_ms +integer, at least 0, at most 60000 +1000"));
  EXPECT_THAT(own.out, testing::ContainsRegex("path +string.* +must be given"));
  const auto json = boost::json::parse(run_tenon({"plugin", "describe", "tenon.sqlite", "--json"}).out);
  EXPECT_EQ(json.at_pointer("/config/properties/retention/default").as_string(), "7d");
  const command_result nobody = run_tenon({"plugin", "describe", "tenon.sqlit"});
  EXPECT_EQ(nobody.code, 1);
  EXPECT_THAT(nobody.err, HasSubstr("did you mean 'tenon.sqlite'?"));
}

TEST_F(Plugin, ARefusedOptionNamesTheCommandThatDescribesTheModule) {
  (void)folder_.file("tenon.yaml",
                     "apiVersion: tenon/v1\nevents: [{use: tenon.sqlite, config: {path: a, busy_ms: -1}}]\n");
  EXPECT_THAT(run_tenon({"config", "check", deployment_}).err,
              HasSubstr("`tenon plugin describe tenon.sqlite` lists the options"));
}

TEST_F(Plugin, ExplainSaysWhoServesWhatAndWhy) {
  const command_result run = explain();
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out,
              HasSubstr("node-sort fixture        acme.good, order_rev 1 (listed at " + deployment_ + ":3:16)"));
  EXPECT_THAT(run.out, HasSubstr("partition default: nodesortpolicy.type"));
  EXPECT_THAT(run.out, HasSubstr("app-sort fifo"));
  EXPECT_THAT(run.out, HasSubstr("serves every deployment; 'fifo' for " + queues_ +
                                 ", partition default: queues that name no application.sort.policy"));
}

TEST_F(Plugin, ExplainSaysWhatIsMissing) {
  (void)folder_.file("tenon.yaml",
                     "apiVersion: tenon/v1\nmodule_path: [mods]\npolicy_groups: {default: queues.yaml}\n");
  const command_result run = explain();
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.out, HasSubstr("add `- id: acme.good` to modules"));
  EXPECT_THAT(run.out, HasSubstr("not listed"));
}

TEST_F(Plugin, ExplainNamesAListedModuleThatIsNotThere) {
  (void)folder_.file("tenon.yaml",
                     "apiVersion: tenon/v1\nmodule_path: [mods]\nmodules: [{id: acme.good}, {id: acme.godo}]\n"
                     "policy_groups: {default: queues.yaml}\n");
  const command_result run = explain();
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.out, AllOf(HasSubstr("acme.godo"), HasSubstr(deployment_ + ":3:33"), HasSubstr("node-sort fixture")));
}

TEST_F(Plugin, ConfigCheckRefusesTheDeploymentsThatCannotBeServed) {
  const auto both = [&](const std::string &deployment, int code, const std::string &why) {
    (void)folder_.file("tenon.yaml", "apiVersion: tenon/v1\nmodule_path: [mods]\n" + deployment);
    const command_result served = run_tenon({"serve", "--check", "-c", deployment_});
    const command_result checked = run_tenon({"config", "check", deployment_});
    EXPECT_EQ(served.code, code) << served.err;
    EXPECT_EQ(checked.code, code) << checked.err << checked.out;
    EXPECT_THAT(served.err, HasSubstr(why));
    EXPECT_THAT(checked.err, HasSubstr(why));
  };
  both("modules: [{id: acme.good}]\n", 0, "");
  both("modules: [{id: acme.godo}]\n", 2, "acme.godo");
  both("transports: [{use: acme.good}]\n", 2, "provides none");
  both("events: [{use: tenon.ring, config: {entriez: 5}}]\n", 2, "entriez");
  both("transports: [{use: tenon.rest, config: {listen: nowhere}}]\n", 2, "nowhere");
  both("policy_groups: {default: queues.yaml}\n", 2, "fixture");  // nobody who is listed provides it
  both("configuration: {store: kept}\naudit: {file: audit}\ncontrol: {socket: run/control.sock}\n", 0, "");
  both("configuration: {store: kept/}\n", 0, "");
  for (const char *made : {"kept", "audit", "run"}) EXPECT_FALSE(std::filesystem::exists(folder_.file(made)));
  both("configuration: {store: none/kept}\n", 2, "there is no folder " + folder_.file("none"));
  both("configuration: {store: queues.yaml}\n", 2, "a file of another kind");
  both("audit: {file: none/audit}\n", 2, "none/audit");
  both("audit: {file: mods}\n", 2, "mods");
  both("control: {socket: queues.yaml}\n", 2, "a socket, or nothing");
  both("control: {socket: queues.yaml/in/control.sock}\n", 2, queues_ + " is a file");
  both("control: {socket: " + std::string(107, 's') + "}\n", 2, "a path of at most 107 bytes");
  std::filesystem::create_directory(folder_.file("kept"));
  (void)folder_.file("kept/group-default.json", "half of it");
  both("configuration: {store: kept}\n", 2, "move the file away");
  copy("create_fails");
  ASSERT_EQ(run_tenon({"plugin", "seal", manifest_}).code, 0);
  both("modules: [{id: acme.good}]\npolicy_groups: {default: queues.yaml}\n", 2, "weights do not add up");
  copy("load_aborts");
  ASSERT_EQ(run_tenon({"plugin", "seal", manifest_}).code, 0);
  both("modules: [{id: acme.good}]\n", 2, "SIGABRT");
}

// A name alone is a file of the working directory.
TEST_F(Plugin, ADeploymentIsTheSameByItsBareName) {
  (void)folder_.file("tenon.yaml",
                     "apiVersion: tenon/v1\nconfiguration: {store: kept}\naudit: {file: audit}\n"
                     "control: {socket: control.sock}\n");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.file(""));
  const command_result served = run_tenon({"serve", "--check", "-c", "tenon.yaml"});
  const command_result checked = run_tenon({"config", "check", "tenon.yaml"});
  std::filesystem::current_path(before);
  EXPECT_EQ(served.code, 0) << served.err;
  EXPECT_EQ(checked.code, 0) << checked.err;
}

TEST_F(Plugin, ExplainSaysWhatIsRefusedAndGoesOn) {
  copy("load_aborts");
  ASSERT_EQ(run_tenon({"plugin", "seal", manifest_}).code, 0);
  const command_result run = explain();
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.out, HasSubstr("ended its process by SIGABRT"));
  EXPECT_THAT(run.out, HasSubstr("tenon.app-fifo"));
  const auto json = boost::json::parse(run_tenon({"plugin", "explain", deployment_, "--json"}).out);
  EXPECT_FALSE(json.at("good").as_bool());
  EXPECT_EQ(json.at("modules").at(0).at("standing").as_string(), "refused");
}

TEST_F(Plugin, AModuleThatIsThereAndNotListedIsTheRemedy) {
  (void)folder_.file("tenon.yaml",
                     "apiVersion: tenon/v1\nmodule_path: [mods]\npolicy_groups: {default: queues.yaml}\n");
  const std::string remedy = "'acme.good' provides it and is not listed: add `- id: acme.good` to modules";
  for (const command_result &run :
       {run_tenon({"config", "check", deployment_}), run_tenon({"serve", "--check", "-c", deployment_})}) {
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, HasSubstr(remedy));
  }
}

TEST_F(Plugin, ExplainRefusesWhatItCannotRead) {
  EXPECT_EQ(run_tenon({"plugin", "explain", folder_.file("nothing.yaml")}).code, 2);
  const command_result run = run_tenon({"plugin", "explain", deployment_, "--queues", folder_.file("none.yaml")});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("none.yaml"));
}

TEST_F(Plugin, LockPinsBuildsAndTheDeploymentHoldsToThem) {
  EXPECT_EQ(run_tenon({"plugin", "lock", deployment_, "--check"}).code, 1);
  const command_result run = run_tenon({"plugin", "lock", deployment_});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string lock = folder_.text("tenon.yaml.lock");
  EXPECT_THAT(lock, AllOf(HasSubstr("id: acme.good"), HasSubstr("digest: sha256:"), HasSubstr("id: tenon.app-fifo")));
  EXPECT_THAT(lock, Not(HasSubstr("tenon.node-binpacking")));
  EXPECT_EQ(run_tenon({"plugin", "lock", deployment_, "--check"}).code, 0);
  EXPECT_EQ(explain().code, 0);

  copy("wide_keys");  // another build
  ASSERT_EQ(run_tenon({"plugin", "seal", manifest_}).code, 0);
  const command_result other = explain();
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.out, HasSubstr("accept this one with `tenon plugin lock " + deployment_ + "`"));
  const command_result used = run_tenon({"simulate", "--no-progress", "--pods", "1", "--deployment", deployment_});
  EXPECT_EQ(used.code, 2);
  EXPECT_THAT(used.err, HasSubstr("tenon.yaml.lock says"));
  const command_result checked = run_tenon({"config", "check", deployment_});
  EXPECT_EQ(checked.code, 2);
  EXPECT_THAT(checked.err, HasSubstr("tenon.yaml.lock says"));
  EXPECT_EQ(run_tenon({"plugin", "lock", deployment_, "--check"}).code, 1);
  EXPECT_EQ(run_tenon({"plugin", "lock", deployment_}).code, 0);
  EXPECT_EQ(explain().code, 0);
}

// Notes the names that a kernel binds.
class noting_source final : public policy_source {
 public:
  explicit noting_source(policy_source &inner) : inner_(inner) {}
  using name = std::pair<module_kind, std::string>;
  std::set<name> bound;

  bool provides(module_kind kind, std::string_view policy) const override { return inner_.provides(kind, policy); }
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view policy, std::string_view configuration,
                                             uint32_t max_resource_types) override {
    bound.emplace(kind, policy);
    return inner_.bind(kind, policy, configuration, max_resource_types);
  }
  std::unique_ptr<bound_policy> fallback(module_kind kind, uint32_t max_resource_types) override {
    return inner_.fallback(kind, max_resource_types);
  }
  result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) override {
    return inner_.predicates(max_resource_types);
  }

 private:
  policy_source &inner_;
};

TEST(BoundPolicies, AreThoseThatAKernelBinds) {
  const auto opened = open_policies({});
  ASSERT_TRUE(opened) << opened.why().text();
  for (const char *partition :
       {"queues: [{name: a}]", "nodesortpolicy: {type: binpacking}, queues: [{name: a}]",
        "canary: {nodesortpolicy: {type: binpacking}, share: 100}, queues: [{name: a}]",
        "placementrules: [{name: Tag, value: namespace, create: true, parent: {name: user, create: true}}], "
        "queues: [{name: root, queues: [{name: a, parent: true, properties: {application.sort.policy: stateaware}, "
        "childtemplate: {properties: {application.sort.policy: fair, queue.sort.policy: priority}}}]}]"}) {
    const auto queues = config::parse_queues_yaml("partitions: [{name: default, " + std::string(partition) + "}]", "q");
    ASSERT_TRUE(queues) << queues.why().text();
    noting_source noted(*opened->source);
    kernel scheduler(noted);
    const host::role_guard cycle(host::thread_role::cycle);
    scheduler.apply(0, register_rm{"rm", {}, "default", &*queues, 0});
    std::set<noting_source::name> said;
    for (const config::policy_name &one : config::bound_policies(*queues)) said.emplace(one.kind, one.name);
    EXPECT_EQ(said, noted.bound) << partition;
  }
}

TEST_F(Plugin, LockPinsWhatIsBoundWhereNothingIsNamed) {
  ASSERT_EQ(run_tenon({"plugin", "lock", deployment_}).code, 0);
  const std::string lock = folder_.text("tenon.yaml.lock");
  for (const char *one : {"tenon.placement-provided", "tenon.queue-fair", "tenon.app-fifo"})
    EXPECT_THAT(lock, HasSubstr(one));
  const command_result checked = run_tenon({"config", "check", deployment_});
  EXPECT_EQ(checked.code, 0) << checked.err;
}

TEST_F(Plugin, LockPinsWhatTemplatesCanariesAndParentsName) {
  (void)folder_.file("queues.yaml",
                     "partitions:\n  - name: default\n    canary: {nodesortpolicy: {type: binpacking}, share: 100}\n"
                     "    queues: [{name: a, parent: true, properties: {application.sort.policy: stateaware},\n"
                     "      childtemplate: {properties: {application.sort.policy: fair}}}]\n");
  ASSERT_EQ(run_tenon({"plugin", "lock", deployment_}).code, 0);
  for (const char *one : {"tenon.node-binpacking", "tenon.node-fair", "tenon.app-stateaware", "tenon.app-fair"})
    EXPECT_THAT(folder_.text("tenon.yaml.lock"), HasSubstr(one));
}

TEST_F(Plugin, LockKnowsOnlyWhatWasUsedThen) {
  ASSERT_EQ(run_tenon({"plugin", "lock", deployment_}).code, 0);
  (void)folder_.file(
      "queues.yaml",
      "partitions:\n  - name: default\n    nodesortpolicy: {type: binpacking}\n    queues: [{name: a}]\n");
  const command_result run = run_tenon({"plugin", "explain", deployment_});
  EXPECT_THAT(run.out, HasSubstr("module 'tenon.node-binpacking' is not in it"));
  EXPECT_EQ(run.code, 1);
}

TEST_F(Plugin, LockPinsNothingThatWouldBeRefused) {
  copy("exec_stack");
  ASSERT_EQ(run_tenon({"plugin", "seal", manifest_}).code, 0);
  const command_result run = run_tenon({"plugin", "lock", deployment_});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("executable stack"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("tenon.yaml.lock")));
}

TEST_F(Plugin, AReplayNamesPoliciesThatAreOthersBeforeItBegins) {
  const std::string journal = folder_.file("day.journal");
  ASSERT_EQ(run_tenon({"simulate", "--no-progress", "--pods", "9", "--nodes", "2", "--node-sort", "fixture",
                       "--deployment", deployment_, "--record", journal})
                .code,
            0);
  const auto replay = [&](const std::string &deployment) {
    return run_tenon({"simulate", "--no-progress", "--replay", journal, "--deployment", deployment});
  };
  EXPECT_EQ(replay(deployment_).err, "");
  const std::string saved = folder_.file("day.state");
  ASSERT_EQ(run_tenon({"snapshot", journal, "-c", deployment_, "-o", saved}).code, 0);

  const std::string with_predicate =
      folder_.file("other.yaml",
                   "apiVersion: tenon/v1\nmodule_path: [mods]\nmodules: [{id: acme.good}]\n"
                   "predicates: [{use: tenon.node-attributes}]\n");
  EXPECT_THAT(replay(with_predicate).err, AllOf(HasSubstr("warning: tenon.node-attributes, order_rev 1"),
                                                HasSubstr("want: no module, which decided the journal")));

  copy("wide_keys");  // another build of the module
  ASSERT_EQ(run_tenon({"plugin", "seal", manifest_}).code, 0);
  const std::string warning = "day.journal: node-sort 'fixture': warning: acme.good 1.0.0, order_rev 1, sha256:";
  EXPECT_THAT(replay(deployment_).err, HasSubstr(warning));
  EXPECT_THAT(run_tenon({"diff", journal, "--a", deployment_, "--b", deployment_}).err, HasSubstr(warning));
  EXPECT_THAT(run_tenon({"whatif", journal, "-c", deployment_, "--queue", "root.q0", "--resource", "vcore=1"}).err,
              HasSubstr(warning));
  EXPECT_THAT(run_tenon({"whatif", saved, "-c", deployment_, "--queue", "root.q0", "--resource", "vcore=1"}).err,
              HasSubstr("day.state: node-sort 'fixture': warning: acme.good 1.0.0, order_rev 1, sha256:"));
}

TEST_F(Plugin, LockThatIsBrokenIsRefusedAtItsPlaceAndWrittenAnew) {
  (void)folder_.file("tenon.yaml.lock", "apiVersion: tenon.lock/v1\nmodules:\n  - id: acme.good\n    version: 1\n");
  const command_result run = explain();
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("tenon.yaml.lock:3:5"), HasSubstr("provides")));
  EXPECT_EQ(run_tenon({"plugin", "lock", deployment_}).code, 0);
  EXPECT_EQ(explain().code, 0);
}

TEST_F(Plugin, SealChangesTheDigestAlone) {
  const std::string before = folder_.text("mods/good.yaml");
  copy("wide_keys");
  ASSERT_EQ(run_tenon({"plugin", "seal", manifest_}).code, 0);
  std::string after = folder_.text("mods/good.yaml");
  EXPECT_NE(after, before);
  const size_t at = after.find("digest:");
  ASSERT_NE(at, std::string::npos);
  after.replace(at, after.find('\n', at) - at, before.substr(at, before.find('\n', at) - at));
  EXPECT_EQ(after, before);
}

TEST_F(Plugin, ConfigCheckOfADeploymentKnowsItsModules) {
  EXPECT_EQ(run_tenon({"config", "check", deployment_}).code, 0);
  (void)folder_.file("tenon.yaml",
                     "apiVersion: tenon/v1\nmodule_path: [mods]\npolicy_groups: {default: queues.yaml}\n");
  const command_result run = run_tenon({"config", "check", deployment_});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("undefined policy: fixture"));
}

TEST_F(Plugin, LintFindsEverythingWithoutRunningIt) {
  EXPECT_EQ(run_tenon({"plugin", "lint", manifest_}).code, 0);
  copy("two_exports");
  const command_result run = run_tenon({"plugin", "lint", manifest_});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("from whoever built the module"), Not(HasSubstr("seal")),
                             HasSubstr("no export but tenon_module_v1")));
  EXPECT_THAT(run.out, HasSubstr("refused, 2 reasons"));
  const auto json = boost::json::parse(run_tenon({"plugin", "lint", manifest_, "--json"}).out);
  EXPECT_EQ(json.at("files").at(0).at("refusals").as_array().size(), 2);
}

TEST_F(Plugin, LintReadsLibrariesAlone) {
  copy("load_aborts");
  EXPECT_EQ(run_tenon({"plugin", "lint", folder_.file("mods/good.so")}).code, 0);
  EXPECT_EQ(run_tenon({"plugin", "lint", folder_.file("mods/none.yaml")}).code, 2);
}

TEST_F(Plugin, NewRefusesWhatItCannotMake) {
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"plugin", "new"});
    const command_result run = run_tenon(arguments);
    EXPECT_EQ(run.code, 2) << run.out;
    return run.err;
  };
  const std::string here = folder_.file("");
  EXPECT_THAT(refused({"binpack", "--kind", "node-sort", "--directory", here}), HasSubstr("as acme-binpack"));
  EXPECT_THAT(refused({"Acme-x", "--kind", "node-sort", "--directory", here}), HasSubstr("lower-case"));
  EXPECT_THAT(refused({"acme-x", "--kind", "node-sorts", "--directory", here}), HasSubstr("did you mean 'node-sort'?"));
  EXPECT_THAT(refused({"acme-x", "--kind", "predicate", "--lang", "perl", "--directory", here}),
              HasSubstr("c++, c, rust"));
  EXPECT_THAT(refused({"acme-x", "--kind", "transport", "--language", "rust", "--directory", here}),
              HasSubstr("take c++ or c; the crate tenon-sdk has orders, predicates and placement rules"));
  std::filesystem::create_directory(folder_.file("acme-x"));
  EXPECT_THAT(refused({"acme-x", "--kind", "predicate", "--directory", here}), HasSubstr("it is there"));
  EXPECT_THAT(refused({"acme-y", "--kind", "predicate", "--directory", here, "--templates", here}),
              HasSubstr("install the package tenon-sdk"));
}

}  // namespace
}  // namespace tenon::cli
