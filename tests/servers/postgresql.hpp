// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A PostgreSQL server of a test's own, on a Unix socket and a port of this machine.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "server_process.hpp"

namespace tenon::testing {

class postgresql_server {
 public:
  [[nodiscard]] static bool is_installed();

  // In a temporary folder, which goes with it. It does not run as root: another user of the machine does it then.
  postgresql_server();
  ~postgresql_server();
  postgresql_server(const postgresql_server &) = delete;
  postgresql_server &operator=(const postgresql_server &) = delete;

  void start();
  void stop() { process_.end(2); }  // at once, connections and all
  void kill() { process_.end(3); }  // as a machine that loses its power, but for its disk: what it says of SIGQUIT

  // What a sink's `connection` is: over the socket, where everybody is let in, or by port and password.
  [[nodiscard]] std::string by_socket(const std::string &database = "postgres") const;
  [[nodiscard]] std::string by_port() const;
  [[nodiscard]] std::string port() const { return std::to_string(port_); }
  [[nodiscard]] const std::filesystem::path &folder() const { return folder_; }
  // Runs SQL as another program would; the first value of the last answer.
  std::string sql(const std::string &text, const std::string &database = "postgres") const;

  static constexpr const char *password = "from-a-file";

 private:
  const pid_t owner_ = ::getpid();  // in a process that a test forked nothing ends
  std::filesystem::path folder_;
  uid_t user_;
  int port_;
  server_process process_;
};

}  // namespace tenon::testing
