// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One stream of one RM: requests in, one after the other, and responses out.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http2/call.hpp"
#include "queued_answers.hpp"
#include "tenon/wire/pieces.hpp"

namespace tenon::grpc_transport {

class registry;
class session;

class stream final : public call, public std::enable_shared_from_this<stream> {
 public:
  stream(registry &in, size_t method, std::unique_ptr<incoming> opened);

  // Keeps itself until it is done, and begins to read.
  void open();

  [[nodiscard]] size_t method() const { return method_; }
  // The RM has left it, or it was told to end.
  [[nodiscard]] bool is_going() const { return cancelled_ || going_; }

  [[nodiscard]] bool has_written() const { return wrote_; }

  // Ends it once what is being written is; the first call counts. `drain`: once nothing waits any more.
  void end(const rpc_status &status, bool drain = false);

  // Whose it is; told before it is attached.
  void belongs_to(std::shared_ptr<session> of);

  // Called again and again: ends what said goodbye, and by force what the RM does not read and was to end long ago.
  void cut_if_late(answers::clock::time_point now);

  // Writes what waits, or ends, where it can.
  void advance();

  // Goes on with the request that it holds: where the limit of streams was in the way, or the host did not take all.
  void go_on();

  void on_read(bool ok) override;
  void on_written(bool ok) override;
  void on_cancel() override;
  void on_done() override;

 private:
  rpc_status take_request();
  rpc_status check_pieces();
  bool next_piece();
  void submit_rest();
  void refuse(const rpc_status &status);
  [[nodiscard]] bool ends();
  [[nodiscard]] bool may_say_more() const;  // the RM closed its half just now; the lock is held

  registry &registry_;
  const size_t method_;
  std::shared_ptr<stream> self_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> wrote_ = false;
  std::atomic<bool> going_ = false;

  // The request that is being handled, piece by piece.
  std::string request_;
  wire::pieces pieces_;
  wire::arena arena_;
  wire::batch batch_;
  size_t submitted_ = 0;
  bool checked_ = false;  // all pieces can be read
  bool begun_ = false;    // it is one of its session's streams
  answers::clock::time_point begins_since_;

  std::mutex mutex_;                  // guards all below
  std::shared_ptr<session> session_;  // set once, by the thread that reads
  bool held_ = false;                 // a request is being handled
  bool writing_ = false;
  bool finished_ = false;
  bool half_closed_ = false;   // no request comes any more
  bool probing_ = false;       // whether the RM still listens is being asked, or was
  bool said_goodbye_ = false;  // it does
  bool drains_ = false;
  bool done_ = false;
  std::optional<rpc_status> ending_;
  answers::clock::time_point ending_since_;
  frame frame_;
};

}  // namespace tenon::grpc_transport
