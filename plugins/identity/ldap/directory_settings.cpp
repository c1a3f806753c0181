// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "directory_settings.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tenon::identity_ldap {
namespace {

constexpr size_t longest_file = 65'536;  // bytes

filter_form user_filter_of(std::string_view key, const std::string &text) {
  filter_form form(key, text, "s");
  if (!form.names('s')) throw sdk::invalid_config(std::string(key) + ": want %s where the user's name stands");
  return form;
}

// As Go reads switches.
bool is_true(const std::string &text) {
  static constexpr std::array<std::string_view, 6> yes{"1", "t", "T", "true", "TRUE", "True"};
  return std::find(yes.begin(), yes.end(), text) != yes.end();
}

bool has(std::string_view url, std::string_view scheme) { return url.find(scheme) != std::string_view::npos; }

}  // namespace

std::string text_of_file(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad()) throw std::runtime_error(file.string() + " cannot be read");
  if (text.size() > longest_file) throw std::runtime_error(file.string() + " is longer than 64 KiB");
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

settings::settings(const sdk::config &given)
    : start_tls(given.flag("start_tls", false)),
      verify(given.flag("verify", true)),
      ca_file(given.text("ca_file", "")),
      group_attribute(given.text("group_attribute", "memberOf")),
      group_filter("group_filter", given.text("group_filter", ""), "sd"),
      group_name(given.text("group_name", "cn")),
      timeout(given.whole("timeout_ms", 3'000, 1, 60'000)),
      pause(given.whole("pause_ms", 2'000, 0, 60'000)) {
  if (given.has("url")) {
    take_keys(given);
  } else {
    for (const char *key : {"base", "filter", "bind_dn", "bind_password_file", "verify"})
      if (given.has(key))
        sdk::config::refuse(key, "url beside it, or nothing: without url it comes from the folder secrets");
    take_files(given.text("secrets", "/run/secrets/ldap"));
  }
  group_base = given.text("group_base", base);
  if (start_tls && (has(url, "ldaps:") || has(url, "ldapi:")))
    sdk::config::refuse("start_tls", "addresses that begin with ldap:, for others need none");
}

void settings::take_keys(const sdk::config &given) {
  url = given.text("url", "");
  base = given.text("base", "");
  if (base.empty()) sdk::config::refuse("base", "the entry below which users are, as ou=people,dc=example,dc=com");
  user_filter = user_filter_of("filter", given.text("filter", "(uid=%s)"));
  bind_dn = given.text("bind_dn", "");
  password_file = given.text("bind_password_file", "");
  if (bind_dn.empty() != password_file.empty())
    sdk::config::refuse("bind_dn", "bind_password_file beside it, or neither of them");
}

void settings::take_files(const std::filesystem::path &folder) {
  const auto text_of = [&](const char *name) {
    try {
      std::string text = text_of_file(folder / name);
      if (!text.empty()) return text;
    } catch (const std::runtime_error &) {
      throw sdk::invalid_config("want a configuration with url, or the folder " + folder.string() +
                                " with the files Host, Port, BaseDN, Filter, BindUser and BindPassword; cannot read " +
                                std::string(name));
    }
    throw sdk::invalid_config((folder / name).string() + " is empty");
  };
  const auto flag_of = [&](const char *name) {
    return std::filesystem::exists(folder / name) && is_true(text_of(name));
  };
  url = (flag_of("SSL") ? "ldaps://" : "ldap://") + text_of("Host") + ":" + text_of("Port");
  base = text_of("BaseDN");
  user_filter = user_filter_of((folder / "Filter").string(), text_of("Filter"));
  bind_dn = text_of("BindUser");
  password_file = folder / "BindPassword";
  text_of("BindPassword");
  verify = !flag_of("Insecure");
}

std::vector<std::string> settings::warnings() const {
  std::vector<std::string> out;
  const bool clear = !start_tls && has(url, "ldap:");
  if (clear && !bind_dn.empty())
    out.push_back("the password of " + bind_dn + " goes to " + url + " unencrypted; take ldaps:// or start_tls");
  if (!clear && !verify) out.push_back("verify: whoever answers for " + url + " is believed to be the directory");
  std::error_code ignored;
  const auto rights = std::filesystem::status(password_file, ignored).permissions();
  if (!password_file.empty() && rights != std::filesystem::perms::unknown &&
      (rights & std::filesystem::perms::others_read) != std::filesystem::perms::none)
    out.push_back("everybody on this machine may read " + password_file.string() + ", which is a secret");
  return out;
}

}  // namespace tenon::identity_ldap
