// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// gRPC's standard services, for everybody: health, and reflection in both of its versions.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "client.hpp"
#include "fake_scheduler.hpp"
#include "loaded_transport.hpp"
#include "si/v1/si.pb.h"
#include "tenon/v1/standard.pb.h"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

class GrpcStandard : public ::testing::Test {
 protected:
  using watch_stream = open_stream<v1::HealthCheckRequest, v1::HealthCheckResponse>;
  using reflection_stream = open_stream<v1::ServerReflectionRequest, v1::ServerReflectionResponse>;

  void SetUp() override {
    transport = std::make_unique<loaded_transport>(
        R"({"listen": "127.0.0.1:0"})",
        std::map<std::string, const void *, std::less<>>{{TENON_HOST_RM, scheduler.service()}});
    ASSERT_EQ(transport->start(), "");
    channel = channel_to(transport->addresses()[0]);
  }
  void TearDown() override { transport->stop(); }

  grpc::Status check(const std::string &name, v1::HealthCheckResponse &to) {
    v1::HealthCheckRequest request;
    request.set_service(name);
    return call(channel, "/grpc.health.v1.Health/Check", request, to);
  }
  std::unique_ptr<watch_stream> watch(const std::string &name) {
    auto out = std::make_unique<watch_stream>(channel, "/grpc.health.v1.Health/Watch");
    v1::HealthCheckRequest request;
    request.set_service(name);
    out->send(request);
    return out;
  }
  v1::ServerReflectionResponse ask(const v1::ServerReflectionRequest &question, const std::string &version = "v1") {
    reflection_stream stream(channel, "/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo");
    v1::ServerReflectionResponse out;
    EXPECT_TRUE(stream.send(question));
    EXPECT_TRUE(stream.receive(out));
    stream.half_close();
    EXPECT_TRUE(stream.finish().ok());
    return out;
  }

  // A file comes before those that it imports.
  static void build(const v1::ServerReflectionResponse &said, google::protobuf::DescriptorPool &to) {
    const auto &files = said.file_descriptor_response().file_descriptor_proto();
    EXPECT_FALSE(files.empty()) << said.error_response().error_message();
    for (auto each = files.rbegin(); each != files.rend(); ++each) {
      google::protobuf::FileDescriptorProto file;
      ASSERT_TRUE(file.ParseFromString(*each));
      ASSERT_NE(to.BuildFile(file), nullptr) << file.name();
    }
  }

  fake_scheduler scheduler;
  std::unique_ptr<loaded_transport> transport;
  std::shared_ptr<grpc::Channel> channel;
};

TEST_F(GrpcStandard, HealthIsOfTheWholeAndOfEachService) {
  for (const char *name : {"", "si.v1.Scheduler", "tenon.si.v1later.Scheduler", "tenon.v1.Admin", "tenon.v1.Checks",
                           "tenon.v1.Configuration", "tenon.v1.Recovery", "tenon.v1.Reports", "tenon.v1.WhatIf"}) {
    v1::HealthCheckResponse said;
    ASSERT_TRUE(check(name, said).ok()) << name;
    EXPECT_EQ(said.status(), v1::HealthCheckResponse::SERVING) << name;
  }
  v1::HealthCheckResponse said;
  const grpc::Status unknown = check("nobody", said);
  EXPECT_EQ(unknown.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(unknown.error_message(), HasSubstr("\"nobody\""));
}

TEST_F(GrpcStandard, WhoWatchesIsToldOfTheEnd) {
  const auto all = watch("");
  v1::HealthCheckResponse said;
  ASSERT_TRUE(all->receive(said));
  EXPECT_EQ(said.status(), v1::HealthCheckResponse::SERVING);
  const auto nobody = watch("nobody");
  ASSERT_TRUE(nobody->receive(said));
  EXPECT_EQ(said.status(), v1::HealthCheckResponse::SERVICE_UNKNOWN);
  const auto leaves = watch("");
  ASSERT_TRUE(leaves->receive(said));
  leaves->cancel();
  EXPECT_EQ(leaves->finish().error_code(), grpc::StatusCode::CANCELLED);
  std::thread stopping([this] { transport->stop(); });
  ASSERT_TRUE(all->receive(said));
  EXPECT_EQ(said.status(), v1::HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(all->finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(nobody->finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  stopping.join();
}

TEST_F(GrpcStandard, WhoIsSilentDoesNotHoldAStopUp) {
  watch_stream has_not_asked(channel, "/grpc.health.v1.Health/Watch");
  reflection_stream new_one(channel, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
  reflection_stream idle(channel, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
  v1::ServerReflectionRequest question;
  question.set_list_services("");
  v1::ServerReflectionResponse said;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(idle.send(question));
    ASSERT_TRUE(idle.receive(said));
  }
  constexpr uint32_t drain_ms = 60'000;
  const auto begun = std::chrono::steady_clock::now();
  transport->stop(drain_ms);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(drain_ms / 2));
  EXPECT_EQ(idle.finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(new_one.finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(GrpcStandard, ReflectionListsServices) {
  for (const char *version : {"v1", "v1alpha"}) {
    v1::ServerReflectionRequest question;
    question.set_list_services("");
    std::vector<std::string> names;
    const auto said = ask(question, version);
    for (const auto &each : said.list_services_response().service()) names.push_back(each.name());
    EXPECT_THAT(names, IsSupersetOf({"si.v1.Scheduler", "tenon.si.v1later.Scheduler", "tenon.v1.Admin",
                                     "tenon.v1.Checks", "tenon.v1.Configuration", "tenon.v1.Recovery",
                                     "tenon.v1.Reports", "tenon.v1.WhatIf", "grpc.health.v1.Health"}));
  }
}

TEST_F(GrpcStandard, ReflectionDescribesServicesWithAllThatTheyNeed) {
  v1::ServerReflectionRequest question;
  question.set_file_containing_symbol("si.v1.Scheduler");
  const auto said = ask(question);
  google::protobuf::DescriptorPool pool;
  build(said, pool);
  const auto *service = pool.FindServiceByName("si.v1.Scheduler");
  ASSERT_NE(service, nullptr);
  EXPECT_NE(service->FindMethodByName("Update"), nullptr);
  v1::ServerReflectionRequest by_name;
  by_name.set_file_by_filename(service->file()->name());
  EXPECT_EQ(ask(by_name).file_descriptor_response().file_descriptor_proto(0),
            said.file_descriptor_response().file_descriptor_proto(0));
}

TEST_F(GrpcStandard, ReflectionDescribesAllThatItLists) {
  v1::ServerReflectionRequest question;
  question.set_list_services("");
  const auto listed = ask(question);
  ASSERT_FALSE(listed.list_services_response().service().empty());
  for (const auto &each : listed.list_services_response().service()) {
    v1::ServerReflectionRequest one;
    one.set_file_containing_symbol(each.name());
    google::protobuf::DescriptorPool pool;
    build(ask(one), pool);
    EXPECT_NE(pool.FindServiceByName(each.name()), nullptr) << each.name();
  }
}

// As a client without generated code does it.
TEST_F(GrpcStandard, HealthIsAskedByItsDescription) {
  v1::ServerReflectionRequest question;
  question.set_file_by_filename("grpc/health/v1/health.proto");
  google::protobuf::DescriptorPool pool;
  build(ask(question), pool);
  const auto *method = pool.FindMethodByName("grpc.health.v1.Health.Check");
  ASSERT_NE(method, nullptr);
  google::protobuf::DynamicMessageFactory factory;
  const std::unique_ptr<google::protobuf::Message> request(factory.GetPrototype(method->input_type())->New());
  const std::unique_ptr<google::protobuf::Message> response(factory.GetPrototype(method->output_type())->New());
  request->GetReflection()->SetString(request.get(), method->input_type()->FindFieldByName("service"),
                                      "si.v1.Scheduler");
  ASSERT_TRUE(call(channel, "/grpc.health.v1.Health/Check", *request, *response).ok());
  EXPECT_EQ(response->ShortDebugString(), "status: SERVING");
}

TEST_F(GrpcStandard, ReflectionDescribesItselfUnderTheNamesOfTheStandard) {
  for (const std::string package : {"grpc.reflection.v1", "grpc.reflection.v1alpha"}) {
    v1::ServerReflectionRequest question;
    question.set_file_containing_symbol(package + ".ExtensionRequest");
    google::protobuf::DescriptorPool pool;
    build(ask(question), pool);
    const auto *method = pool.FindMethodByName(package + ".ServerReflection.ServerReflectionInfo");
    ASSERT_NE(method, nullptr);
    EXPECT_TRUE(method->client_streaming() && method->server_streaming());
    const auto *said = method->output_type();
    EXPECT_EQ(said->FindFieldByName("file_descriptor_response")->message_type()->name(), "FileDescriptorResponse");
    EXPECT_EQ(said->FindFieldByName("error_response")->message_type()->full_name(), package + ".ErrorResponse");
  }
}

TEST_F(GrpcStandard, ReflectionKnowsExtensions) {
  v1::ServerReflectionRequest all;
  all.set_all_extension_numbers_of_type("google.protobuf.FieldOptions");
  const auto numbers = ask(all).all_extension_numbers_response().extension_number();
  ASSERT_FALSE(numbers.empty());
  v1::ServerReflectionRequest one;
  one.mutable_file_containing_extension()->set_containing_type("google.protobuf.FieldOptions");
  one.mutable_file_containing_extension()->set_extension_number(numbers[0]);
  EXPECT_TRUE(ask(one).has_file_descriptor_response());
}

TEST_F(GrpcStandard, ReflectionRefusesWhatItDoesNotKnow) {
  v1::ServerReflectionRequest question;
  question.set_file_containing_symbol("si.v1.Nothing");
  EXPECT_EQ(ask(question).error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  question.set_file_by_filename("nothing.proto");
  EXPECT_EQ(ask(question).error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  question.set_all_extension_numbers_of_type("si.v1.Nothing");
  EXPECT_EQ(ask(question).error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  question.mutable_file_containing_extension()->set_containing_type("si.v1.Nothing");
  EXPECT_EQ(ask(question).error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(ask({}).error_response().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(GrpcStandard, BytesThatAreNoRequestAreRefused) {
  ::si::v1::RegisterResourceManagerResponse none;
  ::si::v1::RemoveApplicationRequest damaged;  // field 1 as a text that is not UTF-8
  damaged.GetReflection()->MutableUnknownFields(&damaged)->AddLengthDelimited(1, "\xff\xfe");
  EXPECT_EQ(call(channel, "/grpc.health.v1.Health/Check", damaged, none).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  open_stream<::si::v1::RemoveApplicationRequest, v1::HealthCheckResponse> watching(channel,
                                                                                    "/grpc.health.v1.Health/Watch");
  watching.send(damaged);
  EXPECT_EQ(watching.finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  damaged.GetReflection()->MutableUnknownFields(&damaged)->AddLengthDelimited(4, "\xff\xfe");
  open_stream<::si::v1::RemoveApplicationRequest, v1::ServerReflectionResponse> asking(
      channel, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
  asking.send(damaged);
  EXPECT_EQ(asking.finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(call(channel, "/grpc.health.v1.Health/Nothing", damaged, none).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace
}  // namespace tenon::testing
