// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rm_connection.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace tenon::bench {
namespace {

constexpr size_t header = 5;  // of a message in gRPC
constexpr int32_t window_bytes = INT32_MAX;

int connected(const std::string &address) {
  const auto fail = [&] { throw std::system_error(errno, std::generic_category(), address); };
  if (address.starts_with("unix:")) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    address.copy(to.sun_path, sizeof to.sun_path - 1, 5);
    const int out = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(out, reinterpret_cast<const sockaddr *>(&to), sizeof to) != 0) fail();
    return out;
  }
  const size_t colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(std::stoul(address.substr(colon + 1))));
  if (inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr) != 1)
    throw std::runtime_error(address + ": want digits and a port, or unix:PATH");
  const int out = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(out, reinterpret_cast<const sockaddr *>(&to), sizeof to) != 0) fail();
  const int on = 1;
  ::setsockopt(out, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return out;
}

nghttp2_nv field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view of) { return reinterpret_cast<uint8_t *>(const_cast<char *>(of.data())); };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

std::string framed(std::string_view message) {
  const uint32_t length = htonl(static_cast<uint32_t>(message.size()));
  std::string out(header, '\0');
  std::memcpy(out.data() + 1, &length, sizeof length);
  out += message;
  return out;
}

rm_connection::rm_connection(const std::string &address, std::function<void(std::string_view)> on_response)
    : descriptor_(connected(address)) {
  first_.on_response = std::move(on_response);
  nghttp2_session_callbacks *callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session *, uint8_t, int32_t stream, const uint8_t *bytes, size_t count, void *self) {
        static_cast<rm_connection *>(self)->take(stream, {reinterpret_cast<const char *>(bytes), count});
        return 0;
      });
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session *, const nghttp2_frame *, const uint8_t *name, size_t name_length,
                    const uint8_t *value, size_t value_length, uint8_t, void *self) {
        const std::string_view key(reinterpret_cast<const char *>(name), name_length);
        const std::string said(reinterpret_cast<const char *>(value), value_length);
        if ((key == "grpc-status" && said != "0") || (key == ":status" && said != "200") || key == "grpc-message")
          static_cast<rm_connection *>(self)->problem_ += std::string(key) + " " + said + " ";
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks,
                                                         [](nghttp2_session *, int32_t, uint32_t, void *self) {
                                                           static_cast<rm_connection *>(self)->closed_ = true;
                                                           return 0;
                                                         });
  nghttp2_session_client_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry window{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window_bytes};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &window, 1);
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, window_bytes);
}

rm_connection::~rm_connection() {
  nghttp2_session_del(session_);
  ::close(descriptor_);
}

int32_t rm_connection::request(const std::string &path, one_stream &on) {
  closed_ = false;
  on.in.clear();
  const std::array<nghttp2_nv, 6> headers = {
      field(":method", "POST"), field(":scheme", "http"), field(":authority", "localhost"),
      field(":path", path),     field("te", "trailers"),  field("content-type", "application/grpc")};
  nghttp2_data_provider body{{}, read_waiting};
  body.source.ptr = &on;
  return nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), &body, nullptr);
}

void rm_connection::call(const std::string &path, std::string_view message) {
  first_.waiting = framed(message);
  first_.taken = 0;
  first_.closing = true;
  request(path, first_);
  wait(closed_);
  first_.closing = false;
}

void rm_connection::open(const std::string &path) {
  first_.id = request(path, first_);
  flush();
}

void rm_connection::open_beside(const std::string &path, std::function<void(std::string_view)> on_response) {
  beside_.on_response = std::move(on_response);
  beside_.id = request(path, beside_);
  flush();
}

void rm_connection::put(one_stream &on, std::string_view framed_message) {
  if (on.taken == on.waiting.size()) {
    on.waiting.clear();
    on.taken = 0;
  }
  on.waiting += framed_message;
  nghttp2_session_resume_data(session_, on.id);
}

void rm_connection::put(std::string_view framed_message) { put(first_, framed_message); }
void rm_connection::put_beside(std::string_view framed_message) { put(beside_, framed_message); }

void rm_connection::close() {
  first_.closing = true;
  nghttp2_session_resume_data(session_, first_.id);
  wait(closed_);
}

bool rm_connection::wants_to_write() const { return written_ < out_.size(); }

void rm_connection::go_on() {
  receive();
  flush();
  if (!problem_.empty()) throw std::runtime_error("the scheduler answers: " + problem_);
}

void rm_connection::wait(const bool &until) {
  flush();
  while (!until) {
    pollfd one{descriptor_, static_cast<short>(wants_to_write() ? POLLIN | POLLOUT : POLLIN), 0};
    ::poll(&one, 1, -1);
    go_on();
  }
}

void rm_connection::receive() {
  std::array<uint8_t, size_t{64} << 10> buffer;
  for (;;) {
    const ssize_t count = ::recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) throw std::runtime_error("the scheduler closed the connection");
    if (nghttp2_session_mem_recv(session_, buffer.data(), static_cast<size_t>(count)) < 0)
      throw std::runtime_error("the scheduler does not speak HTTP/2");
    if (static_cast<size_t>(count) < buffer.size()) return;
  }
}

void rm_connection::flush() {
  for (;;) {
    while (written_ < out_.size()) {
      const ssize_t count =
          ::send(descriptor_, out_.data() + written_, out_.size() - written_, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count < 0 && errno == EAGAIN) return;
      if (count < 0) throw std::system_error(errno, std::generic_category(), "the connection is gone");
      written_ += static_cast<size_t>(count);
    }
    out_.clear();
    written_ = 0;
    constexpr size_t most = size_t{256} << 10;
    const uint8_t *bytes = nullptr;
    while (out_.size() < most) {
      const ssize_t count = nghttp2_session_mem_send(session_, &bytes);
      if (count <= 0) break;
      out_.append(reinterpret_cast<const char *>(bytes), static_cast<size_t>(count));
    }
    if (out_.empty()) return;
  }
}

ssize_t rm_connection::read_waiting(nghttp2_session *, int32_t, uint8_t *to, size_t capacity, uint32_t *flags,
                                    nghttp2_data_source *from, void *) {
  auto &of = *static_cast<one_stream *>(from->ptr);
  const size_t count = std::min(capacity, of.waiting.size() - of.taken);
  std::memcpy(to, of.waiting.data() + of.taken, count);
  of.taken += count;
  if (of.closing && of.taken == of.waiting.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  if (count == 0 && !of.closing) return NGHTTP2_ERR_DEFERRED;
  return static_cast<ssize_t>(count);
}

void rm_connection::take(int32_t id, std::string_view bytes) {
  if (id != first_.id && id != beside_.id) return;
  one_stream &of = id == first_.id ? first_ : beside_;
  of.in += bytes;
  size_t at = 0;
  while (of.in.size() - at >= header) {
    uint32_t length = 0;
    std::memcpy(&length, of.in.data() + at + 1, sizeof length);
    length = ntohl(length);
    if (of.in.size() - at - header < length) break;
    of.on_response(std::string_view(of.in).substr(at + header, length));
    at += header + length;
  }
  of.in.erase(0, at);
}

}  // namespace tenon::bench
