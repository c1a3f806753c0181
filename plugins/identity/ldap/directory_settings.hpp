// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which directory is asked, and how: from the configuration, or from a folder of files as YuniKorn reads it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "filter.hpp"
#include "tenon/sdk/config.hpp"

namespace tenon::identity_ldap {

struct settings {
  // Throws sdk::invalid_config where something is missing or does not go together.
  explicit settings(const sdk::config &given);

  std::string url;
  std::string base;
  filter_form user_filter;
  std::string bind_dn;                  // empty: nobody in particular asks
  std::filesystem::path password_file;  // of bind_dn
  bool start_tls = false, verify = true;
  std::string ca_file;          // empty: the system's authorities
  std::string group_attribute;  // of the user's entry; unless groups are searched:
  filter_form group_filter;     // empty: they are not
  std::string group_base, group_name;
  std::chrono::milliseconds timeout, pause;

  // What an operator should know of them.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  void take_keys(const sdk::config &given);
  void take_files(const std::filesystem::path &folder);
};

// Without the ends of lines at its end. Throws std::runtime_error.
[[nodiscard]] std::string text_of_file(const std::filesystem::path &file);

}  // namespace tenon::identity_ldap
