// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "event_stream.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "admission.hpp"
#include "answer.hpp"
#include "event_json.hpp"
#include "http_messages.hpp"
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
    if (status == TENON_EXHAUSTED)
      throw refused{503, "Too many streaming connections", "close one, or try again later"};
    if (status != TENON_OK)
      throw refused{500, "Event tracking is disabled", "list a sink in events of the deployment, as tenon.ring"};
    id_ = out.subscription;
  }
  ~subscription() {
    const tenon_events_unsubscribe_in in{sizeof in, 0, id_};
    if (id_ != 0) services_.events->unsubscribe(services_.host, &in);
  }
  subscription(const subscription &) = delete;
  subscription &operator=(const subscription &) = delete;

  // Lines of what waits. False: nothing more will come. The first call may wait for the sink.
  bool take(std::string &lines) {
    return take(at_once, &lines, [](void *taker, const tenon_event_record *r) {
      try {
        *static_cast<std::string *>(taker) += serialize(event_json(*r)) + "\n";
        return TENON_OK;
      } catch (...) {
        return TENON_INTERNAL;
      }
    });
  }

  // Has a record found no room, as of the last call of take? What was taken lies before it.
  [[nodiscard]] bool overrun() const { return lost_ != 0; }

  // How many records will not be sent: what was lost, and what waits, which lies before and after it.
  uint64_t give_up() {
    uint64_t waiting = 0;
    take(0, &waiting, [](void *taker, const tenon_event_record *) {
      ++*static_cast<uint64_t *>(taker);
      return TENON_OK;
    });
    return lost_ + waiting;
  }

 private:
  bool take(uint64_t limit, void *taker, tenon_status (*with)(void *, const tenon_event_record *)) {
    tenon_events_take_in in{};
    in.size = sizeof in;
    in.subscription = id_;
    in.limit = limit;
    tenon_events_take_out out{};
    out.size = sizeof out;
    out.taker = taker;
    out.take = with;
    const bool open = services_.events->take(services_.host, &in, &out) == TENON_OK;
    lost_ = std::max(lost_, out.lost);
    return open;
  }

  const services &services_;
  uint64_t id_ = 0, lost_ = 0;
};

std::string first_line(const services &use) {
  tenon_events_range_out range{};
  range.size = sizeof range;
  use.events->range(use.host, &range);
  return serialize(boost::json::object{{"InstanceUUID", view(range.run)}}) + "\n";
}

// Has the client closed its side?
bool gone(beast::tcp_stream &client) {
  char byte = 0;
  error_code problem;
  client.socket().non_blocking(true, problem);
  const size_t got = client.socket().receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, problem);
  return problem ? problem != asio::error::would_block : got == 0;
}

awaitable<bool> send_chunk(stream &client, const std::string &lines) {
  error_code problem;
  client.tcp().expires_after(time_to_take);
  co_await write_chunk(client, lines, problem);
  co_return !problem;
}

// What every stream begins with, and the records of before. Waits for the sink.
bool begin(const services &use, subscription &events, std::string &lines) {
  try {
    lines = first_line(use);
    return events.take(lines);
  } catch (const std::exception &) {
    return false;
  }
}

std::string last_line(subscription &events) {
  std::string why = "Event stream was closed by the producer";
  if (events.overrun()) {
    why += ": the client does not keep up, " + std::to_string(events.give_up()) + " records were not sent";
  }
  return error_answer(200, why).body + "\n";
}

awaitable<void> send_events(hub &h, stream &client, subscription &events, waker &w) {
  std::string lines;
  w.ringing = false;
  co_await asio::post(asio::bind_executor(h.pool, use_awaitable));
  bool more = begin(h.services, events, lines);
  co_await asio::post(asio::bind_executor(h.io, use_awaitable));
  for (;;) {
    if (!lines.empty() && !co_await send_chunk(client, lines)) co_return;
    if (!more || events.overrun() || h.stopping) {
      const std::string end = last_line(events);
      if (!co_await send_chunk(client, end)) co_return;
      error_code problem;
      co_await write_last_chunk(client, problem);
      co_return;
    }
    if (lines.empty()) {
      if (gone(client.tcp())) co_return;
      error_code problem;
      client.tcp().expires_never();
      w.handle->expires_after(time_to_look);
      if (!w.ringing) co_await w.handle->async_wait(asio::redirect_error(use_awaitable, problem));
    }
    w.ringing = false;
    lines.clear();
    more = events.take(lines);
  }
}

}  // namespace

awaitable<void> stream_events(hub &h, stream &client, const request &asked) {
  answer no;
  waker w(h.io);
  std::unique_ptr<subscription> events;
  try {
    const uint64_t history = std::min(asked.number("count", 0, UINT64_MAX).value_or(0), most_history);
    if (h.services.events == nullptr)
      throw refused{500, "Event tracking is disabled", "list a sink in events of the deployment, as tenon.ring"};
    events = std::make_unique<subscription>(h.services, w, history);
  } catch (const refused &why) {
    no = error_answer(why.status, why.message, why.fix);
  }
  error_code problem;
  client.tcp().expires_after(time_to_take);
  const auto head = [&](auto &out, std::string_view type) {
    out.set(http::field::content_type, type);
    say_who_may_read(h.limits, out, "GET, OPTIONS");
    out.keep_alive(false);
  };
  if (events == nullptr) {
    response out{http::int_to_status(no.status), 11, no.body};
    head(out, json_type);
    out.prepare_payload();
    co_await write_message(client, out, problem);
    co_return;
  }
  response_head out{http::status::ok, 11};
  head(out, json_type);
  out.chunked(true);
  co_await write_head(client, out, problem);
  if (!problem) co_await send_events(h, client, *events, w);
}

}  // namespace tenon::rest
