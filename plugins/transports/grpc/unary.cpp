// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "unary.hpp"

#include <utility>

namespace tenon::grpc_transport {
namespace {

class unary final : public bytes_reactor {
 public:
  unary(worker &on, grpc::CallbackServerContext &context, unary_body body)
      : worker_(on), context_(context), body_(std::move(body)) {
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish({grpc::StatusCode::INVALID_ARGUMENT, "want one request, have none"});
      return;
    }
    worker_.post([this] { answer(); });
  }

  void OnDone() override { delete this; }

 private:
  void answer() {
    grpc::Slice bytes;
    if (!request_.TrySingleSlice(&bytes).ok() && !request_.DumpToSingleSlice(&bytes).ok()) {
      Finish({grpc::StatusCode::INTERNAL, "the request could not be read"});
      return;
    }
    std::string response;
    const grpc::Status status =
        body_(context_, {reinterpret_cast<const char *>(bytes.begin()), bytes.size()}, response);
    if (!status.ok()) {
      Finish(status);
      return;
    }
    const grpc::Slice slice(response.data(), response.size());
    response_ = grpc::ByteBuffer(&slice, 1);
    StartWriteAndFinish(&response_, grpc::WriteOptions(), status);
  }

  worker &worker_;
  grpc::CallbackServerContext &context_;
  const unary_body body_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
};

}  // namespace

bytes_reactor *new_unary(worker &on, grpc::CallbackServerContext &context, unary_body body) {
  return new unary(on, context, std::move(body));  // NOLINT(cppcoreguidelines-owning-memory): see OnDone
}

}  // namespace tenon::grpc_transport
