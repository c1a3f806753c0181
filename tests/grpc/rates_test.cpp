// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How fast an RM and a scheduler exchange small messages, by transport. These verdicts depend on the clock.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "certificates.hpp"
#include "client.hpp"
#include "si/v1/si.pb.h"
#include "tenon/service/scheduler.hpp"
#include "tenon/v1/checks.pb.h"

namespace tenon::testing {
namespace {

namespace fs = std::filesystem;
namespace first = ::si::v1;

constexpr int count = 100;  // of asks; one check of each
constexpr int rounds = 7;   // the best of each transport counts: the others ran beside something else

class GrpcRates : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tenon-rates-" + std::to_string(getpid()));
    fs::create_directory(folder_);
    ca_ = make_certificates(folder_, {{"localhost", {}}});
    const std::string certificate = (folder_ / "localhost").string();
    tcp_ = "127.0.0.1:" + std::to_string(free_port());
    with_tls_ = "localhost:" + std::to_string(free_port());
    unix_ = "unix:" + (folder_ / "rm.sock").string();
    std::ofstream(folder_ / "queues.yaml")
        << "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queues: [ { name: jobs } ] } ] } ]";
    std::ofstream(folder_ / "tenon.yaml")
        << "apiVersion: tenon/v1\npolicy_groups: { default: queues.yaml }\ntransports:\n"
        << "- { use: tenon.grpc, config: { listen: ['" << tcp_ << "', '" << unix_ << "'] } }\n"
        << "- { use: tenon.grpc, config: { listen: '" << with_tls_ << "', tls_certificate: '" << certificate
        << ".pem', tls_key: '" << certificate << ".key' } }\n";
    auto host = host::open_deployment(folder_ / "tenon.yaml");
    ASSERT_TRUE(host) << host.why().text();
    auto made = service::scheduler::open(std::move(*host));
    ASSERT_TRUE(made) << made.why().text();
    service_ = std::move(*made);
    const auto why = service_->start();
    ASSERT_FALSE(why) << why->text();
  }
  void TearDown() override {
    if (service_) service_->stop();
    service_.reset();
    fs::remove_all(folder_);
  }

  // Checks answered in a second, by an RM that has one open at a time.
  static double checks_a_second(const std::shared_ptr<grpc::Channel> &through, const std::string &rm) {
    first::RegisterResourceManagerRequest registration;
    registration.set_rmid(rm);
    first::RegisterResourceManagerResponse registered;
    const grpc::Status status = call(through, "/tenon.v1.Checks/RegisterResourceManager", registration, registered);
    EXPECT_TRUE(status.ok()) << status.error_message();
    open_stream<first::UpdateRequest, first::UpdateResponse> updates(through, "/si.v1.Scheduler/Update");
    open_stream<v1::CheckPlacementsRequest, v1::CheckPlacementsResponse> checks(through,
                                                                                "/tenon.v1.Checks/CheckPlacements");
    v1::CheckPlacementsRequest hello;
    hello.set_rmid(rm);
    EXPECT_TRUE(checks.send(hello));
    first::UpdateRequest cluster;
    cluster.set_rmid(rm);
    auto &application = *cluster.add_newapplications();
    application.set_applicationid("app");
    application.set_queuename("root.jobs");
    application.set_partitionname("default");
    application.mutable_ugi()->set_user("somebody");
    auto &node = *cluster.add_newschedulablenodes();
    node.set_nodeid("node");
    (*node.mutable_schedulableresource()->mutable_resources())["vcore"].set_value(count);
    EXPECT_TRUE(updates.send(cluster));
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      first::UpdateRequest asking;
      auto &ask = *asking.add_asks();
      ask.set_allocationkey("ask-" + std::to_string(i));
      ask.set_applicationid("app");
      ask.set_partitionname("default");
      ask.set_maxallocations(1);
      (*ask.mutable_resourceask()->mutable_resources())["vcore"].set_value(1);
      EXPECT_TRUE(updates.send(asking));
      v1::CheckPlacementsResponse asked;
      if (!checks.receive(asked) || asked.checks_size() != 1) {
        ADD_FAILURE() << "no check: " << asked.ShortDebugString();
        break;
      }
      v1::CheckPlacementsRequest answer;
      auto &said = *answer.add_answers();
      said.set_partitionname(asked.checks(0).partitionname());
      said.set_number(asked.checks(0).number());
      said.set_accepted(true);
      EXPECT_TRUE(checks.send(answer));
      first::UpdateResponse told;
      while (told.newallocations_size() == 0 && updates.receive(told)) continue;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    return count / took.count();
  }

  fs::path folder_;
  std::string ca_, tcp_, with_tls_, unix_;
  std::unique_ptr<service::scheduler> service_;
};

TEST_F(GrpcRates, ChecksOneByOneTakeAtMostTwiceAsLongOverTcpAsOverAUnixSocket) {
  double by_unix = 0, by_tcp = 0, by_tls = 0;
  for (int i = 0; i < rounds; ++i) {
    by_unix = std::max(by_unix, checks_a_second(channel_to(unix_), "unix"));
    by_tcp = std::max(by_tcp, checks_a_second(channel_to(tcp_), "tcp"));
    by_tls = std::max(by_tls, checks_a_second(channel_to(with_tls_, grpc::SslCredentials({ca_, "", ""})), "tls"));
  }
  EXPECT_GE(by_tcp, by_unix / 2) << by_unix << " a second over the Unix socket";
  EXPECT_GE(by_tls, by_unix / 2) << by_unix << " a second over the Unix socket";
  RecordProperty("unix", std::to_string(by_unix));
  RecordProperty("tcp", std::to_string(by_tcp));
  RecordProperty("tls", std::to_string(by_tls));
}

}  // namespace
}  // namespace tenon::testing
