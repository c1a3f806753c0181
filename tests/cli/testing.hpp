// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the tests of the command line share.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "run/output_file.hpp"

namespace tenon::cli {

struct command_result {
  int code = -1;
  std::string out, err;
};

// `tenon ARGUMENTS`, in this process, with `input` to read.
inline command_result run_tenon(const std::vector<std::string> &arguments, const std::string &input = {}) {
  std::vector<const char *> argv{"tenon"};
  for (const std::string &argument : arguments) argv.push_back(argument.c_str());
  std::istringstream in(input);
  std::ostringstream out, err;
  command_result result;
  result.code = run_command_line(static_cast<int>(argv.size()), argv.data(), in, out, err);
  result.out = out.str();
  result.err = err.str();
  return result;
}

// A folder of the test that runs, empty at first and gone at the end.
class temporary_folder {
 public:
  temporary_folder() {
    const auto *test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "." + test->name();
    for (char &c : name) {
      if (c == '/') c = '_';
    }
    path_ = std::filesystem::path(testing::TempDir()) / ("tenon-" + name);
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder &) = delete;
  temporary_folder &operator=(const temporary_folder &) = delete;

  [[nodiscard]] std::string file(const std::string &name) const { return (path_ / name).string(); }
  // Writes a file and gives its path.
  [[nodiscard]] std::string file(const std::string &name, const std::string &text) const {
    const auto why = write_file(path_ / name, text);
    EXPECT_FALSE(why.has_value()) << why->text();
    return file(name);
  }
  [[nodiscard]] std::string text(const std::string &name) const {
    const auto bytes = read_file(path_ / name);
    EXPECT_TRUE(static_cast<bool>(bytes)) << name;
    return bytes ? *bytes : std::string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tenon::cli
