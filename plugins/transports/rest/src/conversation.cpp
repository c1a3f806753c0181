// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "conversation.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

#include "admission.hpp"
#include "compression.hpp"
#include "event_stream.hpp"
#include "handlers.hpp"
#include "http_messages.hpp"

namespace tenon::rest {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::awaitable;
using asio::use_awaitable;
using error_code = boost::system::error_code;

constexpr uint32_t most_header = 16'384;
constexpr uint64_t small_body = 65'536;
constexpr uint64_t bodies_at_once = 4;  // of the largest size, of all clients without a token
constexpr auto time_to_ask = std::chrono::seconds(10);
constexpr auto time_between = std::chrono::seconds(75);
constexpr auto time_to_read = std::chrono::seconds(120);

std::string text(beast::string_view s) { return {s.data(), s.size()}; }

request request_of(const http::request<http::string_body> &from, const std::string &address) {
  request out;
  out.method = text(from.method_string());
  out.body = from.body();
  out.accept = text(from[http::field::accept]);
  out.accept_encoding = text(from[http::field::accept_encoding]);
  out.host = text(from[http::field::host]);
  out.address = address;
  return out;
}

// Who asks. Throws refused where a token is sent that nobody has.
identity identity_of(const settings &s, const http::request<http::string_body> &from) {
  const std::string sent = text(from[http::field::authorization]);
  if (sent.empty()) return {};
  constexpr std::string_view scheme = "Bearer ";
  if (!sent.starts_with(scheme)) throw refused{401, "want a token: Authorization: Bearer TOKEN", "have another scheme"};
  const identity *known = owner_of(s.tokens, std::string_view(sent).substr(scheme.size()));
  if (known == nullptr)
    throw refused{401, "the token is not known", "send one of the file that the transport's key \"tokens\" names"};
  return *known;
}

void check_access(const settings &s, const request &asked, const route &r) {
  if (r.needs == access::change && !asked.from.known) {
    if (s.tokens.empty())
      throw refused{401, "actions want a token, and the configuration has none (key \"tokens\")",
                    "set tokens of the transport to a file of tokens, and restart the scheduler"};
    throw refused{401, "actions want a token: Authorization: Bearer TOKEN",
                  "have none; send one of the file that the transport's key \"tokens\" names"};
  }
  const bool page = r.path == "/" || r.path.starts_with("/dashboard/");  // which asks for the token
  if (s.token_to_read && !asked.from.known && !page) {
    throw refused{401, "want a token: Authorization: Bearer TOKEN",
                  "have none; send one of the file that the transport's key \"tokens\" names"};
  }
}

// Everything between a request and its answer; never throws but for want of memory.
answer answer_of(hub &h, request &asked, const route &r) {
  try {
    return r.handle({h.services, asked});
  } catch (const refused &no) {
    return error_answer(no.status, no.message, no.fix);
  } catch (const std::exception &e) {
    h.services.log.log(TENON_LOG_ERROR, "GET " + asked.path + ": " + e.what());
    return error_answer(500, "internal error");
  }
}

response response_of(const hub &h, const request &asked, unsigned version, answer a, bool keep_alive) {
  response out{http::int_to_status(a.status), version};
  out.set(http::field::content_type, a.type);
  say_who_may_read(h.limits, out, asked.method == "POST" ? "OPTIONS, POST" : "GET, OPTIONS");
  out.set("X-Content-Type-Options", "nosniff");
  out.set(http::field::cache_control, "no-store");
  for (const auto &[name, value] : a.headers) out.set(name, value);
  if (a.status == 401) out.set(http::field::www_authenticate, "Bearer");
  if (a.status == 429 || a.status == 503) out.set(http::field::retry_after, "1");
  if (a.body.size() >= least_compressed && takes_gzip(asked.accept_encoding)) {
    a.body = gzip(a.body);
    out.set(http::field::content_encoding, "gzip");
    out.set(http::field::vary, "Accept-Encoding");
  }
  out.keep_alive(keep_alive);
  const size_t length = a.body.size();
  if (asked.method != "HEAD") out.body() = std::move(a.body);
  out.content_length(length);
  return out;
}

// Whoever reads waits for a processor that scheduling leaves.
void step_back() {
  thread_local const int once = ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10);
  static_cast<void>(once);
}

// Nothing is sent again that the client has.
void spare_what_is_known(answer &a, std::string_view known_tags) {
  for (const auto &[name, value] : a.headers) {
    if (name != "ETag" || a.status != 200 || known_tags.find(value) == std::string_view::npos) continue;
    a.status = 304;
    a.body.clear();
    return;
  }
}

response answered(hub &h, request &asked, const route &r, const http::request<http::string_body> &message,
                  bool keep_alive) {
  step_back();
  answer a = answer_of(h, asked, r);
  spare_what_is_known(a, text(message[http::field::if_none_match]));
  return response_of(h, asked, message.version(), std::move(a), keep_alive);
}

// To a client of whom nothing is known. Coroutines name what they give away: GCC 12 destroys temporaries of a co_await
// twice.
response answer_to_nobody(const hub &h, answer a) { return response_of(h, request{}, 11, std::move(a), false); }

awaitable<bool> send(stream &to, response &out) {
  to.tcp().expires_after(time_to_read);
  error_code problem;
  co_await write_message(to, out, problem);
  co_return !problem && out.keep_alive();
}

// The route of a request, or what it gets instead.
match admitted(hub &h, request &asked, const http::request<http::string_body> &from) {
  try {
    if (!h.clients.ask(asked.address, clients::clock::now())) {
      return {nullptr, error_answer(429, "too many requests of this client",
                                    "send fewer a second, or raise requests_per_second_per_client of the transport")};
    }
    if (!split_target(text(from.target()), asked)) {
      return {nullptr,
              error_answer(400, "invalid URL escape", "write % as %25, and each % with two hexadecimal digits")};
    }
    if (asked.method == "OPTIONS") {
      const std::string methods = methods_of(asked.path);
      if (methods.empty()) return {nullptr, not_found(asked.path)};
      answer yes{200, std::string(text_type), {}, {}};
      yes.headers.emplace_back("Allow", methods);
      return {nullptr, std::move(yes)};
    }
    match m = find_route(asked);
    if (m.found == nullptr) return m;
    asked.from = identity_of(h.limits, from);
    check_access(h.limits, asked, *m.found);
    return m;
  } catch (const refused &no) {
    return {nullptr, error_answer(no.status, no.message, no.fix)};
  }
}

// What a client gets whose bytes are no request.
std::optional<answer> answer_to(const error_code &problem) {
  if (problem == http::error::header_limit)
    return error_answer(431, "request header is too large", "send less than 16 KiB of it");
  if (problem == http::error::body_limit)
    return error_answer(413, "request body is too large",
                        "send a smaller one, or raise max_body_bytes of the transport");
  if (problem.category() == make_error_code(http::error::bad_target).category() &&
      problem != http::error::end_of_stream && problem != http::error::partial_message) {
    return error_answer(400, "malformed request: " + problem.message());
  }
  return std::nullopt;
}

// Bytes of a body that is to come; none is held for small ones, and none where no header came.
class body_guard {
 public:
  body_guard(hub &in, const request_parser &of) : in_(in) {
    const uint64_t most = expected(of);
    if (most <= small_body || is_known(of.get())) return;
    held_ = most;
    in_.bodies += held_;
  }
  ~body_guard() { in_.bodies -= held_; }
  body_guard(const body_guard &) = delete;
  body_guard &operator=(const body_guard &) = delete;
  // With this one there are too many of them.
  [[nodiscard]] bool is_too_much() const { return held_ != 0 && in_.bodies > bodies_at_once * in_.limits.most_body; }

 private:
  [[nodiscard]] uint64_t expected(const request_parser &of) const {
    if (!of.is_header_done()) return 0;
    return of.chunked() ? in_.limits.most_body : of.content_length().value_or(0);
  }
  [[nodiscard]] bool is_known(const http::request<http::string_body> &from) const {
    try {
      return identity_of(in_.limits, from).known;
    } catch (const refused &) {
      return false;
    }
  }
  hub &in_;
  uint64_t held_ = 0;
};

// Counts a request that is being answered.
struct busy_guard {
  explicit busy_guard(std::atomic<uint64_t> &c) : count(c) { ++count; }
  ~busy_guard() { --count; }
  busy_guard(const busy_guard &) = delete;
  busy_guard &operator=(const busy_guard &) = delete;
  std::atomic<uint64_t> &count;
};

awaitable<void> serve(hub &h, stream &client, const std::string &address) {
  beast::flat_buffer buffer;
  for (bool first = true;; first = false) {
    request_parser parser;
    parser.header_limit(most_header);
    parser.body_limit(h.limits.most_body);
    error_code problem;
    client.tcp().expires_after(first ? time_to_ask : time_between);
    co_await read_header(client, buffer, parser, problem);
    std::optional<answer> refusal;
    if (!problem) refusal = header_problem(h.limits, parser.get());
    const body_guard body(h, parser);
    if (body.is_too_much()) refusal = error_answer(503, "too many large requests without a token, try again");
    if (!problem && !refusal) {
      if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
        response_head go_on{http::status::continue_, 11};
        co_await write_head(client, go_on, problem);
      }
      client.tcp().expires_after(time_to_ask);
      co_await read_rest(client, buffer, parser, problem);
    }
    if (problem) {
      refusal = answer_to(problem);
      if (!refusal) co_return;
    }
    if (refusal) {
      response last = answer_to_nobody(h, std::move(*refusal));
      co_await send(client, last);
      co_return;
    }
    const busy_guard busy(h.busy);
    const http::request<http::string_body> message = parser.release();
    request asked = request_of(message, address);
    match m = admitted(h, asked, message);
    const bool keep_alive = message.keep_alive() && !h.stopping;
    if (m.found != nullptr && m.found->handle == nullptr) {
      if (h.clients.begin_stream(address)) {
        co_await stream_events(h, client, asked);
        h.clients.end_stream(address);
        co_return;
      }
      m.instead = error_answer(503, "Too many streaming connections", "close one, or try again later");
    }
    response out;
    if (m.instead) {
      out = response_of(h, asked, message.version(), std::move(*m.instead), keep_alive);
    } else {
      co_await asio::post(asio::bind_executor(h.pool, use_awaitable));  // handlers may wait
      out = answered(h, asked, *m.found, message, keep_alive);
      co_await asio::post(asio::bind_executor(h.io, use_awaitable));
    }
    const bool goes_on = co_await send(client, out);
    if (!goes_on) co_return;
  }
}

// Registers how a connection is closed while it is open.
struct open_guard {
  open_guard(hub &to, std::function<void()> close) : h(to), id(h.next_connection++) {
    h.open.emplace(id, std::move(close));
  }
  ~open_guard() { h.open.erase(id); }
  open_guard(const open_guard &) = delete;
  open_guard &operator=(const open_guard &) = delete;
  hub &h;
  uint64_t id;
};

struct client_guard {
  client_guard(clients &c, std::string a) : all(c), address(std::move(a)), in(all.connect(address)) {}
  ~client_guard() {
    if (in) all.disconnect(address);
  }
  client_guard(const client_guard &) = delete;
  client_guard &operator=(const client_guard &) = delete;
  clients &all;
  std::string address;
  bool in;
};

}  // namespace

awaitable<void> converse(hub &h, asio::ip::tcp::socket socket, asio::ssl::context *tls) {
  try {
    error_code problem;
    const auto remote = socket.remote_endpoint(problem);
    if (problem) co_return;
    const client_guard known(h.clients, remote.address().to_string());
    if (!known.in && tls != nullptr) co_return;
    const std::unique_ptr<stream> client = make_stream(std::move(socket), tls);
    const open_guard open(h, [&tcp = client->tcp()] { tcp.close(); });
    client->tcp().expires_after(time_to_ask);
    co_await client->open(problem);
    if (problem) co_return;
    if (known.in) {
      co_await serve(h, *client, known.address);
    } else {
      response full =
          answer_to_nobody(h, error_answer(503, "too many connections", "use those that are open, or try again later"));
      co_await send(*client, full);
    }
    co_await client->close(problem);
  } catch (const std::exception &e) {
    h.services.log.log(TENON_LOG_ERROR, std::string("a connection ended: ") + e.what());
  }
}

}  // namespace tenon::rest
