// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/control_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <set>
#include <string>

#include "control/protocol.hpp"
#include "serve/control_peer.hpp"

namespace tenon::cli {
namespace {

namespace asio = boost::asio;
using local = asio::local::stream_protocol;
using boost::system::error_code;

}  // namespace

struct control_server::impl : std::enable_shared_from_this<control_server::impl> {
  class client;

  impl(asio::io_context &on, int descriptor, control_handler &answers)
      : io(on), acceptor(on, local(), descriptor), handler(answers) {}
  void accept();
  void close();

  asio::io_context &io;
  local::acceptor acceptor;
  control_handler &handler;
  asio::thread_pool waiting{1};                     // for the scheduler
  asio::thread_pool following{most_control_waits};  // for events
  size_t waits = 0;                                 // of the latter
  std::set<std::shared_ptr<client>> clients;
};

class control_server::impl::client : public std::enable_shared_from_this<client> {
 public:
  client(local::socket socket, std::shared_ptr<impl> of)
      : socket_(std::move(socket)), timer_(of->io), of_(std::move(of)), who_(peer_of(socket_.native_handle())) {}

  void read() {
    if (last_)
      cut_off_after(answer_deadline);
    else
      cut_off_after(idle_deadline);
    asio::async_read_until(
        socket_, asio::dynamic_buffer(in_, most_request_bytes), '\n',
        [self = shared_from_this()](error_code failed, size_t length) {
          if (!failed) return self->take(length);
          if (failed != asio::error::not_found) return self->end();
          self->last_ = true;
          self->write(refusing_answer({"request", "at most " + std::to_string(most_request_bytes) + " bytes",
                                       "a longer line", "ask for less at a time"}));
        });
  }

  // Once it has asked something: an answer before that could be lost with the connection.
  void refuse(const refusal &why) {
    last_ = true;
    out_ = refusing_answer(why);
    read();
  }

  void end() {
    error_code ignored;
    timer_.cancel();
    socket_.close(ignored);
    of_->clients.erase(shared_from_this());
  }

 private:
  void take(size_t length) {
    std::string line = in_.substr(0, length - 1);
    in_.erase(0, length);
    if (in_.empty() && in_.capacity() > usual_request_bytes) in_.shrink_to_fit();
    timer_.cancel();
    if (last_) return write(std::move(out_));
    if (!control_handler::waits(line)) return write(of_->handler.answer(line, who_));
    const bool follows = control_handler::waits_for_events(line) && of_->waits < most_control_waits;
    if (follows) return follow(std::move(line));
    asio::post(of_->waiting, [self = shared_from_this(), line = std::move(line)] {
      std::string answer = self->of_->handler.answer(line, self->who_, false);
      asio::post(self->of_->io, [self, answer = std::move(answer)]() mutable { self->write(std::move(answer)); });
    });
  }

  void follow(std::string line) {
    ++of_->waits;
    asio::post(of_->following, [self = shared_from_this(), line = std::move(line)] {
      std::string answer = self->of_->handler.answer(line, self->who_);
      asio::post(self->of_->io, [self, answer = std::move(answer)]() mutable {
        --self->of_->waits;
        self->write(std::move(answer));
      });
    });
  }

  void write(std::string answer) {
    if (!socket_.is_open()) return;
    out_ = std::move(answer);
    out_ += '\n';
    cut_off_after(answer_deadline);
    asio::async_write(socket_, asio::buffer(out_), [self = shared_from_this()](error_code failed, size_t) {
      self->out_.clear();
      self->out_.shrink_to_fit();
      if (failed || self->last_) return self->end();
      self->read();
    });
  }

  template <class Duration>
  void cut_off_after(Duration time) {
    timer_.expires_after(time);
    timer_.async_wait([self = shared_from_this()](error_code cancelled) {
      if (!cancelled) self->end();
    });
  }

  local::socket socket_;
  asio::steady_timer timer_;
  std::shared_ptr<impl> of_;
  const observe::caller who_;
  std::string in_, out_;
  bool last_ = false;
};

void control_server::impl::accept() {
  acceptor.async_accept([self = shared_from_this()](error_code failed, local::socket socket) {
    if (failed == asio::error::operation_aborted || !self->acceptor.is_open()) return;
    if (failed) {  // no descriptor left, perhaps: whoever goes gives one back
      auto later = std::make_shared<asio::steady_timer>(self->io, std::chrono::milliseconds(100));
      return later->async_wait([self, later](error_code) { self->accept(); });
    }
    if (self->clients.size() >= 2 * most_control_clients) return self->accept();  // those who were refused linger
    auto one = std::make_shared<client>(std::move(socket), self);
    const bool full = self->clients.size() >= most_control_clients;
    self->clients.insert(one);
    if (full)
      one->refuse({"control socket", "at most " + std::to_string(most_control_clients) + " clients at once", "one more",
                   "close some, or ask again later"});
    else
      one->read();
    self->accept();
  });
}

void control_server::impl::close() {
  error_code ignored;
  acceptor.close(ignored);
  handler.give_up();
  for (const auto &one : std::set(clients)) one->end();
}

control_server::control_server(asio::io_context &io, control_socket &at, control_handler &handler)
    : impl_(std::make_shared<impl>(io, at.release(), handler)) {
  impl_->accept();
}

control_server::~control_server() {
  impl_->close();
  impl_->waiting.join();
  impl_->following.join();
}

void control_server::close() { impl_->close(); }

}  // namespace tenon::cli
