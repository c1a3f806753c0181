// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The server as RMs see it: both dialects, the life of a connection, limits and status codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "client.hpp"
#include "fake_scheduler.hpp"
#include "forwarder.hpp"
#include "loaded_transport.hpp"
#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"
#include "tenon/v1/configuration.pb.h"

namespace tenon::testing {
namespace {

using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::SizeIs;
namespace first = ::si::v1;
namespace later = tenon::si::v1later;

using update_stream = open_stream<first::UpdateRequest, first::UpdateResponse>;
using allocation_stream = open_stream<later::AllocationRequest, later::AllocationResponse>;
using application_stream = open_stream<later::ApplicationRequest, later::ApplicationResponse>;
using node_stream = open_stream<later::NodeRequest, later::NodeResponse>;

class GrpcServer : public ::testing::Test {
 protected:
  void start(const std::string &more = "") {
    transport = std::make_unique<loaded_transport>(
        R"({"listen": ["127.0.0.1:0", "unix:)" + socket() + R"("])" + more + "}",
        std::map<std::string, const void *, std::less<>>{{TENON_HOST_RM, scheduler.service()}});
    ASSERT_EQ(transport->refusal(), "");
    ASSERT_EQ(transport->start(), "");
    scheduler.deliver_through(transport.get());
    ASSERT_EQ(transport->addresses().size(), 2u);
    tcp = channel_to(transport->addresses()[0]);
    unix_socket = channel_to("unix:" + socket());
  }

  void TearDown() override {
    scheduler.deliver_through(nullptr);
    if (transport) transport->stop();
    std::filesystem::remove(socket());
  }

  static std::string socket() {
    return (std::filesystem::temp_directory_path() / ("tenon-grpc-" + std::to_string(getpid()) + ".sock")).string();
  }

  grpc::Status enter(const std::string &rm, const std::shared_ptr<grpc::Channel> &through) {
    first::RegisterResourceManagerRequest request;
    request.set_rmid(rm);
    first::RegisterResourceManagerResponse response;
    return call(through, "/si.v1.Scheduler/RegisterResourceManager", request, response);
  }

  std::unique_ptr<update_stream> updates(const std::shared_ptr<grpc::Channel> &through) {
    return std::make_unique<update_stream>(through, "/si.v1.Scheduler/Update");
  }

  static first::UpdateRequest hello(const std::string &rm) {
    first::UpdateRequest request;
    request.set_rmid(rm);
    return request;
  }

  fake_scheduler scheduler;
  std::unique_ptr<loaded_transport> transport;
  std::shared_ptr<grpc::Channel> tcp, unix_socket;
};

// A connection that never says a word.
class silent_connection {
 public:
  explicit silent_connection(const std::string &path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    path.copy(to.sun_path, sizeof to.sun_path - 1);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr *>(&to), sizeof to), 0);
    char first = 0;
    EXPECT_EQ(recv(socket_, &first, 1, 0), 1) << "the server speaks first";
  }
  ~silent_connection() { close(socket_); }
  silent_connection(const silent_connection &) = delete;
  silent_connection &operator=(const silent_connection &) = delete;

 private:
  const int socket_;
};

// A whole session of the first dialect; says how many allocations came back.
int play_first(update_stream &stream, const std::string &rm, int asks) {
  first::UpdateRequest request;
  request.set_rmid(rm);
  request.add_newapplications()->set_applicationid("app");
  request.add_newschedulablenodes()->set_nodeid("node");
  for (int i = 0; i < asks; ++i) request.add_asks()->set_allocationkey("ask" + std::to_string(i));
  stream.send(request);
  bool application = false, node = false;
  int allocations = 0;
  first::UpdateResponse response;
  while ((!application || !node || allocations < asks) && stream.receive(response)) {
    application |= response.acceptedapplications_size() > 0;
    node |= response.acceptednodes_size() > 0;
    for (const auto &each : response.newallocations()) {
      EXPECT_EQ(each.allocationkey(), "ask" + std::to_string(allocations++));
      EXPECT_EQ(each.nodeid(), "node");
    }
  }
  return allocations;
}

TEST_F(GrpcServer, FirstDialectOverTcpAndUnixSocket) {
  start();
  size_t sessions = 0;
  for (const auto &through : {tcp, unix_socket}) {
    ASSERT_TRUE(enter("a", through).ok());
    const auto stream = updates(through);
    EXPECT_EQ(play_first(*stream, "a", 1'000), 1'000);
    stream->half_close();
    EXPECT_TRUE(stream->finish().ok());
    EXPECT_TRUE(scheduler.wait_for("shutdown a", ++sessions)) << ::testing::PrintToString(scheduler.seen());
  }
}

TEST_F(GrpcServer, TcpConnectionsSendAnAnswerWithoutWaitingForTheOneBefore) {
  start();
  ASSERT_TRUE(enter("a", tcp).ok());
  const std::string address = transport->addresses()[0];
  const auto port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  int accepted = 0;
  for (const auto &each : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int descriptor = std::stoi(each.path().filename().string());
    sockaddr_in own{}, peer{};
    socklen_t size = sizeof own;
    if (getsockname(descriptor, reinterpret_cast<sockaddr *>(&own), &size) != 0 || own.sin_family != AF_INET) continue;
    size = sizeof peer;
    if (own.sin_port != port || getpeername(descriptor, reinterpret_cast<sockaddr *>(&peer), &size) != 0) continue;
    int at_once = 0;
    size = sizeof at_once;
    ASSERT_EQ(getsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &at_once, &size), 0);
    EXPECT_NE(at_once, 0) << "connection of " << ntohs(peer.sin_port);
    ++accepted;
  }
  EXPECT_GT(accepted, 0);
}

TEST_F(GrpcServer, LaterDialectUnderBothPaths) {
  start();
  size_t sessions = 0;
  for (const std::string path : {"/si.v1.Scheduler/", "/tenon.si.v1later.Scheduler/"}) {
    later::RegisterResourceManagerRequest registration;
    registration.set_rmid("b");
    registration.set_config("partitions: []");
    later::RegisterResourceManagerResponse registered;
    ASSERT_TRUE(call(tcp, path + "RegisterResourceManager", registration, registered).ok());
    application_stream applications(tcp, path + "UpdateApplication");
    node_stream nodes(tcp, path + "UpdateNode");
    allocation_stream allocations(tcp, path + "UpdateAllocation");
    later::ApplicationRequest application;
    application.set_rmid("b");
    application.add_new_()->set_applicationid("app");
    applications.send(application);
    later::ApplicationResponse accepted;
    ASSERT_TRUE(applications.receive(accepted));
    EXPECT_EQ(accepted.accepted(0).applicationid(), "app");
    later::NodeRequest node;
    node.set_rmid("b");
    node.add_nodes()->set_nodeid("n");
    node.mutable_nodes(0)->set_action(later::NodeInfo::CREATE);
    nodes.send(node);
    later::NodeResponse made;
    ASSERT_TRUE(nodes.receive(made));
    EXPECT_EQ(made.accepted(0).nodeid(), "n");
    later::AllocationRequest asks;
    asks.set_rmid("b");
    asks.add_allocations()->set_allocationkey("newest");
    asks.add_asks()->set_allocationkey("older");
    allocations.send(asks);
    std::vector<std::string> keys;
    later::AllocationResponse placed;
    while (keys.size() < 2 && allocations.receive(placed)) {
      for (const auto &each : placed.new_()) keys.push_back(each.allocationkey());
    }
    EXPECT_THAT(keys, ::testing::ElementsAre("older", "newest"));
    for (auto *each : {&allocations}) each->half_close();
    applications.half_close();
    nodes.half_close();
    EXPECT_TRUE(allocations.finish().ok());
    EXPECT_TRUE(applications.finish().ok());
    EXPECT_TRUE(nodes.finish().ok());
    EXPECT_TRUE(scheduler.wait_for("shutdown b", ++sessions));
  }
}

// Those of RMs that are there, whatever was refused meanwhile.
TEST_F(GrpcServer, QueuesOfRmsThatNothingTellsApartAreFewOnOneConnection) {
  start(R"(, "max_anonymous_config": 1000)");
  const auto enter = [&](const std::shared_ptr<grpc::Channel> &through, const std::string &rm, size_t bytes) {
    later::RegisterResourceManagerRequest registration;
    registration.set_rmid(rm);
    registration.set_config(std::string(bytes, '#'));
    later::RegisterResourceManagerResponse response;
    return call(through, "/si.v1.Scheduler/RegisterResourceManager", registration, response);
  };
  EXPECT_TRUE(enter(tcp, "a", 700).ok());
  EXPECT_TRUE(enter(tcp, "a", 900).ok()) << "in place of the first one";
  scheduler.on_enter = [](const tenon_rm_registration &, std::string &) -> tenon_status {
    return TENON_INVALID_CONFIG;
  };
  EXPECT_FALSE(enter(tcp, "a", 1).ok());
  scheduler.on_enter = nullptr;
  const grpc::Status more = enter(tcp, "b", 200);
  EXPECT_EQ(more.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(more.error_message(), HasSubstr("want at most 1000 bytes"));
  EXPECT_THAT(more.error_message(), HasSubstr("raise max_anonymous_config"));
  EXPECT_TRUE(enter(unix_socket, "c", 100'000).ok()) << "of a user that the socket knows";
  open_stream<v1::ConfigurationRequest, v1::ConfigurationResponse> own(tcp,
                                                                       "/tenon.v1.Configuration/UpdateConfiguration");
  v1::ConfigurationRequest text;
  text.set_rmid("a");
  own.send(text);
  text.add_configurations()->set_config("# again");
  for (int i = 0; i < 20; ++i) own.send(text);
  EXPECT_EQ(own.finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << "what they made may still be there";
  scheduler.end_session("a");
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  grpc::Status later;
  while (!(later = enter(tcp, "b", 200)).ok() && std::chrono::steady_clock::now() < until) continue;
  EXPECT_TRUE(later.ok()) << "that of an RM that is gone does not count: " << later.error_message();
}

TEST_F(GrpcServer, AnUnknownRmIsToldToRegister) {
  start();
  const auto stream = updates(tcp);
  stream->send(hello("nobody"));
  first::UpdateResponse response;
  ASSERT_TRUE(stream->receive(response));
  EXPECT_EQ(response.action(), first::UpdateResponse::RESYNC);
  const grpc::Status status = stream->finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("register again"));
  node_stream nodes(tcp, "/si.v1.Scheduler/UpdateNode");
  later::NodeRequest request;
  request.set_rmid("nobody");
  nodes.send(request);
  EXPECT_EQ(nodes.finish().error_code(), grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(GrpcServer, RefusalsOfARegistrationHaveTheirCodesAndWords) {
  scheduler.on_enter = [](const tenon_rm_registration &in, std::string &why) -> tenon_status {
    why = "policy group 'x': want one of: default";
    const std::string group(in.policy_group.data, in.policy_group.length);
    return group == "bad" ? TENON_INVALID_CONFIG : group == "full" ? TENON_EXHAUSTED : TENON_RETRY;
  };
  start();
  first::RegisterResourceManagerRequest request;
  first::RegisterResourceManagerResponse response;
  const std::string path = "/si.v1.Scheduler/RegisterResourceManager";
  EXPECT_EQ(call(tcp, path, request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request.set_rmid("a");
  request.set_policygroup("bad");
  const grpc::Status refused = call(tcp, path, request, response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), HasSubstr("want one of: default"));
  request.set_policygroup("full");
  EXPECT_EQ(call(tcp, path, request, response).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  request.set_policygroup("later");
  EXPECT_EQ(call(tcp, path, request, response).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(GrpcServer, TheNewestRegistrationHasTheStreams) {
  start();
  ASSERT_TRUE(enter("a", tcp).ok());
  const auto older = updates(tcp);
  ASSERT_EQ(play_first(*older, "a", 3), 3);
  ASSERT_TRUE(enter("a", tcp).ok());
  EXPECT_EQ(older->finish().error_code(), grpc::StatusCode::ABORTED);
  const auto newer = updates(tcp);
  EXPECT_EQ(play_first(*newer, "a", 3), 3);
  const std::vector<std::string> seen = scheduler.seen();
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "lost a"), 0);
}

TEST_F(GrpcServer, OneRmSpeaksOneDialect) {
  start();
  ASSERT_TRUE(enter("a", tcp).ok());
  const auto stream = updates(tcp);
  ASSERT_EQ(play_first(*stream, "a", 1), 1);
  node_stream nodes(tcp, "/si.v1.Scheduler/UpdateNode");
  later::NodeRequest request;
  request.set_rmid("a");
  nodes.send(request);
  const grpc::Status status = nodes.finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("one dialect"));
}

TEST_F(GrpcServer, ACutConnectionIsLostAndWhatWasUnsureComesAgain) {
  start();
  ASSERT_TRUE(enter("a", tcp).ok());
  auto stream = updates(tcp);
  ASSERT_EQ(play_first(*stream, "a", 10), 10);
  stream->cancel();
  EXPECT_FALSE(stream->finish().ok());
  ASSERT_TRUE(scheduler.wait_for("lost a"));
  scheduler.tell("a", TENON_RM_ALLOCATION, "meanwhile");
  stream = updates(unix_socket);
  stream->send(hello("a"));
  std::vector<std::string> keys;
  first::UpdateResponse response;
  while ((keys.empty() || keys.back() != "meanwhile") && stream->receive(response)) {
    for (const auto &each : response.newallocations()) keys.push_back(each.allocationkey());
  }
  ASSERT_EQ(keys.size(), 11u);
  EXPECT_EQ(keys[0], "ask0");
  EXPECT_TRUE(scheduler.wait_for("back a"));
}

// What the host cannot take yet must not keep the cut from it.
TEST_F(GrpcServer, AConnectionThatIsCutWhileARequestWaitsIsLostAndWhatWasUnsureComesAgain) {
  start();
  ASSERT_TRUE(enter("a", tcp).ok());
  auto stream = updates(tcp);
  ASSERT_EQ(play_first(*stream, "a", 10), 10);
  scheduler.take_nothing = true;
  first::UpdateRequest more = hello("a");
  more.add_asks()->set_allocationkey("more");
  ASSERT_TRUE(stream->send(more));
  ASSERT_TRUE(scheduler.wait_for("not now"));
  stream->cancel();
  EXPECT_FALSE(stream->finish().ok());
  ASSERT_TRUE(scheduler.wait_for("lost a"));
  scheduler.take_nothing = false;
  stream = updates(unix_socket);
  stream->send(hello("a"));
  std::vector<std::string> told_again;
  first::UpdateResponse response;
  while (told_again.size() < 10 && stream->receive(response)) {
    for (const auto &each : response.newallocations()) told_again.push_back(each.allocationkey());
  }
  // 11, where the request was taken before its stream was gone.
  EXPECT_THAT(told_again, SizeIs(Ge(10))) << ::testing::PrintToString(scheduler.seen());
}

// A goodbye releases all that the RM has: nothing else may be taken for one.
TEST_F(GrpcServer, ABrokenStreamIsNeverAGoodbye) {
  start();
  for (size_t round = 1; round <= 100; ++round) {
    const auto through = round % 2 ? tcp : unix_socket;
    ASSERT_TRUE(enter("a", through).ok());
    const auto stream = updates(through);
    ASSERT_EQ(play_first(*stream, "a", static_cast<int>(round % 5)), static_cast<int>(round % 5));
    if (round % 3 == 0) stream->half_close();  // as some clients do in the same breath
    stream->cancel();
    stream->finish();
    ASSERT_TRUE(scheduler.wait_for("lost a", round));
  }
  const std::vector<std::string> seen = scheduler.seen();
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "shutdown a"), 0);
}

// Nobody says that the connection is gone; the server asks, and nobody answers.
TEST_F(GrpcServer, AConnectionThatFallsSilentIsLost) {
  start(R"(, "keepalive_ms": 1000, "keepalive_timeout_ms": 500)");
  forwarder between(socket() + "-front", socket());
  const auto through = channel_to("unix:" + socket() + "-front");
  ASSERT_TRUE(enter("a", through).ok());
  const auto stream = updates(through);
  ASSERT_EQ(play_first(*stream, "a", 3), 3);
  between.fall_silent();
  EXPECT_TRUE(scheduler.wait_for("lost a"));
}

// At once: not a moment in which what it opens next would bring it back.
TEST_F(GrpcServer, AnRmThatReadTheOkOfItsGoodbyeIsGone) {
  start();
  for (int round = 0; round < 20; ++round) {
    const auto through = round % 2 ? tcp : unix_socket;
    ASSERT_TRUE(enter("a", through).ok());
    const auto stream = updates(through);
    ASSERT_EQ(play_first(*stream, "a", 1), 1);
    stream->half_close();
    ASSERT_TRUE(stream->finish().ok());
    const auto next = updates(through);
    next->send(hello("a"));
    ASSERT_EQ(next->finish().error_code(), grpc::StatusCode::FAILED_PRECONDITION) << "round " << round;
  }
}

TEST_F(GrpcServer, AStreamThatIsClosedWithoutARequestJustEnds) {
  start();
  const auto stream = updates(tcp);
  stream->half_close();
  EXPECT_TRUE(stream->finish().ok());
}

TEST_F(GrpcServer, OneOfSeveralStreamsIsCutAndNothingIsMissing) {
  start();
  ASSERT_TRUE(enter("b", tcp).ok());
  application_stream applications(tcp, "/si.v1.Scheduler/UpdateApplication");
  later::ApplicationRequest application;
  application.set_rmid("b");
  application.add_new_()->set_applicationid("app");
  applications.send(application);
  later::ApplicationResponse accepted;
  ASSERT_TRUE(applications.receive(accepted));
  auto allocations = std::make_unique<allocation_stream>(tcp, "/si.v1.Scheduler/UpdateAllocation");
  later::AllocationRequest ask;
  ask.set_rmid("b");
  ask.add_allocations()->set_allocationkey("one");
  allocations->send(ask);
  later::AllocationResponse placed;
  ASSERT_TRUE(allocations->receive(placed));
  allocations->cancel();
  EXPECT_FALSE(allocations->finish().ok());
  ASSERT_TRUE(scheduler.wait_for("back b"));
  allocations = std::make_unique<allocation_stream>(tcp, "/si.v1.Scheduler/UpdateAllocation");
  later::AllocationRequest again;
  again.set_rmid("b");
  allocations->send(again);
  ASSERT_TRUE(allocations->receive(placed));
  EXPECT_EQ(placed.new_(0).allocationkey(), "one");
  ASSERT_TRUE(applications.receive(accepted));
}

TEST_F(GrpcServer, AnRmThatTheHostGaveUpRegistersAgain) {
  start();
  ASSERT_TRUE(enter("a", tcp).ok());
  auto stream = updates(tcp);
  ASSERT_EQ(play_first(*stream, "a", 1), 1);
  scheduler.end_session("a");
  stream->send(hello("a"));
  first::UpdateRequest ask = hello("a");
  ask.add_asks()->set_allocationkey("late");
  stream->send(ask);
  first::UpdateResponse response;
  ASSERT_TRUE(stream->receive(response));
  EXPECT_EQ(response.action(), first::UpdateResponse::RESYNC);
  EXPECT_EQ(stream->finish().error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  ASSERT_TRUE(enter("a", tcp).ok());
  stream = updates(tcp);
  EXPECT_EQ(play_first(*stream, "a", 1), 1);
}

TEST_F(GrpcServer, LimitsOfRmsAndStreams) {
  start(R"(, "max_rms": 2, "max_streams_per_rm": 2)");
  ASSERT_TRUE(enter("a", tcp).ok());
  std::vector<std::unique_ptr<update_stream>> streams;
  for (int i = 0; i < 2; ++i) {
    streams.push_back(updates(tcp));
    EXPECT_EQ(play_first(*streams.back(), "a", 1), 1);
  }
  ASSERT_TRUE(enter("b", tcp).ok());
  const auto of_b = updates(tcp);
  EXPECT_EQ(play_first(*of_b, "b", 1), 1);
  EXPECT_EQ(enter("c", tcp).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const auto third = updates(tcp);
  third->send(hello("a"));
  EXPECT_EQ(third->finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  for (const auto &each : streams) {
    each->half_close();
    EXPECT_TRUE(each->finish().ok());
  }
  ASSERT_TRUE(scheduler.wait_for("shutdown a"));
  EXPECT_TRUE(enter("c", tcp).ok());
}

TEST_F(GrpcServer, StreamsThatDoNotSayWhoseTheyAreAreFewAndEnd) {
  start(R"(, "max_unnamed_streams": 1, "connect_timeout_ms": 300)");
  const auto silent = updates(tcp);
  const grpc::Status status = silent->finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("rmID"));
}

TEST_F(GrpcServer, BadRequestsEndTheirStreamWithAReason) {
  start(R"(, "max_message_bytes": 4096)");
  const auto refusal = [&](const first::UpdateRequest &request) {
    EXPECT_TRUE(enter("a", tcp).ok());
    const auto stream = updates(tcp);
    stream->send(hello("a"));
    stream->send(request);
    return stream->finish();
  };
  first::UpdateRequest number = hello("a");
  number.mutable_releases()->add_allocationstorelease()->set_terminationtype(static_cast<first::TerminationType>(9));
  EXPECT_THAT(refusal(number).error_message(), HasSubstr("allocationsToRelease[0].terminationType"));
  first::UpdateRequest malformed = hello("a");
  malformed.add_asks()->set_allocationkey("malformed");
  EXPECT_EQ(refusal(malformed).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refusal(malformed).error_message(), HasSubstr("want another key"));
  EXPECT_THAT(refusal(hello("b")).error_message(), HasSubstr("open a stream for each RM"));
  first::UpdateRequest large = hello("a");
  large.add_asks()->set_allocationkey(std::string(5'000, 'x'));
  EXPECT_EQ(refusal(large).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(GrpcServer, CompressedRequestsAreRead) {
  start();
  ASSERT_TRUE(enter("a", tcp).ok());
  for (const grpc_compression_algorithm how : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetCompressionAlgorithm(how);
    const auto through =
        grpc::CreateCustomChannel(transport->addresses()[0], grpc::InsecureChannelCredentials(), arguments);
    const auto stream = updates(through);
    EXPECT_EQ(play_first(*stream, "a", 1'000), 1'000);
  }
}

// Several streams with requests beyond what may be on the way to each, none of which is read before the others came.
TEST_F(GrpcServer, LargeRequestsOfSeveralStreamsTakeTurns) {
  start();
  ASSERT_TRUE(enter("a", tcp).ok());
  std::vector<std::unique_ptr<update_stream>> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(updates(tcp));
  first::UpdateRequest request = hello("a");
  request.add_newapplications()->set_applicationid("app");
  for (int i = 0; i < 5'000; ++i) request.add_asks()->set_allocationkey(std::string(500, 'k') + std::to_string(i));
  ASSERT_GT(request.ByteSizeLong(), size_t{2} << 20);
  for (const auto &each : streams) ASSERT_TRUE(each->send(request));
  EXPECT_TRUE(scheduler.wait_for("application app", 4)) << ::testing::PrintToString(scheduler.seen());
}

TEST_F(GrpcServer, RequestsThatAreNotTakenAtOnceAreHandedOverLater) {
  start();
  scheduler.retry_submits = true;
  ASSERT_TRUE(enter("a", tcp).ok());
  const auto stream = updates(tcp);
  EXPECT_EQ(play_first(*stream, "a", 50), 50);
}

TEST_F(GrpcServer, ASlowRmHoldsNobodyUp) {
  start(R"(, "queue_bytes": 8192)");
  ASSERT_TRUE(enter("slow", tcp).ok());
  ASSERT_TRUE(enter("quick", unix_socket).ok());
  const auto slow = updates(tcp);
  first::UpdateRequest flood = hello("slow");
  for (int i = 0; i < 40'000; ++i) flood.add_asks()->set_allocationkey(std::string(60, 'k') + std::to_string(i));
  slow->send(flood);  // and its answers are not read
  const auto quick = updates(unix_socket);
  EXPECT_EQ(play_first(*quick, "quick", 20'000), 20'000);
  EXPECT_GT(scheduler.unacknowledged("slow"), 10'000u);
  int received = 0;
  first::UpdateResponse response;
  while (received < 40'000 && slow->receive(response)) received += response.newallocations_size();
  EXPECT_EQ(received, 40'000);
}

TEST_F(GrpcServer, StopLetsAnswersOutAndSaysGoodbye) {
  start();
  ASSERT_TRUE(enter("a", tcp).ok());
  const auto stream = updates(tcp);
  ASSERT_EQ(play_first(*stream, "a", 1), 1);
  scheduler.deliver_through(nullptr);
  std::thread stopping([&] { transport->stop(); });
  const grpc::Status status = stream->finish();
  stopping.join();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(transport->start(), "");
}

TEST_F(GrpcServer, ManyRmsWithAllTheirStreams) {
  start();
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  std::vector<std::unique_ptr<update_stream>> streams;
  for (int rm = 0; rm < 64; ++rm) {
    const std::string name = "rm" + std::to_string(rm);
    channels.push_back(channel_to(rm % 2 ? transport->addresses()[0] : "unix:" + socket()));
    ASSERT_TRUE(enter(name, channels.back()).ok());
    for (int i = 0; i < 4; ++i) {
      streams.push_back(updates(channels.back()));
      EXPECT_EQ(play_first(*streams.back(), name, 5), 5) << name;
    }
  }
  EXPECT_EQ(enter("one too many", tcp).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(GrpcServer, ManyRmsThatOpenAllTheirStreamsBeforeTheySpeak) {
  start();
  std::vector<std::unique_ptr<update_stream>> streams;
  const auto channel = [&](int stream) { return stream / 4 % 2 != 0 ? tcp : unix_socket; };
  for (int i = 0; i < 256; ++i) streams.push_back(updates(channel(i)));
  for (int i = 0; i < 256; ++i) {
    const std::string name = "rm" + std::to_string(i / 4);
    if (i % 4 == 0) {
      ASSERT_TRUE(enter(name, channel(i)).ok());
    }
    EXPECT_EQ(play_first(*streams[static_cast<size_t>(i)], name, 1), 1) << name;
  }
}

TEST_F(GrpcServer, AConnectionThatSaysNothingDoesNotHoldAStopUp) {
  start();
  ASSERT_TRUE(enter("a", tcp).ok());
  const silent_connection silent(socket());
  constexpr uint32_t drain_ms = 60'000;
  const auto begun = std::chrono::steady_clock::now();
  transport->stop(drain_ms);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(drain_ms / 6));
}

}  // namespace
}  // namespace tenon::testing
