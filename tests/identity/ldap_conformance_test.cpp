// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon.identity-ldap behaves as every source of groups must, with a directory.
#include "ldap_case.hpp"
#include "tenon/conformance/verify.hpp"

namespace tenon::testing {
namespace {

using namespace std::chrono_literals;

class LdapConformance : public LdapCase {
 protected:
  [[nodiscard]] conformance::verify_report verified(const std::string &more = "") const {
    std::ofstream(file("ldap.yaml")) << configuration(more) << '\n';
    conformance::verify_options options;
    options.manifest = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() /
                       "lib/tenon/modules/identity-ldap.yaml";
    options.configuration = file("ldap.yaml");
    options.users = {"alice", "bob"};
    options.limit = 20s;
    const auto report = conformance::verify(options);
    EXPECT_TRUE(report) << (report ? "" : report.why().text());
    return report ? *report : conformance::verify_report{};
  }
};

TEST_F(LdapConformance, IsThatOfEverySourceOfGroups) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a library with a sanitizer in it takes the memory of the whole process over, which is refused";
#endif
  const conformance::verify_report report = verified();
  size_t of_it = 0;
  for (const conformance::check_result &one : report.results) {
    EXPECT_EQ(one.how, conformance::outcome::passed) << one.check.id << ": " << one.text;
    if (!one.subject.empty()) ++of_it;
  }
  EXPECT_GE(of_it, 30U);
}

TEST_F(LdapConformance, GroupsThatAreSearchedAreNoOther) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a library with a sanitizer in it takes the memory of the whole process over, which is refused";
#endif
  const conformance::verify_report report =
      verified(", group_filter: '(memberUid=%s)', group_base: 'ou=groups,dc=example,dc=com'");
  for (const conformance::check_result &one : report.results)
    EXPECT_EQ(one.how, conformance::outcome::passed) << one.check.id << ": " << one.text;
}

}  // namespace
}  // namespace tenon::testing
