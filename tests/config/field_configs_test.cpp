// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Configurations with their verdict by the field's own validator (tests/data/configs).
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tenon/config/queues.hpp"

namespace tenon::config {
namespace {

namespace fs = std::filesystem;

struct config_file {
  std::string name;
  std::string text;
  std::string first_line;
};

std::vector<config_file> files_of(const std::string &verdict) {
  std::vector<config_file> out;
  const fs::path folder = fs::path(TENON_TEST_DATA_DIR) / "configs" / verdict;
  for (const auto &entry : fs::directory_iterator(folder)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    out.push_back({entry.path().filename().string(), text.str(), text.str().substr(0, text.str().find('\n'))});
  }
  return out;
}

// The reasons in the files lost their runs of blanks and the names of limits that have none.
std::string with_single_blanks(const std::string &text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || out.empty() || out.back() != ' ') out += c;
  }
  return out;
}

std::string all_refusals(const parsed_queues &parsed) {
  std::string out;
  for (const refusal &r : parsed.refusals) out += r.text() + "\n";
  return out;
}

TEST(FieldConfigs, ValidOnesAreAccepted) {
  const auto files = files_of("valid");
  EXPECT_GT(files.size(), 50U);
  for (const config_file &file : files) {
    const auto parsed = parse_queues(file.text, file.name);
    EXPECT_TRUE(parsed.config) << file.name << "\n" << all_refusals(parsed);
  }
}

TEST(FieldConfigs, InvalidOnesAreRefusedForTheReasonGiven) {
  const auto files = files_of("invalid");
  EXPECT_GT(files.size(), 50U);
  for (const config_file &file : files) {
    const auto parsed = parse_queues(file.text, file.name);
    ASSERT_FALSE(parsed.config) << file.name << ": " << file.first_line;
    EXPECT_THAT(parsed.refusals[0].where, testing::MatchesRegex(".+\\.yaml:[0-9]+:[0-9]+")) << file.name;
    std::string reason = with_single_blanks(file.first_line.substr(std::string("# invalid: ").size()));
    // A key that the field does not know is worded by its YAML library.
    if (reason.find("not found in type") != std::string::npos) reason = "unknown key";
    EXPECT_THAT(with_single_blanks(parsed.refusals[0].have), testing::HasSubstr(reason)) << file.name << "\n"
                                                                                         << all_refusals(parsed);
  }
}

}  // namespace
}  // namespace tenon::config
