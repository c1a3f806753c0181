// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The module tenon.identity-ldap as a deployment has it, beside a directory.
#pragma once

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "host/temp_folder.hpp"
#include "servers/slapd.hpp"
#include "tenon/host/identity_resolver.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/thread_role.hpp"
#include "tenon/testing/resolved_groups.hpp"

namespace tenon::testing {

// The source of groups that a deployment with this `config` (YAML in one line) binds as resolver `ldap`.
class ldap_source {
 public:
  explicit ldap_source(const std::string &configuration) : log_(std::make_unique<std::ostringstream>()) {
    config::problems report("tenon.yaml");
    auto plan = host::parse_deployment(
        "apiVersion: tenon/v1\nmodules: [{ id: tenon.identity-ldap, config: " + configuration + " }]\n", "tenon.yaml",
        report);
    if (!plan) throw std::runtime_error(report.refusals().front().text());
    host::host_options options;
    options.use_cache = false;
    options.log = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(*log_));
    auto opened = host::open_host(std::move(*plan), std::move(options));
    if (!opened) throw std::runtime_error(opened.why().text());
    host_ = std::move(*opened);
    auto bound = host::bind_identity(*host_, "ldap");
    if (!bound) throw std::runtime_error(bound.why().text());
    source_ = std::move(*bound);
  }

  [[nodiscard]] resolved ask(const std::string &user) const {
    const host::role_guard role(host::thread_role::io);
    return resolve(*source_, user);
  }
  [[nodiscard]] std::vector<std::string> groups_of(const std::string &user) const {
    resolved answer = ask(user);
    EXPECT_EQ(answer.status, TENON_OK) << user << ": " << answer.text;
    return std::move(answer.groups);
  }

  [[nodiscard]] std::string log() const { return log_->str(); }

 private:
  std::unique_ptr<std::ostringstream> log_;  // outlives the host
  std::unique_ptr<host::module_host> host_;
  std::unique_ptr<bound_policy> source_;
};

// People, and groups that list them, so that each shape of entry is there once.
inline constexpr const char *people = R"(dn: ou=people,dc=example,dc=com
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=example,dc=com
objectClass: organizationalUnit
ou: groups

dn: cn=ops,ou=groups,dc=example,dc=com
objectClass: groupOfNames
cn: ops
cn: operators
member: uid=alice,ou=people,dc=example,dc=com
member: cn=Brackets (all) *\5c,ou=people,dc=example,dc=com

dn: cn=staff,ou=groups,dc=example,dc=com
objectClass: posixGroup
cn: staff
gidNumber: 1000
memberUid: alice
memberUid: bob

dn: uid=alice,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: alice
cn: Alice
sn: A
memberOf: cn=ops,ou=groups,dc=example,dc=com
memberOf: cn=dev,ou=groups,dc=example,dc=com
memberOf: cn=dev,ou=other,dc=example,dc=com
memberOf: cn=research\, applied,ou=groups,dc=example,dc=com

dn: uid=bob,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: bob
cn: Bob
sn: B
description: plain name
description: cn=dev,ou=groups,dc=example,dc=com

dn: cn=Brackets (all) *\5c,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
cn: Brackets (all) *\
uid: brackets
sn: C

dn: uid=many,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: many
cn: Many
sn: D
description;range=0-1: cn=a,dc=example,dc=com
description;range=0-1: cn=b,dc=example,dc=com

dn: cn=One,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
cn: One
uid: twice
sn: E

dn: cn=Two,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
cn: Two
uid: twice
sn: E

dn: ou=elsewhere,ou=people,dc=example,dc=com
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://elsewhere.example.com/ou=elsewhere,dc=example,dc=com

)";

// The directory is started once and shared, unless a test makes one of its own.
class LdapCase : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!slapd::is_installed()) GTEST_SKIP() << "slapd is not installed: tools/setup";
    folder_.emplace();
    std::ofstream(folder_->path() / "password") << "secret\n";
    prepare(folder_->path());
    server_ = std::make_unique<slapd>(folder_->path(), people);
  }
  virtual void prepare(const std::filesystem::path &) {}

  [[nodiscard]] std::filesystem::path file(const std::string &name) const { return folder_->path() / name; }
  // Of the directory's manager; `more` begins with a comma.
  [[nodiscard]] std::string configuration(const std::string &more = "", std::string url = {}) const {
    if (url.empty()) url = server_->url();
    return "{ url: '" + url + "', base: 'ou=people,dc=example,dc=com', bind_dn: 'cn=admin,dc=example,dc=com', " +
           "bind_password_file: " + file("password").string() + more + " }";
  }

  std::optional<host::testing::temp_folder> folder_;
  std::unique_ptr<slapd> server_;
};

}  // namespace tenon::testing
