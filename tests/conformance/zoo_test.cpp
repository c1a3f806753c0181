// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The pairing of checks and zoo: what each module of the zoo says must catch it is what catches it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tenon/conformance/verify.hpp"

namespace tenon::conformance {
namespace {

namespace fs = std::filesystem;
using ids = std::set<std::string>;

struct animal {
  std::string name;
  ids fails;
  bool client = false;  // RMs reach it by the zoo's client
};

void PrintTo(const animal &one, std::ostream *out) { *out << one.name; }

// `fails: a, b` in the first lines of a source, which may go on in lines that begin with more blanks. Every test of
// this program reads all sources as it starts, so the expressions are compiled once.
ids read_fails(const fs::path &source) {
  static const std::regex first("^[ */]*fails: (.*)$"), further("^[ /*]+   [a-z, -]+$"), id("[a-z][a-z0-9-]+");
  std::ifstream in(source);
  ids out;
  bool in_list = false;
  std::string line;
  for (int n = 0; n < 16 && std::getline(in, line); ++n) {
    std::smatch found;
    if (line.find("fails: ") != std::string::npos && std::regex_search(line, found, first)) {
      in_list = true;
      line = std::string(found[1]);
    } else if (!in_list || !std::regex_match(line, further)) {
      in_list = false;
      continue;
    }
    for (std::sregex_iterator i(line.begin(), line.end(), id), end; i != end; ++i) out.insert(i->str());
  }
  return out;
}

bool wants_client(const fs::path &source) {
  std::ifstream in(source);
  std::string line;
  for (int n = 0; n < 16 && std::getline(in, line); ++n) {
    if (line == " * client: yes") return true;
  }
  return false;
}

std::vector<animal> zoo() {
  std::vector<animal> out;
  for (const fs::directory_entry &file : fs::directory_iterator(TENON_SOURCE_DIR "/sdk/conformance/zoo")) {
    const std::string kind = file.path().extension().string();
    if (kind == ".c" || kind == ".cpp")
      out.push_back({file.path().stem().string(), read_fails(file.path()), wants_client(file.path())});
  }
  std::sort(out.begin(), out.end(), [](const animal &a, const animal &b) { return a.name < b.name; });
  return out;
}

std::string spoken(const ids &all) {
  std::string out;
  for (const std::string &id : all) out += (out.empty() ? "" : ", ") + id;
  return out.empty() ? "none" : out;
}

verify_report verified(const fs::path &manifest, std::chrono::milliseconds limit, const fs::path &client = {}) {
  verify_options options;
  options.client = client;
  options.manifest = manifest;
  options.limit = limit;
  const auto report = verify(options);
  EXPECT_TRUE(report) << (report ? "" : report.why().text());
  return report ? *report : verify_report{};
}

std::string complaints(const verify_report &report) {
  std::string out;
  for (const check_result &r : report.results) {
    if (r.bad()) out += as_text(r, report.manifest);
  }
  return out;
}

class Zoo : public testing::TestWithParam<animal> {};

TEST_P(Zoo, FailsWhatItsHeadListsAndNothingElse) {
  const verify_report report =
      verified(fs::path(TENON_ZOO_DIRECTORY) / (GetParam().name + ".yaml"), std::chrono::milliseconds(4000),
               GetParam().client ? fs::path(TENON_ZOO_CLIENT) : fs::path());
  ids failed;
  for (const check_result &r : report.results) {
    if (r.bad()) failed.insert(std::string(r.check.id));
  }
  EXPECT_EQ(spoken(failed), spoken(GetParam().fails)) << complaints(report);
}

INSTANTIATE_TEST_SUITE_P(Modules, Zoo, testing::ValuesIn(zoo()), [](const auto &one) { return one.param.name; });

struct misdeed {
  std::string module, where, how;
};

void PrintTo(const misdeed &one, std::ostream *out) { *out << one.module << ": " << one.how << " in " << one.where; }

std::vector<misdeed> misdeeds() {
  const std::vector<std::string> everywhere{
      "the module's init", "the module's deinit", "get_factory", "describe", "create", "init",
      "activate",          "deactivate",          "destroy",     "keys",     "score",  "prepare"};
  std::vector<misdeed> out;
  const auto add = [&](const char *module, const std::vector<std::string> &places, std::vector<std::string> hows) {
    for (const std::string &where : places) {
      for (const std::string &how : hows) out.push_back({module, where, how});
    }
  };
  add("on_request_sort", everywhere, {"crash", "hang", "throw", "throw a number", "exit"});
  add("on_request_static", everywhere, {"throw", "throw a number"});
  add("on_request_predicate", {"filter", "signature", "filter_prefix"}, {"crash", "hang", "throw", "exit"});
  add("on_request_placement", {"place"}, {"crash", "hang", "throw", "exit"});
  return out;
}

class EverySlot : public testing::TestWithParam<misdeed> {};

TEST_P(EverySlot, IsSeenOnceAndNamed) {
  ::setenv("ZOO_WHERE", GetParam().where.c_str(), 1);
  ::setenv("ZOO_HOW", GetParam().how.c_str(), 1);
  const verify_report report =
      verified(fs::path(TENON_ZOO_DIRECTORY) / (GetParam().module + ".yaml"), std::chrono::milliseconds(1500));
  ::unsetenv("ZOO_WHERE");
  ::unsetenv("ZOO_HOW");
  size_t bad = 0;
  for (const check_result &r : report.results) {
    if (!r.bad()) continue;
    ++bad;
    EXPECT_NE(r.text.find(GetParam().where), std::string::npos) << as_text(r, report.manifest);
    EXPECT_EQ(r.how == outcome::timed_out, GetParam().how == "hang") << as_text(r, report.manifest);
  }
  EXPECT_EQ(bad, 1U) << complaints(report);
}

INSTANTIATE_TEST_SUITE_P(Misdeeds, EverySlot, testing::ValuesIn(misdeeds()), [](const auto &one) {
  std::string name = one.param.module + "_" + one.param.how + "_in_" + one.param.where;
  for (char &c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

class BuiltIn : public testing::TestWithParam<std::string> {};

std::vector<std::string> built_in() {
  std::vector<std::string> out;
  std::error_code failed;
  for (const fs::directory_entry &file : fs::directory_iterator(TENON_BUILT_IN_DIRECTORY, failed)) {
    if (file.path().extension() == ".yaml") out.push_back(file.path().stem().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST_P(BuiltIn, PassesEverything) {
  const verify_report report =
      verified(fs::path(TENON_BUILT_IN_DIRECTORY) / (GetParam() + ".yaml"), std::chrono::milliseconds(20'000));
  EXPECT_TRUE(report.good()) << complaints(report);
  EXPECT_GT(report.count(outcome::passed), 10U);
}

INSTANTIATE_TEST_SUITE_P(Modules, BuiltIn, testing::ValuesIn(built_in()), [](const auto &one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Modules as other compilers, languages and runtimes made them, kept as they were.
std::vector<std::string> kept() {
  std::vector<std::string> out;
  std::error_code failed;
  for (const fs::directory_entry &folder : fs::directory_iterator(TENON_SOURCE_DIR "/tests/abi/corpus", failed)) {
    if (!folder.is_directory()) continue;
    for (const fs::directory_entry &file : fs::directory_iterator(folder.path())) {
      if (file.path().extension() == ".yaml") out.push_back(file.path().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Kept, ModulesOfEarlierBuildsPassEverything) {
  ASSERT_FALSE(kept().empty());
  for (const std::string &manifest : kept()) {
    const verify_report report = verified(manifest, std::chrono::milliseconds(20'000));
    EXPECT_TRUE(report.good()) << complaints(report);
    EXPECT_GT(report.count(outcome::passed), 40U) << manifest;
  }
}

TEST(Pairing, EveryCheckHasAModuleThatFailsIt) {
  ids unproven;
  for (const check_entry &c : all_checks()) unproven.insert(std::string(c.id));
  for (const animal &one : zoo()) {
    for (const std::string &id : one.fails) unproven.erase(id);
  }
  EXPECT_EQ(spoken(unproven), "none");
}

TEST(Pairing, HeadsNameChecksThatExist) {
  ids known;
  for (const check_entry &c : all_checks()) known.insert(std::string(c.id));
  for (const animal &one : zoo()) {
    for (const std::string &id : one.fails) EXPECT_TRUE(known.contains(id)) << one.name << " names " << id;
  }
}

TEST(Checks, AreKebabCaseSentencesWithoutDoubles) {
  ids seen;
  for (const check_entry &c : all_checks()) {
    EXPECT_TRUE(std::regex_match(std::string(c.id), std::regex("[a-z]+(-[a-z]+)*"))) << c.id;
    EXPECT_TRUE(seen.insert(std::string(c.id)).second) << c.id;
    EXPECT_TRUE(c.needs.empty() || seen.contains(std::string(c.needs))) << c.id << " needs what runs later";
    EXPECT_EQ(c.sentence.back(), '.') << c.id;
    EXPECT_FALSE(c.category.empty() || c.kinds.empty()) << c.id;
  }
}

}  // namespace
}  // namespace tenon::conformance
