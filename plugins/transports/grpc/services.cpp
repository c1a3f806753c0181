// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "services.hpp"

#include <utility>

namespace tenon::grpc_transport {

class service::door final : public event {
 public:
  door(service &of, int index, maker make) : service_(of), index_(index), make_(std::move(make)) {}

  void wait() {
    queue &on = *service_.queue_;
    next_ = std::make_unique<incoming>(on);
    service_.RequestAsyncBidiStreaming(index_, &next_->context, &next_->io, &*on, &*on, this);
  }

  void happened(bool ok) override {
    std::unique_ptr<incoming> come = std::move(next_);
    if (!ok) return;  // the server ends
    wait();
    make_(std::move(come));
  }

 private:
  service &service_;
  const int index_;
  const maker make_;
  std::unique_ptr<incoming> next_;
};

service::service() = default;
service::~service() = default;

void service::add(std::string path, maker make) {
  const std::string &kept = paths_.emplace_back(std::move(path));
  const auto index = static_cast<int>(doors_.size());
  AddMethod(new grpc::internal::RpcServiceMethod(kept.c_str(), grpc::internal::RpcMethod::BIDI_STREAMING, nullptr));
  MarkMethodRaw(index);
  doors_.push_back(std::make_unique<door>(*this, index, std::move(make)));
}

void service::open(queue &on) {
  queue_ = &on;
  for (const auto &each : doors_) each->wait();
}

}  // namespace tenon::grpc_transport
