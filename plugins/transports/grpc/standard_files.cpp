// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "standard_files.hpp"

#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tenon/v1/standard.pb.h"

namespace tenon::grpc_transport {
namespace {

namespace pb = google::protobuf;

using names = std::map<std::string, std::string, std::less<>>;  // of messages: Tenon's, and the standard's

const names health_service = {{"HealthCheckRequest", "HealthCheckRequest"},
                              {"HealthCheckResponse", "HealthCheckResponse"}};

const names reflection = {
    {"ServerReflectionRequest", "ServerReflectionRequest"},
    {"ReflectedExtension", "ExtensionRequest"},
    {"ServerReflectionResponse", "ServerReflectionResponse"},
    {"ReflectedFiles", "FileDescriptorResponse"},
    {"ReflectedExtensionNumbers", "ExtensionNumberResponse"},
    {"ReflectedServices", "ListServiceResponse"},
    {"ReflectedService", "ServiceResponse"},
    {"ReflectionError", "ErrorResponse"},
};

// ".tenon.v1.ReflectedFiles" gives ".grpc.reflection.v1.FileDescriptorResponse"; what is nested keeps its own name.
std::string renamed(std::string_view type, const names &of, const std::string &package) {
  const size_t begin = std::string_view(".tenon.v1.").size();
  const size_t end = std::min(type.find('.', begin), type.size());
  return "." + package + "." + of.find(type.substr(begin, end - begin))->second + std::string(type.substr(end));
}

pb::FileDescriptorProto file_with(const names &messages, const std::string &package, const std::string &name) {
  pb::FileDescriptorProto all;
  v1::HealthCheckRequest::descriptor()->file()->CopyTo(&all);
  pb::FileDescriptorProto out;
  out.set_name(name);
  out.set_package(package);
  out.set_syntax(all.syntax());
  for (const pb::DescriptorProto &each : all.message_type()) {
    const auto standard = messages.find(each.name());
    if (standard == messages.end()) continue;
    pb::DescriptorProto &made = *out.add_message_type();
    made = each;
    made.set_name(standard->second);
    for (pb::FieldDescriptorProto &field : *made.mutable_field()) {
      if (!field.type_name().empty()) field.set_type_name(renamed(field.type_name(), messages, package));
    }
  }
  return out;
}

void add_method(pb::ServiceDescriptorProto &to, const char *name, const std::string &request,
                const std::string &response, bool client_streams, bool server_streams) {
  pb::MethodDescriptorProto &made = *to.add_method();
  made.set_name(name);
  made.set_input_type(request);
  made.set_output_type(response);
  if (client_streams) made.set_client_streaming(true);
  if (server_streams) made.set_server_streaming(true);
}

pb::FileDescriptorProto health_file() {
  auto out = file_with(health_service, "grpc.health.v1", "grpc/health/v1/health.proto");
  pb::ServiceDescriptorProto &health = *out.add_service();
  health.set_name("Health");
  for (const auto &[method, streams] : {std::pair{"Check", false}, {"Watch", true}}) {
    add_method(health, method, ".grpc.health.v1.HealthCheckRequest", ".grpc.health.v1.HealthCheckResponse", false,
               streams);
  }
  return out;
}

pb::FileDescriptorProto reflection_file(const std::string &version) {
  const std::string package = "grpc.reflection." + version;
  auto out = file_with(reflection, package, "grpc/reflection/" + version + "/reflection.proto");
  pb::ServiceDescriptorProto &service = *out.add_service();
  service.set_name("ServerReflection");
  add_method(service, "ServerReflectionInfo", "." + package + ".ServerReflectionRequest",
             "." + package + ".ServerReflectionResponse", true, true);
  return out;
}

struct pool {
  pb::DescriptorPool files;
  pool() {
    files.BuildFile(health_file());
    files.BuildFile(reflection_file("v1"));
    files.BuildFile(reflection_file("v1alpha"));
  }
};

}  // namespace

const pb::DescriptorPool &standard_files() {
  static const pool once;
  return once.files;
}

}  // namespace tenon::grpc_transport
