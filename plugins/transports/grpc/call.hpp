// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One call of one client. What is started ends in a reaction, on the thread of the server's queue; reactions of a call
// never run at the same time.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/async_stream.h>

#include <atomic>
#include <memory>

#include "queue.hpp"

namespace tenon::grpc_transport {

// What the completion queue gives back when something that was started has ended.
class event {
 public:
  event() = default;
  event(const event &) = delete;
  event &operator=(const event &) = delete;
  virtual void happened(bool ok) = 0;

 protected:
  ~event() = default;
};

class call;

// A call from the wish for one on, before anybody called.
class incoming {
 public:
  explicit incoming(queue &on);
  ~incoming();
  incoming(const incoming &) = delete;
  incoming &operator=(const incoming &) = delete;

  grpc::ServerContext context;
  grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> io;

 private:
  friend class call;
  class over final : public event {
   public:
    void happened(bool ok) override;
    call *of = nullptr;
  };
  queue &queue_;
  over over_;  // the call has ended for gRPC: finished, or cancelled
};

class call {
 public:
  explicit call(std::unique_ptr<incoming> in);
  call(const call &) = delete;
  call &operator=(const call &) = delete;

  [[nodiscard]] grpc::ServerContext &context() const { return in_->context; }

 protected:
  virtual ~call() = default;

  // One of a kind at a time, by any thread. What is read into or written stays until the reaction.
  void read(grpc::ByteBuffer *to);
  void write(const grpc::ByteBuffer *what);

  // Once, and nothing is started after it.
  void finish(const grpc::Status &status);
  void write_and_finish(const grpc::ByteBuffer *what, const grpc::Status &status);

  virtual void on_read(bool ok) = 0;
  virtual void on_written(bool ok) = 0;
  virtual void on_cancel() = 0;

  // The last one: it is finished, and nothing is under way.
  virtual void on_done() = 0;

 private:
  friend class incoming::over;
  class started final : public event {
   public:
    started(call &of, void (call::*reaction)(bool ok)) : of_(of), reaction_(reaction) {}
    void happened(bool ok) override {
      (of_.*reaction_)(ok);
      of_.one_less();
    }

   private:
    call &of_;
    void (call::*const reaction_)(bool);
  };
  void finished(bool) {}
  void over();
  void one_less();

  std::unique_ptr<incoming> in_;
  started read_{*this, &call::on_read};
  started written_{*this, &call::on_written};
  started finished_{*this, &call::finished};
  std::atomic<int> under_way_ = 2;  // its end for gRPC, and the word that it is finished
};

}  // namespace tenon::grpc_transport
