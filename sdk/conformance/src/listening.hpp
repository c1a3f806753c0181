// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The sockets of this process that wait for connections, and connections to them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::conformance {

// An open connection; closed at the end.
class raw_connection {
 public:
  explicit raw_connection(int descriptor) : descriptor_(descriptor) {}
  raw_connection(raw_connection &&other) noexcept;
  raw_connection &operator=(raw_connection &&) = delete;
  raw_connection(const raw_connection &) = delete;
  raw_connection &operator=(const raw_connection &) = delete;
  ~raw_connection();

  // Sends what fits at once.
  void send(std::string_view bytes) const;
  // Waits for the other side to close it; what comes before is thrown away.
  [[nodiscard]] bool is_closed_within(std::chrono::milliseconds time) const;

 private:
  int descriptor_;
};

// A socket that waits for connections, by the address that it has.
class listening_socket {
 public:
  [[nodiscard]] static std::vector<listening_socket> all();

  // "127.0.0.1:9444", "[::1]:9444", "unix:/run/tenon.sock".
  [[nodiscard]] std::string address() const;
  // Fails the check where nobody takes the connection.
  [[nodiscard]] raw_connection connect() const;

 private:
  std::string name_;  // a sockaddr
  int family_ = 0, type_ = 0;
};

}  // namespace tenon::conformance
