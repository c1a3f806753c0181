// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon.identity-ldap: which groups it takes from a directory, and how it is reached.
#include <unistd.h>

#include <array>
#include <future>

#include "grpc/certificates.hpp"
#include "ldap_case.hpp"

namespace tenon::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Ldap : public LdapCase {};

TEST_F(Ldap, GroupsAreThoseThatTheEntryListsByTheirFirstPartAndOnce) {
  const ldap_source source(configuration());
  EXPECT_THAT(source.groups_of("alice"), ElementsAre("ops", "dev", "research, applied"));
}

TEST_F(Ldap, UserWithoutGroupsIsInNone) {
  const ldap_source source(configuration());
  EXPECT_THAT(source.groups_of("bob"), IsEmpty());
}

TEST_F(Ldap, UserThatIsNotThereIsDeclined) {
  const ldap_source source(configuration());
  EXPECT_EQ(source.ask("nobody").status, TENON_DECLINED);
}

TEST_F(Ldap, NameOfAUserIsAValueInTheFilter) {
  const ldap_source source(configuration());
  for (const char *user : {"*", "ali*", "alice)(uid=*", "*)(objectClass=*", "\\2a", "al\\69ce"})
    EXPECT_EQ(source.ask(user).status, TENON_DECLINED) << user;
}

TEST_F(Ldap, AnotherAttributeMayNameGroupsWithoutDistinguishedNames) {
  const ldap_source source(configuration(", group_attribute: description"));
  EXPECT_THAT(source.groups_of("bob"), ElementsAre("plain name", "dev"));
}

TEST_F(Ldap, GroupsAreSearchedByTheEntryOfTheUser) {
  const ldap_source source(configuration(", group_filter: '(member=%d)', group_base: 'ou=groups,dc=example,dc=com'"));
  EXPECT_THAT(source.groups_of("alice"), ElementsAre("ops"));
  EXPECT_THAT(source.groups_of("bob"), IsEmpty());
  EXPECT_THAT(source.groups_of("brackets"), ElementsAre("ops")) << "a name that a filter has to quote";
  EXPECT_EQ(source.ask("nobody").status, TENON_DECLINED);
}

TEST_F(Ldap, GroupsAreSearchedByTheNameOfTheUser) {
  const ldap_source source(
      configuration(", group_filter: '(|(memberUid=%s)(member=%d))', group_base: 'dc=example,dc=com', group_name: cn"));
  EXPECT_THAT(source.groups_of("alice"), ::testing::UnorderedElementsAre("ops", "staff"));
  EXPECT_THAT(source.groups_of("bob"), ElementsAre("staff"));
}

TEST_F(Ldap, UserOfTwoEntriesIsRefusedByBothNames) {
  const ldap_source source(configuration());
  const resolved answer = source.ask("twice");
  EXPECT_EQ(answer.status, TENON_RETRY);
  EXPECT_THAT(answer.text, HasSubstr("cn=One,ou=people,dc=example,dc=com and cn=Two,ou=people,dc=example,dc=com both"));
}

TEST_F(Ldap, APartOfTheGroupsIsNotTakenForAll) {
  const ldap_source source(configuration(", group_attribute: description"));
  const resolved answer = source.ask("many");
  EXPECT_EQ(answer.status, TENON_RETRY);
  EXPECT_THAT(answer.text, HasSubstr("take group_filter"));
}

TEST_F(Ldap, WhatOtherDirectoriesHaveIsSaidOnce) {
  const ldap_source source(configuration());
  EXPECT_EQ(source.groups_of("alice").size(), 3U);
  EXPECT_EQ(source.groups_of("bob").size(), 0U);
  const std::string words = "other directories have 1 parts of ou=people,dc=example,dc=com";
  const std::string log = source.log();
  EXPECT_THAT(log, HasSubstr(words));
  EXPECT_EQ(log.find(words), log.rfind(words));
}

TEST_F(Ldap, UnixSocketAndSeveralAddressesTheFirstThatAnswers) {
  const ldap_source by_socket(configuration("", server_->socket_url()));
  EXPECT_EQ(by_socket.groups_of("alice").size(), 3U);
  const ldap_source second(configuration("", "ldap://localhost:1 " + server_->url()));
  EXPECT_EQ(second.groups_of("alice").size(), 3U);
}

TEST_F(Ldap, FolderOfYunikornsSecretsIsEnough) {
  const auto folder = folder_->make("secrets");
  const auto write = [&](const char *name, const std::string &text) { std::ofstream(folder / name) << text; };
  write("Host", "localhost");
  write("Port", std::to_string(server_->port()) + "\n");
  write("BaseDN", "dc=example,dc=com\n");
  write("Filter", "(&(objectClass=inetOrgPerson)(uid=%s))");
  write("GroupAttr", "memberOf");
  write("ReturnAttr", "memberOf");
  write("BindUser", "cn=admin,dc=example,dc=com");
  write("BindPassword", "secret");
  write("Insecure", "false");
  write("SSL", "false");
  const ldap_source source("{ secrets: " + folder.string() + " }");
  EXPECT_THAT(source.groups_of("alice"), ElementsAre("ops", "dev", "research, applied"));
}

TEST_F(Ldap, AsTheHostAsksItTheAnswerIsKept) {
  const std::string text =
      "apiVersion: tenon/v1\nmodules: [{ id: tenon.identity-ldap, config: " + configuration() + " }]\n";
  config::problems report("tenon.yaml");
  host::host_options options;
  options.use_cache = false;
  auto opened = host::open_host(*host::parse_deployment(text, "tenon.yaml", report), std::move(options));
  ASSERT_TRUE(opened) << opened.why().text();
  host::identity_resolver users(std::move(*host::bind_identity(**opened, "ldap")));
  const auto ask = [&](const char *user) {
    std::promise<host::group_answer> answered;
    users.resolve({user, {}, false}, [&](const host::group_answer &answer) { answered.set_value(answer); });
    return answered.get_future().get();
  };
  EXPECT_EQ(ask("alice").groups.size(), 3U);
  server_->kill();
  EXPECT_EQ(ask("alice").groups.size(), 3U);
  EXPECT_THAT(ask("bob").problem, HasSubstr("user resolution failed: ldap cannot be asked now: " + server_->url()));
}

class LdapOverTls : public LdapCase {
 protected:
  void prepare(const std::filesystem::path &folder) override {
    std::array<char, 256> own{};  // OpenLDAP's library takes it for that of localhost
    ::gethostname(own.data(), own.size() - 1);
    make_certificates(folder, {{"localhost", {own.data()}}});
    std::filesystem::create_directory(folder / "others");
    make_certificates(folder / "others", {});
  }
  [[nodiscard]] std::string signed_by(const std::string &authority) const {
    return ", ca_file: " + file(authority).string();
  }
};

TEST_F(LdapOverTls, FromTheStartOrFromThereOn) {
  EXPECT_EQ(ldap_source(configuration(signed_by("ca.pem"), server_->tls_url())).groups_of("alice").size(), 3U);
  EXPECT_EQ(ldap_source(configuration(signed_by("ca.pem") + ", start_tls: true")).groups_of("alice").size(), 3U);
}

TEST_F(LdapOverTls, AnAddressThatIsSilentTakesNoTimeOfTheNext) {
  const silent_server silent;
  const std::string urls = "ldaps://127.0.0.1:" + std::to_string(silent.port()) + " " + server_->tls_url();
  const ldap_source source(configuration(signed_by("ca.pem") + ", timeout_ms: 400", urls));
  EXPECT_EQ(source.groups_of("alice").size(), 3U);
}

TEST_F(LdapOverTls, CertificateOfAnotherAuthorityIsRefusedUnlessNothingIsVerified) {
  for (const auto &[url, more] :
       {std::pair{server_->tls_url(), std::string()}, {server_->url(), ", start_tls: true"}}) {
    const resolved refused = ldap_source(configuration(signed_by("others/ca.pem") + more, url)).ask("alice");
    EXPECT_EQ(refused.status, TENON_RETRY) << url;
    EXPECT_THAT(refused.text, HasSubstr("TLS failed: is its certificate valid"));
    EXPECT_EQ(ldap_source(configuration(", verify: false" + more, url)).groups_of("alice").size(), 3U) << url;
  }
}

TEST_F(LdapOverTls, CertificateOfAnotherHostIsRefused) {
  std::string url = server_->tls_url();
  url.replace(url.find("localhost"), 9, "127.0.0.1");
  const resolved refused = ldap_source(configuration(signed_by("ca.pem"), url)).ask("alice");
  EXPECT_EQ(refused.status, TENON_RETRY);
  EXPECT_THAT(refused.text, HasSubstr(url));
}

}  // namespace
}  // namespace tenon::testing
