// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "listeners.hpp"
#include "status.hpp"
#include "stream.hpp"
#include "tenon/sdk/unavailable.hpp"
#include "tenon/si/v1later/si.pb.h"
#include "unary.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr std::chrono::milliseconds kFarewell{500};  // for calls under way, once no RM waits for answers any more
constexpr int kWindow = 1 << 20;                     // bytes that an RM may send before they are read, of each stream

// Clients that were made from the schema as it is installed call the later methods here.
constexpr char kLater[] = "/tenon.si.v1later.Scheduler/";

const std::vector<std::string> kOwn = {"si.v1.Scheduler", "tenon.si.v1later.Scheduler", "tenon.v1.Admin",
                                       "tenon.v1.Checks"};

std::vector<std::string> with_standard(std::vector<std::string> names) {
  for (const char *each :
       {"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"})
    names.emplace_back(each);
  return names;
}

}  // namespace

server::server(const settings &with, const sdk::host_services &host, uint64_t transport)
    : settings_(with),
      log_(host),
      host_(host),
      registry_(with, host_, transport),
      admin_(with, host),
      health_(kOwn),
      reflection_(with_standard(kOwn)) {
  add_methods();
  grpc::ServerBuilder builder;
  configure(builder);
  std::vector<int> ports;
  add_listeners(with, builder, ports);
  const std::array all{&scheduler_, &later_, &checks_, &admin_.methods(), &health_.methods(), &reflection_.methods()};
  for (service *each : all) builder.RegisterService(each);
  auto events = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  // Without a server the queue is only freed: gRPC wants no other end of one whose server it forgot.
  if (!server_) refuse_listeners(with, ports);
  queue_ = std::make_unique<queue>(std::move(events));
  const auto opened = names_of_opened(ports);
  for (service *each : all) each->open(*queue_);
  queue_->start();
  for (const std::string &address : opened) {
    const bool secured = !with.certificate.empty() && socket_path(address).empty();
    host_.log(TENON_LOG_INFO, "listens on " + address + (secured ? " with TLS" : ""));
  }
}

std::vector<std::string> server::names_of_opened(const std::vector<int> &ports) {
  try {
    return opened_listeners(settings_, ports);
  } catch (const sdk::unavailable &) {
    server_->Shutdown(std::chrono::system_clock::now());  // before its queue
    throw;
  }
}

void server::add_methods() {
  for (const auto &[to, path, checks] :
       {std::tuple{&scheduler_, kScheduler, false}, {&later_, kLater, false}, {&checks_, kChecks, true}}) {
    to->add(std::string(path) + "RegisterResourceManager", [this, checks = checks](std::unique_ptr<incoming> opened) {
      begin_unary(&registry_.registering(), std::move(opened),
                  [this, checks](const grpc::ServerContext &from, std::string_view request, std::string &) {
                    return register_rm(from, request, checks);
                  });
    });
  }
  for (size_t i = 0; i < kMethods; ++i) {
    const auto open = [this, i](std::unique_ptr<incoming> opened) {
      std::make_shared<stream>(registry_, i, std::move(opened))->open();
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
  // A window of a fixed size: to find the best one gRPC sends a ping for nearly each request that comes alone.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kWindow);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1'000);
}

grpc::Status server::register_rm(const grpc::ServerContext &context, std::string_view request, bool checks) {
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
  health_.stop_serving();
  reflection_.stop_serving();
  registry_.shut_down();
  registry_.wait_empty(drain);
  // Connections without a stream of an RM have nothing to wait for.
  server_->Shutdown(std::chrono::system_clock::now() + kFarewell);
  registry_.wait_empty(std::chrono::seconds(5));
  server_->Wait();
  queue_->stop();
}

}  // namespace tenon::grpc_transport
