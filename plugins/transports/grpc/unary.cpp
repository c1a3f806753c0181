// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "unary.hpp"

#include <utility>

namespace tenon::grpc_transport {
namespace {

class unary final : public call {
 public:
  unary(worker *on, std::unique_ptr<incoming> opened, unary_body body)
      : call(std::move(opened)), worker_(on), body_(std::move(body)) {}

  void begin(rpc_status may) {
    if (may.ok()) {
      read(&request_);
    } else {
      finish(std::move(may));
    }
  }

  void on_read(bool ok) override {
    if (!ok) {
      finish({status_code::invalid_argument, "want one request, have none"});
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
    std::string response;
    const rpc_status status =
        is_cancelled() ? rpc_status{status_code::cancelled, ""} : body_(*this, request_, response);
    if (status.ok()) {
      write_and_finish(std::move(response), status);
    } else {
      finish(status);
    }
  }

  worker *const worker_;
  const unary_body body_;
  std::string request_;
};

}  // namespace

void begin_unary(worker *on, std::unique_ptr<incoming> opened, rpc_status may, unary_body body) {
  auto *const made = new unary(on, std::move(opened), std::move(body));  // NOLINT(cppcoreguidelines-owning-memory)
  made->begin(std::move(may));
}

}  // namespace tenon::grpc_transport
