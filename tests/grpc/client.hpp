// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Calls of an RM, of any message types under any path, as no generated client can.
#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/sync_stream.h>

#include <chrono>
#include <memory>
#include <string>

namespace tenon::testing {

inline std::shared_ptr<grpc::Channel> channel_to(const std::string &address,
                                                 std::shared_ptr<grpc::ChannelCredentials> credentials = {}) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(address, credentials ? credentials : grpc::InsecureChannelCredentials(), arguments);
}

inline void set_deadline(grpc::ClientContext &context, std::chrono::seconds from_now = std::chrono::seconds(60)) {
  context.set_deadline(std::chrono::system_clock::now() + from_now);
  context.set_wait_for_ready(true);
}

template <class Request, class Response>
grpc::Status call(const std::shared_ptr<grpc::Channel> &channel, const std::string &path, const Request &request,
                  Response &response, grpc::ClientContext *with = nullptr) {
  grpc::ClientContext own;
  grpc::ClientContext &context = with ? *with : own;
  set_deadline(context);
  const grpc::internal::RpcMethod method(path.c_str(), grpc::internal::RpcMethod::NORMAL_RPC, channel);
  return grpc::internal::BlockingUnaryCall<Request, Response, google::protobuf::MessageLite,
                                           google::protobuf::MessageLite>(channel.get(), method, &context, request,
                                                                          &response);
}

// A stream of requests and responses.
template <class Request, class Response>
class open_stream {
 public:
  open_stream(const std::shared_ptr<grpc::Channel> &channel, const std::string &path,
              std::chrono::seconds within = std::chrono::seconds(60))
      : path_(path) {
    set_deadline(context_, within);
    const grpc::internal::RpcMethod method(path_.c_str(), grpc::internal::RpcMethod::BIDI_STREAMING, channel);
    stream_.reset(
        grpc::internal::ClientReaderWriterFactory<Request, Response>::Create(channel.get(), method, &context_));
  }

  bool send(const Request &request) { return stream_->Write(request); }
  bool receive(Response &response) { return stream_->Read(&response); }
  void half_close() { stream_->WritesDone(); }
  void cancel() { context_.TryCancel(); }

  // Reads to the end; the status that the server gave.
  grpc::Status finish() {
    Response rest;
    while (stream_->Read(&rest)) {
    }
    return stream_->Finish();
  }

 private:
  std::string path_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<Request, Response>> stream_;
};

}  // namespace tenon::testing
