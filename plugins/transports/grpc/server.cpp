// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>

#include <string>
#include <tuple>

#include "listeners.hpp"
#include "status.hpp"
#include "stream.hpp"
#include "tenon/si/v1later/si.pb.h"

namespace tenon::grpc_transport {
namespace {

// For all servers of the process: health and reflection.
void enable_standard_services() {
  static const bool once = [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    return true;
  }();
  static_cast<void>(once);
}

// Clients that were made from the schema as it is installed call the later methods here.
constexpr char kLater[] = "/tenon.si.v1later.Scheduler/";

}  // namespace

server::server(const settings &with, const sdk::host_services &host, uint64_t transport)
    : settings_(with), host_(host), registry_(with, host_, transport), admin_(with, host) {
  enable_standard_services();
  add_methods();
  grpc::ServerBuilder builder;
  configure(builder);
  std::vector<int> ports;
  add_listeners(with, builder, ports);
  builder.RegisterService(&scheduler_);
  builder.RegisterService(&later_);
  builder.RegisterService(&checks_);
  builder.RegisterService(&admin_.methods());
  server_ = builder.BuildAndStart();
  if (!server_) ports.assign(ports.size(), 0);
  for (const std::string &address : opened_listeners(with, ports)) {
    host_.log(TENON_LOG_INFO, "listens on " + address + (with.certificate.empty() ? "" : " with TLS"));
  }
}

void server::add_methods() {
  for (const auto &[to, path, checks] :
       {std::tuple{&scheduler_, kScheduler, false}, {&later_, kLater, false}, {&checks_, kChecks, true}}) {
    to->add(std::string(path) + "RegisterResourceManager",
            [this, checks = checks](grpc::CallbackServerContext &context) {
              return new_unary(registry_.registering(), context,
                               [this, checks](const grpc::CallbackServerContext &from, std::string_view request,
                                              std::string &) { return register_rm(from, request, checks); });
            });
  }
  for (size_t i = 0; i < kMethods; ++i) {
    const auto open = [this, i](grpc::CallbackServerContext &context) -> bytes_reactor * {
      const auto made = std::make_shared<stream>(registry_, i, context);
      made->open();
      return made.get();
    };
    const method &each = kStreamMethods[i];
    (i == kCheckPlacements ? checks_ : scheduler_).add(std::string(each.service) + each.name, open);
    if (each.spoken == wire::dialect::later) later_.add(std::string(kLater) + each.name, open);
  }
}

void server::configure(grpc::ServerBuilder &builder) const {
  const auto ms = [](std::chrono::milliseconds time) { return static_cast<int>(time.count()); };
  builder.SetMaxReceiveMessageSize(static_cast<int>(settings_.message_bytes));
  builder.SetMaxSendMessageSize(-1);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two servers never share a port by accident
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                             static_cast<int>(settings_.rms * settings_.streams_per_rm + settings_.unnamed_streams));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, ms(settings_.keepalive));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, ms(settings_.keepalive_timeout));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1'000);
}

grpc::Status server::register_rm(const grpc::CallbackServerContext &context, std::string_view request, bool checks) {
  // The later message has all that the first one has, under the same numbers.
  si::v1later::RegisterResourceManagerRequest message;
  if (!message.ParseFromArray(request.data(), static_cast<int>(request.size()))) {
    return {grpc::StatusCode::INVALID_ARGUMENT, "want a RegisterResourceManagerRequest, have bytes that are none"};
  }
  if (message.rmid().empty()) {
    return {grpc::StatusCode::INVALID_ARGUMENT, "want the RM's name, have none; set rmID"};
  }
  const grpc::Status may = registry_.may_speak_for(context, message.rmid());
  if (!may.ok()) return may;
  wire::room room;
  wire::batch batch;
  std::string refusal;
  if (!wire::read(message, room, batch, refusal)) return status_of(grpc::StatusCode::INVALID_ARGUMENT, refusal);
  return registry_.enter(*reinterpret_cast<const tenon_rm_registration *>(batch.messages.front()), checks);
}

void server::stop(std::chrono::milliseconds drain) {
  if (auto *health = server_->GetHealthCheckService()) health->SetServingStatus(false);
  registry_.shut_down();
  server_->Shutdown(std::chrono::system_clock::now() + drain);
  registry_.wait_empty(drain + std::chrono::seconds(5));
  server_->Wait();
}

}  // namespace tenon::grpc_transport
