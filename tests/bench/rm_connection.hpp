// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One RM's connection to a scheduler: gRPC as bytes on HTTP/2, so that asking costs next to nothing and what is
// measured is the scheduler.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tenon::bench {

// A message as gRPC frames it: not compressed, its length, its bytes.
std::string framed(std::string_view message);

// Used by one thread. Throws std::runtime_error when the scheduler is not there, ends a call or closes the connection.
class rm_connection {
 public:
  // `address`: "host:port" in digits, or "unix:PATH". `on_response` hears every message of the open stream.
  rm_connection(const std::string &address, std::function<void(std::string_view)> on_response);
  ~rm_connection();
  rm_connection(const rm_connection &) = delete;
  rm_connection &operator=(const rm_connection &) = delete;

  // A call with one request. Waits for its answer.
  void call(const std::string &path, std::string_view request);

  // The stream that everything after it is sent on.
  void open(const std::string &path);
  // Another one, with what hears its messages; closes with the connection. Once.
  void open_beside(const std::string &path, std::function<void(std::string_view)> on_response);

  // Puts a framed message behind what waits.
  void put(std::string_view framed_message);
  void put_beside(std::string_view framed_message);

  // Sends as much as the scheduler takes without waiting.
  void flush();

  // Sends and receives what can be without waiting.
  void go_on();

  // Sends and receives until this holds.
  void wait(const bool &until);

  // Closes its half of the stream and waits for the scheduler's.
  void close();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool wants_to_write() const;
  [[nodiscard]] size_t unsent_bytes() const { return first_.waiting.size() - first_.taken + (out_.size() - written_); }

 private:
  struct one_stream {
    int32_t id = 0;
    std::function<void(std::string_view)> on_response;
    std::string waiting;   // framed messages
    size_t taken = 0;      // of them, into HTTP/2
    bool closing = false;  // nothing follows what waits
    std::string in;        // a response that has not come whole
  };
  int32_t request(const std::string &path, one_stream &on);
  void put(one_stream &on, std::string_view framed_message);
  void receive();
  void take(int32_t id, std::string_view bytes);
  static ssize_t read_waiting(nghttp2_session *, int32_t, uint8_t *to, size_t capacity, uint32_t *flags,
                              nghttp2_data_source *from, void *self);

  int descriptor_ = -1;
  nghttp2_session *session_ = nullptr;
  one_stream first_, beside_;
  bool closed_ = false;  // the last call or stream has ended
  std::string problem_;
  std::string out_;  // bytes for the socket
  size_t written_ = 0;
};

}  // namespace tenon::bench
