// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "event_stream.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "answer.hpp"
#include "event_json.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::awaitable;
using asio::use_awaitable;
using error_code = boost::system::error_code;

constexpr auto time_to_take = std::chrono::seconds(5);         // that a client has for what is sent
constexpr auto time_to_look = std::chrono::milliseconds(500);  // whether the client is still there
constexpr uint64_t at_once = 256;
constexpr uint64_t most_history = 10'000;

// Told by the event service, from a thread of its own, that something waits.
struct waker {
  explicit waker(asio::io_context &on) : io(on) {}
  static void wake(void *self) {
    auto *w = static_cast<waker *>(self);
    if (!w->ringing.exchange(true)) asio::post(w->io, [timer = w->handle] { timer->cancel(); });
  }
  asio::io_context &io;
  std::shared_ptr<asio::steady_timer> handle = std::make_shared<asio::steady_timer>(io);
  std::atomic<bool> ringing = false;
};

class subscription {
 public:
  subscription(const services &use, waker &w, uint64_t history) : services_(use) {
    tenon_events_subscribe_in in{};
    in.size = sizeof in;
    in.history = history;
    in.room = 4096;
    in.wake = waker::wake;
    in.waker = &w;
    tenon_events_subscribe_out out{sizeof out, 0, 0};
    const tenon_status status = use.events->subscribe(use.host, &in, &out);
    if (status == TENON_EXHAUSTED) throw refused{503, "Too many streaming connections"};
    if (status != TENON_OK) throw refused{500, "Event tracking is disabled"};
    id_ = out.subscription;
  }
  ~subscription() {
    const tenon_events_unsubscribe_in in{sizeof in, 0, id_};
    if (id_ != 0) services_.events->unsubscribe(services_.host, &in);
  }
  subscription(const subscription &) = delete;
  subscription &operator=(const subscription &) = delete;

  // Lines of what waits. False: nothing more will come.
  bool take(std::string &lines) {
    tenon_events_take_in in{};
    in.size = sizeof in;
    in.subscription = id_;
    in.limit = at_once;
    tenon_events_take_out out{};
    out.size = sizeof out;
    out.taker = &lines;
    out.take = [](void *taker, const tenon_event_record *r) {
      try {
        *static_cast<std::string *>(taker) += serialize(event_json(*r)) + "\n";
        return TENON_OK;
      } catch (...) {
        return TENON_INTERNAL;
      }
    };
    return services_.events->take(services_.host, &in, &out) == TENON_OK;
  }

 private:
  const services &services_;
  uint64_t id_ = 0;
};

std::string first_line(const services &use) {
  tenon_events_range_out range{};
  range.size = sizeof range;
  use.events->range(use.host, &range);
  return serialize(boost::json::object{{"InstanceUUID", view(range.run)}}) + "\n";
}

// Has the client closed its side?
bool gone(beast::tcp_stream &stream) {
  char byte = 0;
  error_code problem;
  stream.socket().non_blocking(true, problem);
  const size_t got = stream.socket().receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, problem);
  return problem ? problem != asio::error::would_block : got == 0;
}

template <class Stream>
awaitable<bool> send_chunk(Stream &stream, const std::string &lines) {
  error_code problem;
  beast::get_lowest_layer(stream).expires_after(time_to_take);
  const auto chunk = http::make_chunk(asio::buffer(lines));
  co_await asio::async_write(stream, chunk, asio::redirect_error(use_awaitable, problem));
  co_return !problem;
}

template <class Stream>
awaitable<void> send_events(hub &h, Stream &stream, subscription &events, waker &w) {
  const std::string hello = first_line(h.services);
  if (!co_await send_chunk(stream, hello)) co_return;
  for (;;) {
    w.ringing = false;
    std::string lines;
    const bool more = events.take(lines);
    if (!lines.empty() && !co_await send_chunk(stream, lines)) co_return;
    if (!more || h.stopping) {
      const std::string end = error_answer(200, "Event stream was closed by the producer").body + "\n";
      if (!co_await send_chunk(stream, end)) co_return;
      error_code problem;
      const auto last = http::make_chunk_last();
      co_await asio::async_write(stream, last, asio::redirect_error(use_awaitable, problem));
      co_return;
    }
    if (!lines.empty()) continue;
    if (gone(beast::get_lowest_layer(stream))) co_return;
    error_code problem;
    beast::get_lowest_layer(stream).expires_never();
    w.handle->expires_after(time_to_look);
    if (w.ringing) continue;
    co_await w.handle->async_wait(asio::redirect_error(use_awaitable, problem));
  }
}

template <class Stream>
awaitable<void> stream_to(hub &h, Stream &stream, const request &asked) {
  answer no;
  waker w(h.io);
  std::unique_ptr<subscription> events;
  try {
    const uint64_t history = std::min(asked.number("count", 0, UINT64_MAX).value_or(0), most_history);
    if (h.services.events == nullptr) throw refused{500, "Event tracking is disabled"};
    events = std::make_unique<subscription>(h.services, w, history);
  } catch (const refused &why) {
    no = error_answer(why.status, why.words);
  }
  error_code problem;
  beast::get_lowest_layer(stream).expires_after(time_to_take);
  const auto head = [&](auto &out, std::string_view type) {
    out.set(http::field::content_type, type);
    out.set(http::field::access_control_allow_origin, h.limits.origin);
    out.set(http::field::access_control_allow_methods, "GET, OPTIONS");
    out.set(http::field::access_control_allow_headers, "X-Requested-With,Content-Type,Accept,Origin");
    out.keep_alive(false);
  };
  if (events == nullptr) {
    http::response<http::string_body> out{http::int_to_status(no.status), 11, no.body};
    head(out, json_type);
    out.prepare_payload();
    co_await http::async_write(stream, out, asio::redirect_error(use_awaitable, problem));
    co_return;
  }
  http::response<http::empty_body> out{http::status::ok, 11};
  head(out, json_type);
  out.chunked(true);
  http::response_serializer<http::empty_body> writer(out);
  co_await http::async_write_header(stream, writer, asio::redirect_error(use_awaitable, problem));
  if (!problem) co_await send_events(h, stream, *events, w);
}

}  // namespace

awaitable<void> stream_events(hub &h, beast::tcp_stream &stream, const request &asked) {
  return stream_to(h, stream, asked);
}
awaitable<void> stream_events(hub &h, beast::ssl_stream<beast::tcp_stream> &stream, const request &asked) {
  return stream_to(h, stream, asked);
}

}  // namespace tenon::rest
