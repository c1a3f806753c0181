// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One client's connection: HTTP/2 by nghttp2 between a socket and calls. It belongs to the endpoint's thread.
#pragma once

#include <nghttp2/nghttp2.h>

#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "byte_socket.hpp"
#include "call.hpp"
#include "connection_limits.hpp"
#include "peer.hpp"

namespace tenon::grpc_transport {

class connection final : public byte_socket::user {
 public:
  using clock = std::chrono::steady_clock;

  // Takes the descriptor.
  connection(endpoint &at, int descriptor, int family, std::shared_ptr<SSL_CTX> tls, peer by);
  ~connection();
  connection(const connection &) = delete;
  connection &operator=(const connection &) = delete;

  [[nodiscard]] const peer &by() const { return *by_; }
  [[nodiscard]] bool is_idle() const { return calls_.empty(); }
  [[nodiscard]] clock::time_point idle_since() const { return idle_since_; }

  // Keep-alive, handshakes that take too long, frames that say nothing.
  void look(clock::time_point now, bool a_second_passed);
  // Whether it lives is found out within the time of keep-alive.
  void ask();
  // No new calls; it closes when the last has ended.
  void say_goodbye();
  void close();
  // Writes what there is.
  void flush();
  // Nothing of it is under way: it may be destroyed.
  [[nodiscard]] bool is_over() const { return closed_ && !shakes_ && !reads_ && !writes_; }
  [[nodiscard]] bool is_closed() const { return closed_; }

  // For its calls.
  void attach(call &one);
  // Its answer: messages, which call::fill gives, and a status behind them; or a status alone.
  void begin_answer(call &one);
  void end_answer(call &one, const rpc_status &how);
  void answer_at_once(call &one, const rpc_status &how);
  // call::fill has more to give again.
  void resume(call &one);
  // Nothing more of it, without a status.
  void reset(call &one, uint32_t why);
  // Its message ends in what is put together now: call::written follows.
  void will_tell(call &one) { ends_written_.push_back(&one); }
  // Of its requests: bytes that the client may send still, and may send beside them from now on. Less than none where
  // it sent many before it heard how many it may.
  [[nodiscard]] int64_t may_come(const call &one) const;
  void let_come(call &one, int64_t bytes);
  void hold(size_t bytes) { held_ += bytes; }
  void let_go(size_t bytes) { held_ -= bytes; }
  // Room for a large request, in turn: call::got_room follows. `bytes` given back: 0 where it had not got them yet.
  void want_room(call &one, size_t bytes);
  void give_back_room(call &one, size_t bytes);
  [[nodiscard]] bool take_wide();
  void give_wide() { ++wide_left_; }
  void had_message() { frames_ = 0; }

 private:
  friend struct callbacks;  // of nghttp2

  void ready(const std::string &problem) override;
  void has_read(size_t count) override;
  void has_written(bool all) override;

  void read_more();
  void wants_flush();
  void grant_room();
  void open_call(int32_t stream, bool has_ended);
  void refuse_call(int32_t stream, int http_status, const rpc_status &why);
  void has_ended(call &one);
  // The client keeps to the server's settings from now on: windows of calls that it opened before are smaller.
  void windows_changed();
  [[nodiscard]] call *call_of(int32_t stream) const;
  // Closes it, with a line in the log; the second tells the client that it asks too much.
  void end(const std::string &why);
  void refuse_all(const std::string &why);

  endpoint &at_;
  std::shared_ptr<const peer> by_;
  std::unique_ptr<byte_socket> socket_;
  nghttp2_session *session_ = nullptr;
  std::unordered_set<call *> calls_;  // open ones

  bool shakes_ = true, reads_ = false, writes_ = false;  // under way at the socket
  bool is_up_ = false;                                   // TLS and the client's first frame are there
  bool wants_flush_ = false;
  bool closed_ = false;
  std::array<uint8_t, 16'384> in_;
  std::string out_;
  std::vector<call *> ends_written_;  // whose message ends in what is put together
  std::vector<call *> being_written_;

  request_head head_;  // of the call that is being opened
  size_t frames_ = 0;  // since the last message or second
  size_t held_ = 0;    // bytes of requests
  size_t room_left_;   // for large ones
  std::deque<std::pair<call *, size_t>> want_room_;
  size_t wide_left_ = max_wide_calls;

  const clock::time_point since_ = clock::now();
  clock::time_point idle_since_ = since_;
  clock::time_point heard_ = since_;
  clock::time_point asked_;  // by a ping
  bool asks_ = false;
};

}  // namespace tenon::grpc_transport
