// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "unary.hpp"

#include <utility>

#include "bytes.hpp"

namespace tenon::grpc_transport {
namespace {

class unary final : public call {
 public:
  unary(worker *on, std::unique_ptr<incoming> opened, unary_body body)
      : call(std::move(opened)), worker_(on), body_(std::move(body)) {}

  void begin() { read(&request_); }

  void on_read(bool ok) override {
    if (!ok) {
      finish({grpc::StatusCode::INVALID_ARGUMENT, "want one request, have none"});
      return;
    }
    if (worker_ == nullptr) return answer();
    worker_->post([this] { answer(); });
  }

  void on_written(bool /*ok*/) override {}
  void on_cancel() override {}
  void on_done() override { delete this; }

 private:
  void answer() {
    grpc::Slice bytes;
    if (!in_one_piece(request_, bytes)) {
      finish({grpc::StatusCode::INTERNAL, "the request could not be read"});
      return;
    }
    std::string response;
    const grpc::Status status =
        body_(context(), {reinterpret_cast<const char *>(bytes.begin()), bytes.size()}, response);
    if (!status.ok()) {
      finish(status);
      return;
    }
    response_ = buffer_of(response);
    write_and_finish(&response_, status);
  }

  worker *const worker_;
  const unary_body body_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
};

}  // namespace

void begin_unary(worker *on, std::unique_ptr<incoming> opened, unary_body body) {
  auto *const made = new unary(on, std::move(opened), std::move(body));  // NOLINT(cppcoreguidelines-owning-memory)
  made->begin();
}

}  // namespace tenon::grpc_transport
