// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon simulate --replay` needs no placement rule that the recording had, and asks none that there is now.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tenon/abi/base.h"
#include "testing.hpp"

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ReplayedRule : public testing::Test {
 protected:
  ReplayedRule() {
    queues_ = folder_.file("queues.yaml", R"(
partitions:
  - name: default
    placementrules:
      - { name: acme-ldap, value: team, create: true, parent: { name: fixed, value: people, create: true } }
    queues: [ { name: root, submitacl: '*', queues: [ { name: rest } ] } ]
)");
  }

  // The name of the rule, provided by this fixture from now on.
  [[nodiscard]] std::string deployment(const std::string &fixture) const {
    fs::create_directories(folder_.file(fixture));
    fs::copy_file(fs::path(TENON_FIXTURE_DIRECTORY) / (fixture + ".so"), folder_.file(fixture + "/rule.so"));
    const std::string manifest =
        folder_.file(fixture + "/rule.yaml",
                     "apiVersion: tenon.module/v1\nid: acme.rule\nversion: 1.0.0\nvendor: Acme\nlicense: Apache-2.0\n"
                     "description: A rule.\nlibrary: rule.so\nabi_epoch: 1\ndraft_rev: " +
                         std::to_string(TENON_DRAFT_REV) +
                         "\nprovides: [{interface: tenon.placement-rule/1, name: acme-ldap, order_rev: 1}]\n"
                         "config: { type: object, properties: { value: { type: string } } }\n");
    EXPECT_EQ(run_tenon({"plugin", "seal", manifest}).code, 0);
    return folder_.file(fixture + ".yaml", "apiVersion: tenon/v1\nmodule_path: [" + fixture +
                                               "]\nmodules: [{id: acme.rule}]\n"
                                               "policy_groups: {default: queues.yaml}\n");
  }

  // Plays, records NAME.journal, and gives the decisions.
  [[nodiscard]] std::string played(const std::string &name, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "simulate");
    arguments.insert(arguments.end(), {"--no-progress", "--record", folder_.file(name + ".journal"), "--decisions",
                                       folder_.file(name + ".decisions")});
    const command_result run = run_tenon(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    return bytes_of(name + ".decisions");
  }
  [[nodiscard]] std::string bytes_of(const std::string &name) const {
    std::ifstream in(folder_.file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Behind the header, which names the modules that decided.
  [[nodiscard]] std::string entries_of(const std::string &name) const {
    const std::string bytes = bytes_of(name);
    return bytes.substr(bytes.find('\n'));
  }

  temporary_folder folder_;
  std::string queues_;
};

TEST_F(ReplayedRule, DecidesTheSameWithoutTheModuleAndWithAnother) {
  const std::string recorded = played("recorded", {"--nodes", "5", "--pods", "100", "--users", "4", "--config", queues_,
                                                   "--deployment", deployment("acme_ldap")});
  EXPECT_THAT(recorded, HasSubstr("root.people.team-user1"));
  const std::string journal = folder_.file("recorded.journal");
  EXPECT_EQ(played("without", {"--replay", journal}), recorded);
  const std::string moved = deployment("acme_moved");
  EXPECT_EQ(played("moved", {"--replay", journal, "--deployment", moved}), recorded);
  EXPECT_EQ(entries_of("without.journal"), entries_of("recorded.journal")) << "a replay is recorded as what it replays";
  EXPECT_EQ(entries_of("moved.journal"), entries_of("recorded.journal"));

  const std::string live =
      played("live", {"--nodes", "5", "--pods", "100", "--users", "4", "--config", queues_, "--deployment", moved});
  EXPECT_THAT(live, HasSubstr("root.people.elsewhere")) << "the other module does answer otherwise";
}

}  // namespace
}  // namespace tenon::cli
