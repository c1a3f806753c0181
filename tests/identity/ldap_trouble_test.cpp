// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon.identity-ldap and a directory that is away, silent, or does not let it in.
#include <chrono>

#include "ldap_case.hpp"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;
using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

class LdapTrouble : public LdapCase {
 protected:
  // A refusal that came within the time, with its words.
  static std::string refused(const ldap_source &source, clock::duration within = 2s) {
    const auto began = clock::now();
    const resolved answer = source.ask("alice");
    EXPECT_LT(clock::now() - began, within);
    EXPECT_EQ(answer.status, TENON_RETRY);
    return answer.text;
  }
  static size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<size_t>(std::distance(begin(all), end(all)));
  }
};

std::string url_of(const silent_server &server, const std::string &scheme) {
  return scheme + "://127.0.0.1:" + std::to_string(server.port());
}

TEST_F(LdapTrouble, DirectoryThatIsAwayAtTheStartComesAndComesBack) {
  server_->stop();
  const ldap_source source(configuration(", pause_ms: 0"));
  EXPECT_THAT(refused(source), HasSubstr(server_->url()));
  server_->start();
  EXPECT_EQ(source.groups_of("alice").size(), 3U);
  server_->kill();
  server_->start();
  EXPECT_EQ(source.groups_of("alice").size(), 3U) << "the connection had ended, which nobody is told";
  server_->kill();
  EXPECT_THAT(refused(source), HasSubstr("Can't contact LDAP server"));
}

TEST_F(LdapTrouble, DirectoryThatFallsSilentIsWaitedForAsLongAsIsSaid) {
  const ldap_source source(configuration(", timeout_ms: 200, pause_ms: 0"));
  EXPECT_EQ(source.groups_of("alice").size(), 3U);
  server_->pause();
  EXPECT_THAT(refused(source), HasSubstr("Timed out"));
  server_->go_on();
  EXPECT_EQ(source.groups_of("alice").size(), 3U);
}

TEST_F(LdapTrouble, SilentFromTheFirstByteOnIsWaitedForAsLongAsIsSaid) {
  const silent_server silent;
  EXPECT_NE(refused(ldap_source(configuration(", timeout_ms: 200", url_of(silent, "ldap")))), "");
  EXPECT_NE(refused(ldap_source(configuration(", timeout_ms: 200", url_of(silent, "ldaps")))), "");
  EXPECT_NE(refused(ldap_source(configuration(", timeout_ms: 200, start_tls: true", url_of(silent, "ldap")))), "");
}

TEST_F(LdapTrouble, DirectoryThatCouldNotBeReachedIsLeftAloneForAWhile) {
  const silent_server silent;
  const ldap_source source(configuration(", timeout_ms: 300, pause_ms: 60000", url_of(silent, "ldap")));
  const std::string words = refused(source);
  EXPECT_EQ(refused(source, 100ms), words);
}

TEST_F(LdapTrouble, WrongPasswordIsSaidAndANewOneIsTakenFromTheFile) {
  std::ofstream(file("password")) << "wrong\n";
  const ldap_source source(configuration(", pause_ms: 0"));
  EXPECT_THAT(refused(source), HasSubstr("bind as cn=admin,dc=example,dc=com: Invalid credentials"));
  std::ofstream(file("password")) << "secret\n";
  EXPECT_EQ(source.groups_of("alice").size(), 3U);
}

TEST_F(LdapTrouble, NoPasswordIsNotSentAsAnEmptyOne) {
  const ldap_source source(configuration(", pause_ms: 0"));
  std::ofstream(file("password")) << "\n";
  EXPECT_THAT(refused(source), HasSubstr("password is empty"));
  std::filesystem::remove(file("password"));
  EXPECT_THAT(refused(source), HasSubstr("password cannot be read"));
}

TEST_F(LdapTrouble, WhoMayNotReadIsToldSoAndNotThatThereIsNoSuchUser) {
  const ldap_source source("{ url: '" + server_->url() + "', base: 'ou=people,dc=example,dc=com' }");
  EXPECT_THAT(refused(source),
              HasSubstr("search for (uid=alice) below ou=people,dc=example,dc=com: Insufficient access"));
}

TEST_F(LdapTrouble, FilterThatIsNoneIsSaid) {
  const ldap_source source(configuration(", filter: '(uid=%s'"));
  EXPECT_THAT(refused(source), HasSubstr("Bad search filter"));
}

TEST_F(LdapTrouble, DescriptorsAreGivenBack) {
  // A library keeps one for as long as the process lives: its copy in sealed memory.
  { const ldap_source opened(configuration()); }
  const size_t before = open_descriptors();
  {
    const ldap_source source(configuration(", pause_ms: 0, timeout_ms: 200"));
    for (int round = 0; round < 5; ++round) {
      EXPECT_EQ(source.groups_of("alice").size(), 3U);
      server_->kill();
      refused(source);
      server_->start();
    }
    for (int round = 0; round < 50; ++round) EXPECT_EQ(source.groups_of("alice").size(), 3U);
    EXPECT_LE(open_descriptors(), before + 1);
  }
  EXPECT_LE(open_descriptors(), before);
}

}  // namespace
}  // namespace tenon::testing
