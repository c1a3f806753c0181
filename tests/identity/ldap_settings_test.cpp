// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What tenon.identity-ldap refuses before any directory is asked.
#include "ldap_case.hpp"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::string &configuration) {
  try {
    const ldap_source source(configuration);
  } catch (const std::runtime_error &e) {
    return e.what();
  }
  return "accepted";
}

TEST(LdapSettings, WhatDoesNotGoTogetherIsRefusedByItsKey) {
  const std::string url = "{ url: 'ldap://localhost', base: 'dc=example'";
  EXPECT_EQ(refusal_of(url + " }"), "accepted");
  EXPECT_THAT(refusal_of("{ url: 'ldap://localhost' }"), HasSubstr("\"base\": want the entry below which users are"));
  EXPECT_THAT(refusal_of(url + ", filter: '(uid=alice)' }"), HasSubstr("filter: want %s where the user's name stands"));
  EXPECT_THAT(refusal_of(url + ", filter: '(uid=%d)' }"), HasSubstr("filter: want %s, and %% for a per cent sign"));
  EXPECT_THAT(refusal_of(url + ", filter: '(uid=%s%' }"), HasSubstr("want %s, and %%"));
  EXPECT_THAT(refusal_of(url + ", filter: '(&(uid=%s)(room=100%%))' }"), "accepted");
  EXPECT_THAT(refusal_of(url + ", filter: '(room=100%%s)' }"), HasSubstr("want %s where"));
  EXPECT_THAT(refusal_of(url + ", group_filter: '(member=%u)' }"), HasSubstr("group_filter: want %s or %d"));
  EXPECT_THAT(refusal_of(url + ", bind_dn: 'cn=a' }"), HasSubstr("\"bind_dn\": want bind_password_file beside it"));
  EXPECT_THAT(refusal_of(url + ", bind_password_file: /x }"), HasSubstr("\"bind_dn\": want bind_password_file"));
  EXPECT_THAT(refusal_of("{ url: 'ldaps://a', base: 'dc=a', start_tls: true }"), HasSubstr("\"start_tls\""));
  EXPECT_THAT(refusal_of("{ base: 'dc=a' }"), HasSubstr("\"base\": want url beside it"));
  EXPECT_THAT(refusal_of(url + ", timeout_ms: 0 }"), HasSubstr("timeout_ms"));
  EXPECT_EQ(refusal_of("{ url: 'ldaps://a ldapi://%2Frun%2Fldapi  ldap://b:1389', base: 'dc=a' }"), "accepted");
  for (const char *other : {"LDAP://a", "ldaps://a LDAP://b", "ldap.example.com", "http://a"})
    EXPECT_THAT(refusal_of("{ url: '" + std::string(other) + "', base: 'dc=a' }"), HasSubstr("url")) << other;
}

TEST(LdapSettings, WithoutAddressTheFolderMustHaveItsFiles) {
  const host::testing::temp_folder folder;
  const std::string keys = "{ secrets: " + folder.path().string() + " }";
  EXPECT_THAT(refusal_of("{}"), HasSubstr("want a configuration with url, or the folder /run/secrets/ldap with"));
  folder.write("Host", "localhost");
  EXPECT_THAT(refusal_of(keys), HasSubstr("cannot read Port"));
  for (const char *name : {"Port", "BaseDN", "BindUser", "BindPassword"}) folder.write(name, "1");
  folder.write("Filter", "(uid=alice)");
  EXPECT_THAT(refusal_of(keys), HasSubstr("Filter: want %s"));
  folder.write("Filter", "(uid=%s)");
  EXPECT_EQ(refusal_of(keys), "accepted");
  folder.write("BindPassword", "\n");
  EXPECT_THAT(refusal_of(keys), HasSubstr("BindPassword is empty"));
}

}  // namespace
}  // namespace tenon::testing
