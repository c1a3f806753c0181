// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads the keys of an object of the deployment file into values, and refuses values that cannot work.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "tenon/config/problems.hpp"
#include "tenon/config/shape.hpp"

namespace tenon::host {

// A key that is not written leaves its value as it is.
class key_reader {
 public:
  // `of` has the right shape. nullptr: the object is not written.
  key_reader(const config::yaml_node *of, const std::filesystem::path &deployment_file, config::problems &report)
      : of_(of), file_(deployment_file), report_(report) {}

  // Returns nullptr if the key is not written.
  [[nodiscard]] const config::yaml_node *find(std::string_view key) const {
    return of_ == nullptr ? nullptr : of_->find(key);
  }
  [[nodiscard]] const std::filesystem::path &deployment_file() const { return file_; }
  [[nodiscard]] config::problems &report() const { return report_; }
  // Returns a reader of the object in `key`.
  [[nodiscard]] key_reader object(std::string_view key) const { return {find(key), file_, report_}; }

  void text(std::string_view key, std::string &to) const;
  // The same for the id of a module, and for the name of one of its implementations.
  void module_id(std::string_view key, std::string &to) const;
  void policy_name(std::string_view key, std::string &to) const;
  void flag(std::string_view key, bool &to) const;
  template <class Number>
  void count(std::string_view key, Number &to, uint64_t least = 1, uint64_t most = UINT32_MAX) const {
    to = static_cast<Number>(count_of(key, to, least, most));
  }
  // `least_ms` is 1, or 0 where no time at all has a meaning.
  void duration(std::string_view key, int64_t &to_ms, int64_t least_ms = 1) const;
  void duration(std::string_view key, std::chrono::milliseconds &to, int64_t least_ms = 1) const;

  // Returns a path of the deployment file, which may be relative to that file.
  [[nodiscard]] std::filesystem::path resolve(const std::string &name) const;
  // The path in `key`, which is not empty: `want` says of what.
  void path(std::string_view key, std::filesystem::path &to, const std::string &want) const;
  // Returns the path of a file that is there; `want` says which file that is.
  [[nodiscard]] std::filesystem::path file(const config::yaml_node &name, const std::string &want) const;
  // Returns the files in the map of `key`, by name. `want` stands before the name in a refusal.
  [[nodiscard]] std::map<std::string, std::filesystem::path> files(std::string_view key, const std::string &want) const;

 private:
  [[nodiscard]] uint64_t count_of(std::string_view key, uint64_t now, uint64_t least, uint64_t most) const;

  const config::yaml_node *of_;
  const std::filesystem::path &file_;
  config::problems &report_;
};

}  // namespace tenon::host
