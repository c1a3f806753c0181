// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One call of one client. What is started ends in a reaction, on the endpoint's thread and never inside of the function
// that started it; reactions of a call never run at the same time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "connection_limits.hpp"
#include "headers.hpp"
#include "inbound.hpp"
#include "peer.hpp"
#include "status.hpp"

namespace tenon::grpc_transport {

class connection;
class endpoint;

// A call that a client has opened, before anything answers it.
struct incoming {
  endpoint &at;
  connection &from;
  int32_t stream;
  request_head head;
  std::shared_ptr<const peer> by;
  size_t most;  // bytes of a request
};

class call {
 public:
  // On the endpoint's thread.
  explicit call(std::unique_ptr<incoming> in);
  call(const call &) = delete;
  call &operator=(const call &) = delete;

  // Any thread, until on_done.
  [[nodiscard]] const request_head &head() const { return opened_->head; }
  [[nodiscard]] const peer &by() const { return *opened_->by; }
  // It ended before its status was sent.
  [[nodiscard]] bool is_cancelled() const { return cancelled_; }
  // Ends it without a word.
  void cancel();
  // Has its connection asked whether it lives.
  void ask_for_life();

 protected:
  virtual ~call() = default;

  // One of a kind at a time, by any thread. What is read into stays until the reaction.
  void read(std::string *to);
  void write(std::string what);

  // Once, and nothing is started after it.
  void finish(rpc_status how);
  void write_and_finish(std::string what, rpc_status how);

  // It is known whose call this is: it is no stranger's any more, and more of its requests may be under way.
  void is_known();

  // `ok`: there was a message. Otherwise the client has no more, or has gone.
  virtual void on_read(bool ok) = 0;
  // `ok`: all of it went to the socket. Not called for what write_and_finish() wrote.
  virtual void on_written(bool ok) = 0;
  // The client, the connection or a limit ended the call. finish() is to be called still, and says nothing to anybody.
  virtual void on_cancel() = 0;
  // Last: the call was finished, and nothing of it is left.
  virtual void on_done() = 0;

 private:
  friend class connection;
  friend class endpoint;
  friend struct callbacks;  // of nghttp2

  // All that follows belongs to the endpoint's thread.

  template <class F>
  void on_thread(F act);
  void begin_read(std::string *to);
  void begin_write(std::string what, bool tell);
  void begin_finish(rpc_status how);
  void say_end(rpc_status how);

  // What its connection tells it.
  void came(std::string_view bytes);
  void half_closed();
  void closed();
  void written(bool ok);
  // What it says next, as the data source of HTTP/2.
  ssize_t fill(std::span<uint8_t> out, uint32_t &flags);

  // A limit ends it, with this message for the client.
  void refuse(const rpc_status &why);
  [[nodiscard]] bool can_be_refused() const { return from_ != nullptr && !refused_ && !end_; }
  // A part of what happened, as a reaction.
  void react();
  void deliver();
  // For whoever may be too late; false: it is over.
  bool one_more();
  void one_less();

  // Lets the client send more where there is out.
  void let_more_come();
  void ask_for_room(size_t bytes);
  void got_room(size_t bytes);
  void give_back_room();

  enum class told : uint8_t { nothing, messages, all };  // to HTTP/2; all: the status as well

  const std::unique_ptr<incoming> opened_;
  const std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::atomic<bool> cancelled_ = false;
  std::atomic<int> under_way_ = 2;  // its end in HTTP/2, and finish()

  connection *from_;                                     // null: closed
  bool touched_ = false;                                 // react() will be called
  std::optional<std::list<call *>::iterator> stranger_;  // its place among the endpoint's

  inbound in_;
  std::string *read_to_ = nullptr;
  bool has_read_ = false;
  bool no_more_ = false;           // the client has closed its half
  size_t window_ = narrow_window;  // bytes that may be on their way or held
  size_t asked_room_ = 0;          // beyond it, for a large request
  size_t room_ = 0;                // and got
  bool large_of_stranger_ = false;

  std::string out_;  // framed
  size_t out_at_ = 0;
  bool tells_ = false;           // on_written follows
  std::optional<bool> written_;  // and how
  told told_ = told::nothing;
  bool idle_ = false;              // HTTP/2 asked for more, and there was none
  std::optional<rpc_status> end_;  // given to HTTP/2 once `out_` is
  bool end_sent_ = false;
  bool refused_ = false;
  bool told_cancel_ = false;
  bool told_end_ = false;
};

}  // namespace tenon::grpc_transport
