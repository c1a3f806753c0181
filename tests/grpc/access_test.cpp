// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Who gets in: certificates of RMs, tokens and certificates of administrators.
#include <gmock/gmock.h>
#include <grpcpp/create_channel_posix.h>
#include <gtest/gtest.h>
#include <linux/securebits.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "certificates.hpp"
#include "client.hpp"
#include "fake_scheduler.hpp"
#include "loaded_transport.hpp"
#include "si/v1/si.pb.h"
#include "tenon/abi/host_admin.h"
#include "tenon/abi/host_explain.h"
#include "tenon/sdk/error.hpp"
#include "tenon/v1/admin.pb.h"
#include "tenon/v1/checks.pb.h"
#include "tenon/v1/recovery.pb.h"
#include "tenon/v1/what_if.pb.h"

namespace tenon::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;
namespace first = ::si::v1;

// An admin service that takes any configuration but "bad", and says who asked.
std::string asked_by;

tenon_status configure(const tenon_host *, const tenon_admin_config_in *in, tenon_admin_config_out *out) {
  asked_by = sdk::view(in->caller->user);
  sdk::explain(out->old, "the old one");
  sdk::explain(out->checksum, "0123");
  if (sdk::view(in->configuration) != "bad") return TENON_OK;
  sdk::explain(out->error, "queues.yaml:1:1: want a map");
  return TENON_INVALID_CONFIG;
}
tenon_status act(const tenon_host *, const tenon_admin_act_in *in, tenon_admin_act_out *out) {
  if (sdk::view(in->object) == "a") return TENON_OK;
  sdk::explain(out->error, "no such RM");
  return TENON_UNRESOLVABLE;
}
tenon_status step(const tenon_host *, const tenon_admin_step_in *in, tenon_admin_step_out *out) {
  out->decisions = in->most;
  return TENON_OK;
}
const tenon_host_admin admin_table{sizeof(tenon_host_admin), 0, configure, configure, act, step};

// An explain service that keeps the question and its partition, and answers with a text of its own.
std::string asked_question, asked_partition, answer_to_it;
uint64_t closed_answer = 0;

tenon_explanation explained_by_it;

tenon_status explain(const tenon_host *, const tenon_explain_in *in, tenon_explain_out *out) {
  asked_partition = sdk::view(in->partition);
  asked_question = std::string(sdk::view(in->application)) + "/" + std::string(sdk::view(in->key));
  if (asked_question == "app/none") {
    sdk::explain(out->error, "There is no ask none in application app.");
    return TENON_UNRESOLVABLE;
  }
  out->id = 8;
  out->explanation = &explained_by_it;
  return TENON_OK;
}
tenon_status close_answer(const tenon_host *, const tenon_explain_close_in *in) {
  closed_answer = in->id;
  return TENON_OK;
}
tenon_status what_if(const tenon_host *, const tenon_what_if_in *in, tenon_what_if_out *out) {
  asked_question = sdk::view(in->question);
  asked_partition = sdk::view(in->partition);
  if (asked_partition == "[a]large") {
    sdk::explain(out->error, "[a]large: 7; want: at most 5");
    return TENON_UNSCHEDULABLE;
  }
  out->id = 7;
  out->answer = sdk::text(answer_to_it);
  return TENON_OK;
}
const tenon_host_explain explain_table{sizeof(tenon_host_explain), 0, explain, close_answer, what_if};

// Whether the server closes a connection that begins with this.
bool ends_after(const std::string &address, const std::string &bytes) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  bool ended = false;
  if (connect(descriptor, reinterpret_cast<const sockaddr *>(&to), sizeof to) == 0 &&
      send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0) {
    char answer = 0;
    while (recv(descriptor, &answer, 1, 0) > 0) continue;
    ended = true;
  }
  close(descriptor);
  return ended;
}

// Of a Unix socket, as that user; -1 where this process may not be another one. A thread has a user of its own.
int connection_as(uid_t user, const std::string &path) {
  int out = -1;
  std::thread([&] {
    if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP) != 0 || syscall(SYS_setresuid, -1, user, -1) != 0) return;
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    path.copy(to.sun_path, sizeof to.sun_path - 1);
    out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    EXPECT_EQ(connect(out, reinterpret_cast<const sockaddr *>(&to), sizeof to), 0) << std::strerror(errno);
  }).join();
  return out;
}

class GrpcAccess : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("tenon-access-" + std::to_string(getpid()));
    fs::create_directory(folder);
    std::ofstream(folder / "token") << "0123456789abcdef-token\n";
  }
  void TearDown() override {
    scheduler.deliver_through(nullptr);
    transport.reset();
    fs::remove_all(folder);
  }
  std::string file(const std::string &name) const { return (folder / name).string(); }

  void start(const std::string &more) {
    transport = std::make_unique<loaded_transport>(
        R"({"listen": "127.0.0.1:0", "admin_token_file": ")" + file("token") + "\"" + more + "}",
        std::map<std::string, const void *, std::less<>>{{TENON_HOST_RM, scheduler.service()},
                                                         {TENON_HOST_ADMIN, &admin_table},
                                                         {TENON_HOST_EXPLAIN, explain_service}});
    ASSERT_EQ(transport->refusal(), "");
    ASSERT_EQ(transport->start(), "");
    const std::string address = transport->addresses()[0];
    at = "localhost" + address.substr(address.rfind(':'));
  }
  void start_with_tls() {
    ca = make_certificates(folder, {{"localhost", {}}, {"a", {"a-again"}}, {"operator", {}}});
    start(R"(, "tls_certificate": ")" + file("localhost.pem") + R"(", "tls_key": ")" + file("localhost.key") +
          R"(", "tls_client_ca": ")" + file("ca.pem") + R"(", "admin_certificates": ["operator"])");
  }
  std::shared_ptr<grpc::Channel> as(const std::string &name) const {
    return channel_to(at,
                      grpc::SslCredentials({ca, text_of(folder / (name + ".key")), text_of(folder / (name + ".pem"))}));
  }
  static grpc::Status enter(const std::shared_ptr<grpc::Channel> &through, const std::string &rm) {
    first::RegisterResourceManagerRequest request;
    request.set_rmid(rm);
    first::RegisterResourceManagerResponse response;
    return call(through, "/si.v1.Scheduler/RegisterResourceManager", request, response);
  }
  template <class Request, class Response>
  static grpc::Status administer(const std::shared_ptr<grpc::Channel> &through, const std::string &method,
                                 const Request &request, Response &response, const std::string &token = "") {
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    return call(through, "/tenon.v1.Admin/" + method, request, response, &context);
  }

  static grpc::Status ask(const std::shared_ptr<grpc::Channel> &through, const v1::WhatIfRequest &question,
                          v1::WhatIfResponse &answer, const std::string &token = "") {
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    return call(through, "/tenon.v1.WhatIf/Ask", question, answer, &context);
  }

  static grpc::Status explain_to(const std::shared_ptr<grpc::Channel> &through, const v1::ExplainRequest &question,
                                 v1::ExplainResponse &answer, const std::string &token = "") {
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    return call(through, "/tenon.v1.WhatIf/Explain", question, answer, &context);
  }

  const tenon_host_explain *explain_service = &explain_table;
  fs::path folder;
  std::string ca, at;
  fake_scheduler scheduler;
  std::unique_ptr<loaded_transport> transport;
};

TEST_F(GrpcAccess, ACertificateSpeaksForTheRmsThatItNames) {
  start_with_tls();
  EXPECT_TRUE(enter(as("a"), "a").ok());
  EXPECT_TRUE(enter(as("a"), "a-again").ok());
  const grpc::Status other = enter(as("a"), "b");
  EXPECT_EQ(other.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(other.error_message(), HasSubstr("have one for \"a\", \"a-again\""));
  open_stream<first::UpdateRequest, first::UpdateResponse> stream(as("operator"), "/si.v1.Scheduler/Update");
  first::UpdateRequest hello;
  hello.set_rmid("a");
  stream.send(hello);
  EXPECT_EQ(stream.finish().error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(GrpcAccess, WhatIfIsAskedByRmsAboutTheirOwnPartitions) {
  start_with_tls();
  answer_to_it = "{}";
  v1::WhatIfRequest question;
  v1::WhatIfResponse answer;
  question.set_rmid("a");
  EXPECT_TRUE(ask(as("a"), question, answer).ok());
  EXPECT_EQ(asked_partition, "[a]default");
  question.set_partition("gpu");
  EXPECT_TRUE(ask(as("a"), question, answer).ok());
  EXPECT_EQ(asked_partition, "[a]gpu");
  EXPECT_EQ(asked_question, "{}") << "who asks is no part of the question";
  question.set_partition("large");
  const grpc::Status large = ask(as("a"), question, answer);
  EXPECT_EQ(large.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(large.error_message(), HasSubstr("at most 5"));
  question.set_rmid("b");
  EXPECT_EQ(ask(as("a"), question, answer).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(ask(as("operator"), question, answer).ok());
  EXPECT_EQ(asked_partition, "[b]large");
  question.clear_rmid();
  const grpc::Status nobody = ask(as("a"), question, answer);
  EXPECT_EQ(nobody.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(nobody.error_message(), HasSubstr("set rmID"));
  EXPECT_EQ(ask(as("a"), question, answer, "another-token-than-it").error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(ask(as("a"), question, answer, "0123456789abcdef-token").ok());
  EXPECT_EQ(asked_partition, "");
  EXPECT_EQ(asked_question, R"({"partition":"large"})");
}

TEST_F(GrpcAccess, WhatIfIsTheJsonOfTheHostInMessages) {
  start("");
  v1::WhatIfRequest question;
  question.set_within_ms(0);
  v1::ApplicationIf &app = *question.add_applications();
  app.set_queue("root.a");
  app.add_groups("dev");
  (*app.mutable_tags())["namespace"] = "n";
  v1::AskIf &one = *app.add_asks();
  (*one.mutable_resources())["memory"].set_number_value(9007199254740992.0);
  one.set_count(2);
  one.set_allow_preempt_self(false);
  (*app.add_asks()->mutable_resources())["vcore"].set_string_value("500m");
  answer_to_it =
      R"({"partition": "[a]default", "time_ms": 1764230400123, "passed_ms": 5, "decisions": 18446744073709551615,
    "all_placed": false, "subject_to_check": true, "of_a_newer_host": 1, "text": "words", "asks": [{"application": "app",
    "key": "k", "queue": "root.a", "outcome": "evicts", "count": 2, "placed": [{"node": "n-1", "devices": "gpu 0",
    "after_ms": 30}], "victims": [{"application": "b", "key": "v", "node": "n-1", "queue": "root.b", "after_ms": 30}],
    "message": "", "explanation": null}, {"outcome": "waits", "explanation": {"asked": {"vcore": 500}, "until_ms": null}}]})";
  v1::WhatIfResponse answer;
  const grpc::Status said = ask(channel_to(at), question, answer, "0123456789abcdef-token");
  ASSERT_TRUE(said.ok()) << said.error_message();
  EXPECT_EQ(asked_question,
            R"({"applications":[{"queue":"root.a","groups":["dev"],"tags":{"namespace":"n"},"asks":[{"resources":)"
            R"({"memory":9007199254740992},"count":2,"allow_preempt_self":false},{"resources":{"vcore":"500m"}}]}],)"
            R"("within_ms":0})");
  EXPECT_EQ(closed_answer, 7U);
  EXPECT_EQ(answer.time_ms(), 1764230400123);
  EXPECT_EQ(answer.decisions(), UINT64_MAX);
  EXPECT_TRUE(answer.subject_to_check());
  ASSERT_EQ(answer.asks_size(), 2);
  EXPECT_EQ(answer.asks(0).placed(0).devices(), "gpu 0");
  EXPECT_EQ(answer.asks(0).victims(0).after_ms(), 30);
  EXPECT_FALSE(answer.asks(0).has_explanation());
  EXPECT_EQ(answer.asks(1).explanation().fields().at("asked").struct_value().fields().at("vcore").number_value(), 500);
}

TEST_F(GrpcAccess, AnAskThatWaitsIsExplainedToItsRm) {
  start_with_tls();
  explained_by_it = {};
  explained_by_it.size = sizeof explained_by_it;
  explained_by_it.pending = 1;
  explained_by_it.waiting = 3;
  explained_by_it.after = 2;
  explained_by_it.outcome = sdk::text("runs");
  explained_by_it.words = sdk::text("Ask k waits.");
  explained_by_it.json = sdk::text(R"({"application": "app", "obstacles": [{"kind": "nodes", "short_by": 500}]})");
  v1::ExplainRequest question;
  v1::ExplainResponse answer;
  question.set_rmid("a");
  question.set_application("app");
  question.set_key("k");
  const grpc::Status said = explain_to(as("a"), question, answer);
  ASSERT_TRUE(said.ok()) << said.error_message();
  EXPECT_EQ(asked_partition, "[a]default");
  EXPECT_EQ(asked_question, "app/k");
  EXPECT_EQ(closed_answer, 8U);
  EXPECT_TRUE(answer.pending());
  EXPECT_EQ(answer.waiting(), 3);
  EXPECT_EQ(answer.after(), 2U);
  EXPECT_EQ(answer.outcome(), "runs");
  EXPECT_EQ(answer.text(), "Ask k waits.");
  const auto &obstacles = answer.explanation().fields().at("obstacles").list_value();
  EXPECT_EQ(obstacles.values(0).struct_value().fields().at("short_by").number_value(), 500);
  question.set_key("none");
  EXPECT_EQ(explain_to(as("a"), question, answer).error_code(), grpc::StatusCode::NOT_FOUND);
  question.set_rmid("b");
  EXPECT_EQ(explain_to(as("a"), question, answer).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  question.clear_rmid();
  EXPECT_EQ(explain_to(as("a"), question, answer).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  question.set_key("k");
  question.set_partition("[b]gpu");
  EXPECT_TRUE(explain_to(as("a"), question, answer, "0123456789abcdef-token").ok());
  EXPECT_EQ(asked_partition, "[b]gpu");
}

TEST_F(GrpcAccess, WhatIfIsUnknownToAnOlderHost) {
  tenon_host_explain older = explain_table;
  older.size = offsetof(tenon_host_explain, what_if);
  explain_service = &older;
  start("");
  v1::WhatIfResponse answer;
  EXPECT_EQ(ask(channel_to(at), {}, answer, "0123456789abcdef-token").error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(GrpcAccess, ANameBelongsToTheConnectionWhoseStreamsAreOpen) {
  start("");
  const auto own = channel_to(at), other = channel_to(at);
  ASSERT_TRUE(enter(own, "a").ok());
  const std::string path = "/si.v1.Scheduler/Update";
  first::UpdateRequest hello;
  hello.set_rmid("a");
  first::UpdateRequest work = hello;
  work.add_newapplications()->set_applicationid("first");
  open_stream<first::UpdateRequest, first::UpdateResponse> stream(own, path);
  stream.send(work);
  ASSERT_TRUE(scheduler.wait_for("application first"));

  const grpc::Status refused = enter(other, "a");
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_THAT(refused.error_message(), HasSubstr("want a name that no other client has, have \"a\""));
  open_stream<first::UpdateRequest, first::UpdateResponse> stolen(other, path);
  stolen.send(hello);
  EXPECT_EQ(stolen.finish().error_code(), grpc::StatusCode::ALREADY_EXISTS);
  // The first goes on, and a second stream of its connection is its own.
  open_stream<first::UpdateRequest, first::UpdateResponse> second(own, path);
  work.mutable_newapplications(0)->set_applicationid("second");
  second.send(work);
  EXPECT_TRUE(scheduler.wait_for("application second"));
  EXPECT_TRUE(enter(own, "a").ok());
  EXPECT_EQ(stream.finish().error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(second.finish().error_code(), grpc::StatusCode::ABORTED);
  // Nobody is connected: the name is free.
  EXPECT_TRUE(enter(other, "a").ok());
}

// In a user namespace, all users that it does not know are shown as one.
TEST_F(GrpcAccess, AUserThatTheSystemDoesNotTellOwnsNoName) {
  uid_t unknown = 65534;
  std::ifstream("/proc/sys/kernel/overflowuid") >> unknown;
  loaded_transport on_socket(R"({"listen": "unix:)" + file("rm.sock") + R"(", "socket_mode": "0666"})",
                             {{TENON_HOST_RM, scheduler.service()}});
  ASSERT_EQ(on_socket.refusal() + on_socket.start(), "");
  const auto second_of = [&](uid_t user, const std::string &rm) {
    const int first_connection = connection_as(user, file("rm.sock"));
    if (first_connection < 0) return std::string("none");
    const auto own = grpc::CreateInsecureChannelFromFd("first", first_connection);
    EXPECT_TRUE(enter(own, rm).ok());
    open_stream<first::UpdateRequest, first::UpdateResponse> stream(own, "/si.v1.Scheduler/Update");
    first::UpdateRequest work;
    work.set_rmid(rm);
    work.add_newapplications()->set_applicationid("of " + rm);
    stream.send(work);
    EXPECT_TRUE(scheduler.wait_for("application of " + rm));
    const auto other = grpc::CreateInsecureChannelFromFd("second", connection_as(user, file("rm.sock")));
    const grpc::Status said = enter(other, rm);
    stream.cancel();
    return said.ok() ? std::string("taken") : said.error_message();
  };
  const std::string of_known = second_of(4711, "a");
  if (of_known == "none") GTEST_SKIP() << "this process may not be another user";
  EXPECT_EQ(of_known, "taken");
  EXPECT_THAT(second_of(unknown, "b"), HasSubstr("want a name that no other client has, have \"b\""));
}

TEST_F(GrpcAccess, RegistrationsWithoutStreamsMakeRoomAndRmsThatAreConnectedStay) {
  start(R"(, "max_rms": 4)");
  const auto channel = channel_to(at), other = channel_to(at);
  ASSERT_TRUE(enter(channel, "a").ok());
  open_stream<first::UpdateRequest, first::UpdateResponse> stream(channel, "/si.v1.Scheduler/Update");
  first::UpdateRequest work;
  work.set_rmid("a");
  work.add_newapplications()->set_applicationid("before");
  stream.send(work);
  ASSERT_TRUE(scheduler.wait_for("application before"));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(enter(other, "flood-" + std::to_string(i)).ok());
  EXPECT_TRUE(scheduler.wait_for("shutdown flood-0"));
  EXPECT_TRUE(enter(other, "b").ok());
  work.mutable_newapplications(0)->set_applicationid("after");
  stream.send(work);
  EXPECT_TRUE(scheduler.wait_for("application after"));
}

TEST_F(GrpcAccess, FilesThatAreNotWhatTheyShouldBeAreRefusedByName) {
  make_certificates(folder, {{"a", {}}, {"b", {}}});
  std::ofstream(folder / "garbage") << "no PEM\n";
  std::ofstream(folder / "damaged") << "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n";
  std::ofstream(folder / "empty");
  std::ofstream(folder / "short") << "0123456789\n";
  const auto refused = [&](const std::string &certificate, const std::string &key, const std::string &client_ca,
                           const std::string &token = "token") {
    loaded_transport made(R"({"listen": "127.0.0.1:0", "tls_certificate": ")" + file(certificate) +
                              R"(", "tls_key": ")" + file(key) + R"(", "tls_client_ca": ")" + file(client_ca) +
                              R"(", "admin_token_file": ")" + file(token) + "\"}",
                          {{TENON_HOST_RM, scheduler.service()}});
    return made.refusal().empty() ? made.start() : made.refusal();
  };
  EXPECT_EQ(refused("a.pem", "a.key", "ca.pem"), "");
  EXPECT_THAT(refused("garbage", "a.key", "ca.pem"),
              HasSubstr("tls_certificate, file " + file("garbage") + ": want a certificate in PEM"));
  EXPECT_THAT(refused("damaged", "a.key", "ca.pem"), HasSubstr("a damaged one, number 1"));
  EXPECT_THAT(refused("a.key", "a.key", "ca.pem"), HasSubstr("BEGIN CERTIFICATE"));
  EXPECT_THAT(refused("a.pem", "a.pem", "ca.pem"), HasSubstr("tls_key, file " + file("a.pem")));
  EXPECT_THAT(refused("a.pem", "b.key", "ca.pem"), HasSubstr("the key of another one"));
  EXPECT_THAT(refused("a.pem", "a.key", "garbage"), HasSubstr("tls_client_ca, file " + file("garbage")));
  EXPECT_THAT(refused(".", "a.key", "ca.pem"), HasSubstr("Is a directory"));
  EXPECT_THAT(refused("a.pem", "empty", "ca.pem"), HasSubstr("which is empty"));
  EXPECT_THAT(refused("a.pem", "a.key", "none"), HasSubstr("No such file"));
  EXPECT_THAT(refused("a.pem", "a.key", "ca.pem", "none"), HasSubstr("admin_token_file: want a file"));
  EXPECT_THAT(refused("a.pem", "a.key", "ca.pem", "short"), HasSubstr("16 bytes or more, have 10"));
}

TEST_F(GrpcAccess, TheLogSaysWhichAddressesHaveTls) {
  make_certificates(folder, {{"localhost", {}}});
  loaded_transport both(R"({"listen": ["127.0.0.1:0", "unix:)" + file("rm.sock") + R"("], "tls_certificate": ")" +
                            file("localhost.pem") + R"(", "tls_key": ")" + file("localhost.key") + "\"}",
                        {{TENON_HOST_RM, scheduler.service()}});
  ASSERT_EQ(both.start(), "");
  EXPECT_THAT(both.log(), ElementsAre(::testing::MatchesRegex("listens on 127.0.0.1:[0-9]+ with TLS"),
                                      "listens on unix:" + file("rm.sock")));
}

TEST_F(GrpcAccess, WhatIsSaidOfConnectionsIsInTheLogAndNotTooMuch) {
  start_with_tls();
  const auto begun = std::chrono::steady_clock::now();
  ::testing::internal::CaptureStderr();
  constexpr size_t connections = 100;
  for (size_t i = 0; i < connections; ++i) EXPECT_TRUE(ends_after(at, "no handshake\n"));
  transport->stop();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  size_t said = 0;
  size_t left_out = 0;
  for (const std::string &line : transport->log()) {
    constexpr std::string_view all = "connections: ";
    if (line.starts_with(all)) {
      left_out += std::stoul(line.substr(all.size()));
    } else if (line.starts_with("connection ")) {
      EXPECT_THAT(line, HasSubstr("TLS handshake failed"));
      ++said;
    }
  }
  EXPECT_EQ(said + left_out, connections);
  const auto took = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun);
  EXPECT_LE(said, 10 * (static_cast<size_t>(took.count()) + 2));
}

TEST_F(GrpcAccess, WithoutACertificateThereIsNoConnection) {
  start_with_tls();
  first::RegisterResourceManagerRequest request;
  first::RegisterResourceManagerResponse response;
  for (const auto &credentials : {grpc::SslCredentials({ca, "", ""}), grpc::InsecureChannelCredentials()}) {
    const auto channel = channel_to(at, credentials);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(2));
    const std::string path = "/si.v1.Scheduler/RegisterResourceManager";
    const grpc::internal::RpcMethod method(path.c_str(), grpc::internal::RpcMethod::NORMAL_RPC, channel);
    const grpc::Status status =
        grpc::internal::BlockingUnaryCall<first::RegisterResourceManagerRequest, first::RegisterResourceManagerResponse,
                                          google::protobuf::MessageLite, google::protobuf::MessageLite>(
            channel.get(), method, &context, request, &response);
    EXPECT_FALSE(status.ok());
  }
}

TEST_F(GrpcAccess, ChecksAreForRmsThatRegisteredForThem) {
  start("");
  const auto channel = channel_to(at);
  ASSERT_TRUE(enter(channel, "a").ok());
  const auto opened = [&] {
    open_stream<v1::CheckPlacementsRequest, v1::CheckPlacementsResponse> stream(channel,
                                                                                "/tenon.v1.Checks/CheckPlacements");
    v1::CheckPlacementsRequest hello;
    hello.set_rmid("a");
    stream.send(hello);
    hello.add_again();
    stream.send(hello);
    stream.half_close();
    return stream.finish();
  };
  const grpc::Status refused = opened();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(refused.error_message(), HasSubstr("register at tenon.v1.Checks"));
  first::RegisterResourceManagerRequest request;
  request.set_rmid("a");
  first::RegisterResourceManagerResponse response;
  ASSERT_TRUE(call(channel, "/tenon.v1.Checks/RegisterResourceManager", request, response).ok());
  const grpc::Status taken = opened();
  EXPECT_TRUE(taken.ok()) << taken.error_message();
  EXPECT_TRUE(scheduler.wait_for("message of type " + std::to_string(TENON_RM_CHECK_AGAIN)));
}

// Time runs from when an RM could know of it.
TEST_F(GrpcAccess, ACheckIsSentWhenItsStreamIsOpenAndNotBefore) {
  start("");
  scheduler.deliver_through(transport.get());
  const auto channel = channel_to(at);
  first::RegisterResourceManagerRequest request;
  request.set_rmid("a");
  first::RegisterResourceManagerResponse response;
  ASSERT_TRUE(call(channel, "/tenon.v1.Checks/RegisterResourceManager", request, response).ok());
  open_stream<first::UpdateRequest, first::UpdateResponse> update(channel, "/si.v1.Scheduler/Update");
  first::UpdateRequest hello;
  hello.set_rmid("a");
  ASSERT_TRUE(update.send(hello));
  scheduler.tell("a", TENON_RM_CHECK, "ask-1");
  scheduler.tell("a", TENON_RM_CHECK, "ask-2");
  scheduler.tell("a", TENON_RM_ACCEPTED_APPLICATION, "app");
  for (first::UpdateResponse said; said.acceptedapplications_size() == 0;) ASSERT_TRUE(update.receive(said));
  EXPECT_THAT(scheduler.seen(), ::testing::Not(::testing::Contains(::testing::StartsWith("sent "))));
  open_stream<v1::CheckPlacementsRequest, v1::CheckPlacementsResponse> checks(channel,
                                                                              "/tenon.v1.Checks/CheckPlacements");
  v1::CheckPlacementsRequest mine;
  mine.set_rmid("a");
  ASSERT_TRUE(checks.send(mine));
  int count = 0;
  for (v1::CheckPlacementsResponse said; count < 2; count += said.checks_size()) ASSERT_TRUE(checks.receive(said));
  EXPECT_TRUE(scheduler.wait_for("sent 2 a"));
}

// It is one stream beside the others: what is to be said there is for whoever listens, and its end is no break.
TEST_F(GrpcAccess, AnswersAboutRecoveryWaitForNobodyAndTheEndOfTheirStreamIsNoBreak) {
  start("");
  scheduler.deliver_through(transport.get());
  const auto channel = channel_to(at);
  ASSERT_TRUE(enter(channel, "a").ok());
  open_stream<first::UpdateRequest, first::UpdateResponse> update(channel, "/si.v1.Scheduler/Update");
  first::UpdateRequest hello;
  hello.set_rmid("a");
  ASSERT_TRUE(update.send(hello));
  scheduler.tell("a", TENON_RM_RECOVERY_STATE, "");
  scheduler.tell("a", TENON_RM_ACCEPTED_APPLICATION, "app");
  first::UpdateResponse said;
  ASSERT_TRUE(update.receive(said));
  EXPECT_EQ(said.acceptedapplications_size(), 1) << "what nobody hears holds nothing up";
  {
    open_stream<v1::RecoveryRequest, v1::RecoveryResponse> recovery(channel, "/tenon.v1.Recovery/UpdateRecovery");
    v1::RecoveryRequest mine;
    mine.set_rmid("a");
    mine.add_reports()->set_done(true);
    ASSERT_TRUE(recovery.send(mine));
    ASSERT_TRUE(scheduler.wait_for("message of type " + std::to_string(TENON_RM_RECOVERY_REPORT)));
    scheduler.tell("a", TENON_RM_RECOVERY_STATE, "");
    v1::RecoveryResponse heard;
    ASSERT_TRUE(recovery.receive(heard));
    EXPECT_EQ(heard.states_size(), 1);
    recovery.cancel();
    EXPECT_EQ(recovery.finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  scheduler.tell("a", TENON_RM_ACCEPTED_APPLICATION, "other");
  ASSERT_TRUE(update.receive(said));
  update.half_close();
  while (update.receive(said)) continue;
  EXPECT_TRUE(update.finish().ok());
  EXPECT_TRUE(scheduler.wait_for("shutdown a")) << "a goodbye, though another stream was cut";
  EXPECT_THAT(scheduler.seen(), ::testing::Not(::testing::Contains("lost a")));
}

TEST_F(GrpcAccess, ACertificateChecksForTheRmsThatItNames) {
  start_with_tls();
  first::RegisterResourceManagerRequest request;
  request.set_rmid("b");
  first::RegisterResourceManagerResponse response;
  EXPECT_EQ(call(as("a"), "/tenon.v1.Checks/RegisterResourceManager", request, response).error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(GrpcAccess, AdministrationWantsTheTokenOrItsCertificate) {
  start_with_tls();
  v1::ValidateConfigRequest request;
  v1::ValidateConfigResponse response;
  EXPECT_EQ(administer(as("a"), "ValidateConfig", request, response).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(administer(as("a"), "ValidateConfig", request, response, "0123456789abcdef-other").error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(administer(as("a"), "ValidateConfig", request, response, "0123456789abcdef-token").ok());
  EXPECT_EQ(asked_by, "token");
  EXPECT_TRUE(administer(as("operator"), "ValidateConfig", request, response).ok());
  EXPECT_EQ(asked_by, "operator");
}

TEST_F(GrpcAccess, AdministrationAnswersAsTheInterfaceDoes) {
  start("");
  const auto channel = channel_to(at);
  const std::string token = "0123456789abcdef-token";
  v1::UpdateConfigRequest change;
  change.set_config("good");
  v1::UpdateConfigResponse changed;
  ASSERT_TRUE(administer(channel, "UpdateConfig", change, changed, token).ok());
  EXPECT_TRUE(changed.success());
  EXPECT_EQ(changed.oldconfig(), "the old one");
  EXPECT_EQ(changed.checksum(), "0123");
  change.set_config("bad");
  ASSERT_TRUE(administer(channel, "UpdateConfig", change, changed, token).ok());
  EXPECT_FALSE(changed.success());
  EXPECT_EQ(changed.reason(), "queues.yaml:1:1: want a map");
  v1::RecoveryDoneRequest done;
  v1::RecoveryDoneResponse nothing;
  done.set_rmid("a");
  EXPECT_TRUE(administer(channel, "RecoveryDone", done, nothing, token).ok());
  done.set_rmid("b");
  EXPECT_EQ(administer(channel, "RecoveryDone", done, nothing, token).error_code(), grpc::StatusCode::NOT_FOUND);
  v1::StepRequest steps;
  steps.set_most(7);
  v1::StepResponse made;
  ASSERT_TRUE(administer(channel, "Step", steps, made, token).ok());
  EXPECT_EQ(made.decisions(), 7u);
}

}  // namespace
}  // namespace tenon::testing
