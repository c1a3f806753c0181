// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The module's library passes the host's lint, and its configuration is refused in words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "certificates.hpp"
#include "fake_scheduler.hpp"
#include "loaded_transport.hpp"
#include "tenon/host/library_lint.hpp"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;

TEST(GrpcModule, PassesTheLintOfTransports) {
  const auto file = host::read_library(TENON_GRPC_MODULE);
  ASSERT_TRUE(file);
  const host::lint_report report = host::lint_library(*file, {.may_link_grpc = true});
  for (const auto &each : report.findings) ADD_FAILURE() << each.want << "; " << each.have;
  EXPECT_EQ(report.traits.exports, std::vector<std::string>{TENON_MODULE_SYMBOL});
  EXPECT_TRUE(report.traits.uses_origin);
  EXPECT_FALSE(host::lint_library(*file).findings.empty()) << "a policy may not link gRPC";
}

std::string refusal(const std::string &configuration) {
  fake_scheduler scheduler;
  loaded_transport transport(configuration, {{TENON_HOST_RM, scheduler.service()}});
  return transport.refusal().empty() ? transport.start() : transport.refusal();
}

TEST(GrpcModule, OtherAddressesThanLoopbackNeedTlsOrTheWord) {
  for (const std::string address : {"0.0.0.0:0", "[::]:0", "127.example:0", "192.0.2.1:0", ":0"}) {
    EXPECT_THAT(refusal(R"({"listen": ")" + address + "\"}"), HasSubstr("listen: want")) << address;
  }
  EXPECT_THAT(refusal(R"({"listen": "0.0.0.0:0"})"), HasSubstr("insecure_listen: true"));
  EXPECT_EQ(refusal(R"({"listen": "0.0.0.0:0", "insecure_listen": true})"), "");
  // TLS alone keeps nobody out.
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tenon-open-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  make_certificates(folder, {{"a", {}}});
  const std::string files = R"("tls_certificate": ")" + (folder / "a.pem").string() + R"(", "tls_key": ")" +
                            (folder / "a.key").string() + '"';
  EXPECT_THAT(refusal(R"({"listen": "0.0.0.0:0", )" + files + "}"), HasSubstr("insecure_listen: true"));
  EXPECT_EQ(
      refusal(R"({"listen": "0.0.0.0:0", )" + files + R"(, "tls_client_ca": ")" + (folder / "ca.pem").string() + "\"}"),
      "");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(refusal(R"({"listen": ["127.0.0.1:0", "127.0.0.2:0"]})"), "");
}

TEST(GrpcModule, OptionsThatNeedOthersSaySo) {
  EXPECT_THAT(refusal(R"({"tls_certificate": "a.pem"})"), HasSubstr("set the other"));
  EXPECT_THAT(refusal(R"({"tls_client_ca": "a.pem"})"), HasSubstr("want tls_certificate and tls_key beside it"));
  EXPECT_THAT(refusal(R"({"admin_certificates": ["a"]})"), HasSubstr("want tls_client_ca beside it"));
  EXPECT_THAT(refusal(R"({"listen": "127.0.0.1:0", "tls_certificate": "/none/a.pem", "tls_key": "/none/a.key"})"),
              HasSubstr("tls_certificate: want a file that can be read, have /none/a.pem: No such file"));
  EXPECT_THAT(refusal(R"({"listen": "nowhere"})"), HasSubstr("want HOST:PORT, [V6]:PORT or unix:PATH"));
  EXPECT_THAT(refusal(R"({"listen": "unix:)" + std::string(120, 'x') + "\"}"), HasSubstr("choose a shorter one"));
}

// As `tenon serve --check` does it.
TEST(GrpcModule, WhatItsFilesLackIsFoundBeforeAnythingStarts) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("tenon-grpc-file-" + std::to_string(getpid()))).string();
  std::ofstream(file) << "mine";
  const auto refused_when_made = [](const std::string &configuration) {
    return loaded_transport(configuration, {}).refusal();
  };
  EXPECT_THAT(refused_when_made(R"({"listen": "unix:)" + file + "\"}"), HasSubstr("have a file"));
  EXPECT_THAT(refused_when_made(R"({"listen": "unix:)" + file + "/rm.sock\"}"), HasSubstr("Not a directory"));
  EXPECT_THAT(refused_when_made(R"({"listen": "unix:/none/rm.sock"})"), HasSubstr("No such file"));
  EXPECT_THAT(refused_when_made(R"({"listen": "unix:)" + std::string(120, 'x') + "\"}"), HasSubstr("shorter one"));
  EXPECT_THAT(refused_when_made(R"({"admin_token_file": ")" + file + "\"}"), HasSubstr("have 4 in " + file));
  EXPECT_THAT(refused_when_made(R"({"tls_certificate": ")" + file + R"(", "tls_key": ")" + file + "\"}"),
              HasSubstr("want a certificate in PEM"));
  // A folder below /run is made when the daemon starts.
  const std::string later = R"({"listen": "unix:/run/tenon-none/rm.sock"})";
  EXPECT_EQ(refused_when_made(later), "");
  EXPECT_THAT(refusal(later), HasSubstr("make it, or choose another path"));
  std::filesystem::remove(file);
}

TEST(GrpcModule, AnAddressInUseIsRefused) {
  fake_scheduler scheduler;
  loaded_transport one(R"({"listen": "127.0.0.1:0"})", {{TENON_HOST_RM, scheduler.service()}});
  ASSERT_EQ(one.start(), "");
  EXPECT_THAT(refusal(R"({"listen": ")" + one.addresses()[0] + "\"}"), HasSubstr("to be free"));
  // Of several addresses the one at fault is named.
  EXPECT_THAT(refusal(R"({"listen": ["127.0.0.1:0", ")" + one.addresses()[0] + "\"]}"),
              HasSubstr("want " + one.addresses()[0] + " to be free"));
}

TEST(GrpcModule, AddressesThatTwoNamesShareAreRefusedByTheSecond) {
  const std::string port = std::to_string(free_port());
  fake_scheduler scheduler;
  loaded_transport both(R"({"listen": ["127.0.0.1:)" + port + R"(", "localhost:)" + port + "\"]}",
                        {{TENON_HOST_RM, scheduler.service()}});
  const std::string why = both.start();
  if (!why.empty()) {  // else localhost has another address, too, which gRPC takes instead
    EXPECT_THAT(why, HasSubstr("want localhost:" + port + " to be free"));
  }
}

TEST(GrpcModule, AnAddressThatCannotBeHadSaysWhy) {
  EXPECT_THAT(refusal(R"({"listen": "192.0.2.1:0", "insecure_listen": true})"),
              HasSubstr("192.0.2.1:0 to be an address of this machine"));
  EXPECT_THAT(refusal(R"({"listen": "nobody.invalid:1", "insecure_listen": true})"), HasSubstr("\"nobody.invalid\": "));
  EXPECT_THAT(refusal(R"({"listen": "::1:0"})"), HasSubstr("[V6]:PORT"));
  EXPECT_THAT(refusal(R"({"listen": "unix:/none/rm.sock"})"), HasSubstr("have /none: No such file"));
}

TEST(GrpcModule, SocketsThatNobodyListensOnAreTakenOverAndOthersAreNot) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("tenon-grpc-module-" + std::to_string(getpid()))).string();
  const std::string configuration = R"({"listen": "unix:)" + path + R"(", "socket_mode": "0640"})";
  {
    fake_scheduler scheduler;
    loaded_transport one(configuration, {{TENON_HOST_RM, scheduler.service()}});
    ASSERT_EQ(one.start(), "");
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
    EXPECT_THAT(refusal(configuration), HasSubstr("another process that listens there"));
  }
  std::filesystem::remove(path);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int left = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(left, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
  close(left);  // as a process that was killed leaves it
  EXPECT_EQ(refusal(configuration), "");
  std::filesystem::remove(path);
  std::ofstream(path) << "mine";
  EXPECT_THAT(refusal(configuration), HasSubstr("have a file"));
  std::filesystem::remove(path);
}

// Of another process, which has no time for it: one that is stopped, or drowns in connections.
TEST(GrpcModule, ASocketWhoseListenerIsTooBusyToAnswerIsLeftAlone) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("tenon-grpc-busy-" + std::to_string(getpid()))).string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int busy = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(busy, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
  ASSERT_EQ(listen(busy, 0), 0);
  std::vector<int> waiting;
  int error = 0;
  while (error == 0) {
    waiting.push_back(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
    error = connect(waiting.back(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 ? 0 : errno;
  }
  ASSERT_EQ(error, EAGAIN);
  EXPECT_THAT(refusal(R"({"listen": "unix:)" + path + "\"}"), HasSubstr("another process that listens there"));
  EXPECT_TRUE(std::filesystem::is_socket(path));
  for (const int each : waiting) close(each);
  close(busy);
  std::filesystem::remove(path);
}

TEST(GrpcModule, AnAddressIsListedOnce) {
  EXPECT_THAT(refusal(R"({"listen": ["127.0.0.1:0", "127.0.0.1:0"]})"), HasSubstr("\"127.0.0.1:0\" twice"));
  EXPECT_THAT(refusal(R"({"listen": ["unix:/tmp/a.sock", "unix:///tmp/a.sock"]})"), HasSubstr("twice"));
}

TEST(GrpcModule, WithoutASchedulerItDoesNotStart) {
  loaded_transport transport(R"({"listen": "127.0.0.1:0"})", {});
  EXPECT_THAT(transport.start(), HasSubstr("tenon.host.rm/1"));
}

}  // namespace
}  // namespace tenon::testing
