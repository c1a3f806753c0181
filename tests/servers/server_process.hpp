// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A server that a test starts, in a temporary folder of its own, and that ends with the test.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tenon::testing {

class server_process {
 public:
  server_process() = default;
  ~server_process() { kill(); }
  server_process(const server_process &) = delete;
  server_process &operator=(const server_process &) = delete;

  // Runs the program with what it says in `log`, as `user` (0: as the test), and waits until `ready`. Throws where it
  // ends or does not become ready.
  void start(const std::vector<std::string> &command, const std::filesystem::path &log,
             const std::function<bool()> &ready, uid_t user = 0);
  // At once, as a machine that loses its power.
  void kill() { end(9); }
  void end(int signal);
  // It keeps its connections and answers nothing.
  void pause() const;
  void go_on() const;
  [[nodiscard]] bool runs() const { return child_ > 0; }

 private:
  pid_t child_ = 0, owner_ = 0;
};

// Accepts connections to a port of this machine and answers nothing.
class silent_server {
 public:
  silent_server();
  ~silent_server() { ::close(descriptor_); }
  silent_server(const silent_server &) = delete;
  silent_server &operator=(const silent_server &) = delete;
  [[nodiscard]] int port() const { return port_; }

 private:
  int descriptor_, port_ = 0;
};

// The program, from PATH or where servers are; empty where it is not installed.
[[nodiscard]] std::string installed_server(const std::string &name, const std::vector<std::string> &folders = {});

// Runs a program to its end. Throws, with what it said, where that is not a success.
void run_program(const std::vector<std::string> &command, const std::filesystem::path &log, uid_t user = 0);

[[nodiscard]] bool accepts_connections(int port);

}  // namespace tenon::testing
