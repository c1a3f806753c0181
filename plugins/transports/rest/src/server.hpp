// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Listens, takes requests apart, and lets the routes answer them.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "service_guards.hpp"
#include "settings.hpp"

namespace tenon::rest {

class server {
 public:
  server(const settings &s, const services &use);
  ~server();
  server(const server &) = delete;
  server &operator=(const server &) = delete;

  // Listens. Throws sdk::unavailable, sdk::invalid_config.
  void start();
  // Lets requests that run finish for so long, then closes everything.
  void stop(std::chrono::milliseconds drain);
  // "http://127.0.0.1:9080"
  [[nodiscard]] const std::string &url() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace tenon::rest
