// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "config/config_commands.hpp"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ConfigCheck : public testing::Test {
 protected:
  ConfigCheck() : folder_(fs::path(testing::TempDir()) / ("config_check_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~ConfigCheck() override { fs::remove_all(folder_); }

  std::string file(const std::string &name, const std::string &text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  int check(std::vector<std::string> files, bool as_json = false, const std::string &input = "", bool strict = false) {
    config_check_options options;
    options.strict = strict;
    options.files = std::move(files);
    options.json = as_json;
    std::istringstream in(input);
    out_.str("");
    err_.str("");
    return run_config_check(options, in, out_, err_);
  }
  [[nodiscard]] std::string out() const { return out_.str(); }
  [[nodiscard]] std::string err() const { return err_.str(); }

 private:
  fs::path folder_;
  std::ostringstream out_, err_;
};

const std::string good =
    "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues: [{name: a}, {name: b}]\n";

TEST_F(ConfigCheck, AGoodFileGivesZeroAndOneLine) {
  const std::string path = file("queues.yaml", good);
  EXPECT_EQ(check({path}), 0);
  EXPECT_EQ(out(), path + ": good, 1 partition, 3 queues\n");
  EXPECT_EQ(err(), "");
}

TEST_F(ConfigCheck, ABadFileGivesTwoAndEveryReasonWithItsPlace) {
  const std::string path = file("queues.yaml", "partitions:\n- name: default\n  queus: []\n  limits: 5\n");
  EXPECT_EQ(check({path}), 2);
  EXPECT_EQ(out(), path + ": refused, 2 reasons\n");
  EXPECT_THAT(err(), HasSubstr(path + ":3:3: unknown key 'queus' in a partition\n"));
  EXPECT_THAT(err(), HasSubstr("\n  fix:  did you mean 'queues'?\n"));
  EXPECT_THAT(err(), HasSubstr(path + ":4:11: the number '5'\n"));
}

TEST_F(ConfigCheck, WarningsDoNotRefuse) {
  const std::string path = file("queues.yaml", "partitions: [{queues: [{name: a, submitacl: 'bob,1x'}]}]");
  EXPECT_EQ(check({path}), 0);
  EXPECT_THAT(out(), HasSubstr("good, 1 partition, 2 queues, 1 warning"));
  EXPECT_THAT(err(), HasSubstr("warning: '1x' in an ACL"));
  EXPECT_EQ(check({path}, false, "", true), 2) << "--strict";
}

TEST_F(ConfigCheck, OneBadFileOfSeveralGivesTwo) {
  const std::string first = file("a.yaml", good), second = file("b.yaml", "partitions: 5");
  EXPECT_EQ(check({first, second, first}), 2);
  EXPECT_THAT(out(), HasSubstr(first + ": good"));
  EXPECT_THAT(out(), HasSubstr(second + ": refused, 1 reason\n"));
}

TEST_F(ConfigCheck, AFileThatIsNotThereIsRefused) {
  EXPECT_EQ(check({"no/such/file.yaml"}), 2);
  EXPECT_THAT(err(), HasSubstr("no/such/file.yaml: it cannot be opened or read: No such file or directory\n"));
}

TEST_F(ConfigCheck, AFolderIsRefusedAsOne) {
  EXPECT_EQ(check({testing::TempDir()}), 2);
  EXPECT_THAT(err(), HasSubstr(": a folder\n"));
}

TEST_F(ConfigCheck, ALockThatCannotBeReadRefusesItsDeployment) {
  const std::string path = file("tenon.yaml", "apiVersion: tenon/v1\n");
  file("tenon.yaml.lock", "junk");
  EXPECT_EQ(check({path}), 2);
  EXPECT_THAT(err(), HasSubstr("tenon.yaml.lock:1:1: the text 'junk'"));
}

TEST_F(ConfigCheck, StandardInputIsAFile) {
  EXPECT_EQ(check({"-"}, false, good), 0);
  EXPECT_EQ(check({"-"}, false, "partitions: 5"), 2);
  EXPECT_THAT(err(), HasSubstr("standard input:1:13:"));
}

TEST_F(ConfigCheck, JsonSaysTheSame) {
  const std::string first = file("a.yaml", good), second = file("b.yaml", "partitions: 5");
  EXPECT_EQ(check({first, second}, true), 2);
  EXPECT_EQ(err(), "");
  const auto all = boost::json::parse(out());
  EXPECT_EQ(all.at("accepted"), false);
  const auto &files = all.at("files").as_array();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].at("accepted"), true);
  EXPECT_EQ(files[0].at("partitions").as_array().at(0).at("queues"), 3);
  EXPECT_EQ(files[0].at("checksum").as_string().size(), 64U);
  EXPECT_EQ(files[1].at("accepted"), false);
  const auto &reason = files[1].at("refusals").as_array().at(0);
  EXPECT_EQ(reason.at("where").as_string(), second + ":1:13");
  EXPECT_THAT(std::string(reason.at("have").as_string()), HasSubstr("the number '5'"));
}

TEST_F(ConfigCheck, ADeploymentIsCheckedWithItsQueues) {
  file("queues.yaml", "partitions: 5");
  const std::string path = file("tenon.yaml", "apiVersion: tenon/v1\npolicy_groups: {default: queues.yaml}\n");
  EXPECT_EQ(check({path}), 2);
  EXPECT_THAT(out(), HasSubstr(path + ": good\n"));
  EXPECT_THAT(out(), HasSubstr("queues.yaml: refused"));
  const std::string wrong = file("wrong.yaml", "apiVersion: tenon/v1\nmodule: []\n");
  EXPECT_EQ(check({wrong}), 2);
  EXPECT_THAT(err(), HasSubstr("wrong.yaml:2:1: unknown key 'module'"));
}

TEST_F(ConfigCheck, AManifestIsToldByItsVersion) {
  EXPECT_EQ(check({file("m.yaml", "apiVersion: tenon.module/v1\nid: acme.x\n")}), 2);
  EXPECT_THAT(err(), HasSubstr("without 'version'"));
}

TEST(ConfigSchema, EveryFormatHasOne) {
  for (const char *format : {"", "queues", "deployment", "module"}) {
    std::ostringstream out, err;
    EXPECT_EQ(run_config_schema(format, out, err), 0) << format;
    EXPECT_TRUE(boost::json::parse(out.str()).as_object().contains("definitions")) << format;
  }
  std::ostringstream out, err;
  EXPECT_EQ(run_config_schema("queue", out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("did you mean 'queues'?"));
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace tenon::cli
