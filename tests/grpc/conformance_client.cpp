// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The client side of tenon.grpc for `tenon plugin verify`: an RM of the later dialect, through gRPC's own library.
#include <array>
#include <atomic>
#include <condition_variable>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "client.hpp"
#include "tenon/abi/rm_answers.h"
#include "tenon/conformance/client.h"
#include "tenon/sdk/error.hpp"
#include "tenon/wire/codec.hpp"

namespace {

using namespace tenon;
using testing::open_stream;

struct method {
  const char *path, *request, *response;
};
constexpr std::array methods{
    method{"/si.v1.Scheduler/UpdateAllocation", "AllocationRequest", "AllocationResponse"},
    method{"/si.v1.Scheduler/UpdateApplication", "ApplicationRequest", "ApplicationResponse"},
    method{"/si.v1.Scheduler/UpdateNode", "NodeRequest", "NodeResponse"},
    method{"/tenon.v1.Checks/CheckPlacements", "CheckPlacementsRequest", "CheckPlacementsResponse"},
    method{"/tenon.v1.Recovery/UpdateRecovery", "RecoveryRequest", "RecoveryResponse"},
};

const wire::schema &later(const char *message) { return wire::schema_of(wire::dialect::later, message); }

grpc::ByteBuffer buffer_of(const std::string &bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

std::string bytes_of(const grpc::ByteBuffer &buffer) {
  std::vector<grpc::Slice> slices;
  std::string out;
  if (!buffer.Dump(&slices).ok()) return out;
  for (const grpc::Slice &one : slices) out.append(reinterpret_cast<const char *>(one.begin()), one.size());
  return out;
}

tenon_status status_of(grpc::StatusCode code) {
  if (code == grpc::StatusCode::OK) return TENON_OK;
  return code == grpc::StatusCode::UNAVAILABLE ? TENON_RETRY : TENON_INVALID_CONFIG;
}

uint32_t reason_of(grpc::StatusCode code) {
  if (code == grpc::StatusCode::ABORTED) return TENON_RM_ENDED_REPLACED;
  return code == grpc::StatusCode::FAILED_PRECONDITION ? TENON_RM_ENDED_TIMEOUT : TENON_RM_ENDED_STOPPING;
}

// One RM: its connection, a stream of each method, and a thread that reads each.
class connection {
 public:
  explicit connection(const std::string &address) : channel_(testing::channel_to(address)) {
    port_ = {sizeof port_, 0, this, enter, submit, leave, dump};
  }

  ~connection() {
    going_ = true;
    for (const auto &each : streams_) each->cancel();
    for (std::thread &each : readers_) each.join();
  }
  connection(const connection &) = delete;
  connection &operator=(const connection &) = delete;

  [[nodiscard]] const tenon_local_port &port() const { return port_; }

 private:
  using stream = open_stream<grpc::ByteBuffer, grpc::ByteBuffer>;

  static connection &of(void *context) { return *static_cast<connection *>(context); }

  static tenon_status enter(void *context, const tenon_local_enter_in *in, tenon_local_enter_out *out) {
    return of(context).do_enter(*in, *out);
  }

  tenon_status do_enter(const tenon_local_enter_in &in, tenon_local_enter_out &out) {
    const auto *message = reinterpret_cast<const tenon_rm_message *>(in.registration);
    std::string bytes, refusal;
    if (!wire::write(later("RegisterResourceManagerRequest"), {{}, {message}, {}}, bytes, refusal)) {
      sdk::explain(out.error, refusal);
      return TENON_INVALID_CONFIG;
    }
    grpc::ClientContext context;
    testing::set_deadline(context);
    const grpc::internal::RpcMethod method("/tenon.v1.Checks/RegisterResourceManager",
                                           grpc::internal::RpcMethod::NORMAL_RPC, channel_);
    const grpc::ByteBuffer request = buffer_of(bytes);
    grpc::ByteBuffer response;
    const grpc::Status said =
        grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer, grpc::ByteBuffer, grpc::ByteBuffer>(
            channel_.get(), method, &context, request, &response);
    if (!said.ok()) {
      sdk::explain(out.error, said.error_message());
      return status_of(said.error_code());
    }
    callbacks_ = *in.callbacks;
    rm_ = sdk::view(in.registration->rm);
    for (const auto &each : methods) {
      streams_.push_back(std::make_unique<stream>(channel_, each.path));
      send(streams_.size() - 1, {});
    }
    for (size_t i = 0; i < streams_.size(); ++i) readers_.emplace_back([this, i] { read(i); });
    out.session = 1;
    return TENON_OK;
  }

  bool send(size_t method, std::vector<const tenon_rm_message *> messages) {
    std::string bytes, refusal;
    const wire::batch batch{sdk::text(rm_), std::move(messages), {}};
    if (!wire::write(later(methods[method].request), batch, bytes, refusal)) return false;
    return streams_[method]->send(buffer_of(bytes));
  }

  void read(size_t method) {
    grpc::ByteBuffer buffer;
    while (streams_[method]->receive(buffer)) {
      const std::string bytes = bytes_of(buffer);
      wire::arena arena;
      wire::batch batch;
      std::string refusal;
      if (!wire::read(later(methods[method].response), bytes, arena, batch, refusal) || batch.messages.empty())
        continue;
      const tenon_rm_answers_in in{sizeof in, 0, batch.messages.data(), batch.messages.size()};
      const std::scoped_lock lock(told_);
      callbacks_.answers(callbacks_.context, &in);
    }
    const grpc::Status why = streams_[method]->finish();
    const std::scoped_lock lock(told_);
    if (going_.exchange(true)) return;
    const tenon_rm_ended_in in{sizeof in, reason_of(why.error_code())};
    callbacks_.ended(callbacks_.context, &in);
  }

  static tenon_status submit(void *context, const tenon_rm_submit_in *in, tenon_rm_submit_out *out) {
    connection &self = of(context);
    for (uint64_t i = 0; i < in->message_count; ++i) {
      size_t method = 0;
      while (method < methods.size() && wire::rank_of(later(methods[method].request), in->messages[i]->type) < 0)
        ++method;
      if (method == methods.size() || !self.send(method, {in->messages[i]})) {
        sdk::explain(out->error, "a message of type " + std::to_string(in->messages[i]->type) + " cannot be sent");
        return TENON_INVALID_CONFIG;
      }
      ++out->accepted;
    }
    return TENON_OK;
  }

  static tenon_status leave(void *context, const tenon_local_leave_in *) {
    connection &self = of(context);
    self.going_ = true;
    for (const auto &each : self.streams_) each->half_close();
    return TENON_OK;
  }

  static tenon_status dump(void *, void (*)(void *, tenon_rm_session, tenon_text), void *) { return TENON_OK; }

  std::shared_ptr<grpc::Channel> channel_;
  tenon_local_port port_{};
  tenon_rm_callbacks callbacks_{};
  std::string rm_;
  std::vector<std::unique_ptr<stream>> streams_;
  std::vector<std::thread> readers_;
  std::mutex told_;                  // one callback at a time
  std::atomic<bool> going_ = false;  // nobody is told that it ended
};

tenon_status connect(const tenon_conformance_connect_in *in, const tenon_local_port **port, tenon_message *error) {
  if (in->address_count == 0) {
    sdk::explain(error, "the transport listens nowhere");
    return TENON_INVALID_CONFIG;
  }
  // Of a Unix socket the server knows the user, who may take over what is the user's.
  std::string address(sdk::view(in->addresses[0]));
  for (uint64_t i = 0; i < in->address_count; ++i) {
    if (sdk::view(in->addresses[i]).starts_with("unix:")) address = sdk::view(in->addresses[i]);
  }
  *port = &(new connection(address))->port();
  return TENON_OK;
}

void close(const tenon_local_port *port) { delete static_cast<connection *>(port->context); }

// The stream methods have no place for these.
constexpr const char *lacks[] = {"tenon_rm_configuration",
                                 "tenon_rm_configuration_answer",
                                 "tenon_rm_assumption",
                                 "tenon_rm_scheduling_state",
                                 "tenon_rm_event",
                                 "tenon_rm_release.what",
                                 "tenon_rm_allocation.recovered",
                                 "tenon_rm_allocation.priority.name",
                                 "tenon_rm_ask.priority.name"};
// Field 950 of protobuf, which no schema has: four bytes of text.
constexpr char detail[] = "\xB2\x3B\x04more";

}  // namespace

const tenon_conformance_client tenon_conformance_client_v1 = {
    sizeof(tenon_conformance_client), 0, lacks, std::size(lacks), detail, sizeof detail - 1, connect, close};
