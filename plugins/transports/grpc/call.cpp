// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <utility>

namespace tenon::grpc_transport {

incoming::incoming(queue &on) : io(&context), queue_(on) {
  queue_.came();
  context.AsyncNotifyWhenDone(&over_);
}

incoming::~incoming() { queue_.went(); }

void incoming::over::happened(bool /*ok*/) { of->over(); }

call::call(std::unique_ptr<incoming> in) : in_(std::move(in)) { in_->over_.of = this; }

void call::read(grpc::ByteBuffer *to) {
  ++under_way_;
  in_->io.Read(to, &read_);
}

void call::write(const grpc::ByteBuffer *what) {
  ++under_way_;
  in_->io.Write(*what, &written_);
}

void call::finish(const grpc::Status &status) { in_->io.Finish(status, &finished_); }

void call::write_and_finish(const grpc::ByteBuffer *what, const grpc::Status &status) {
  in_->io.WriteAndFinish(*what, grpc::WriteOptions(), status, &finished_);
}

void call::over() {
  if (in_->context.IsCancelled()) on_cancel();
  one_less();
}

void call::one_less() {
  if (--under_way_ == 0) on_done();
}

}  // namespace tenon::grpc_transport
