// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Clients of the control socket, each with a request at a time; one that is slow, silent or says too much is cut off.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "serve/control_handler.hpp"
#include "serve/control_socket.hpp"

namespace tenon::cli {

class control_server {
 public:
  // Listens at once, on threads that run `io`; `handler` outlives those.
  control_server(boost::asio::io_context &io, control_socket &at, control_handler &handler);
  // Waits for the request that is being answered.
  ~control_server();
  // Takes no more clients and requests. On a thread that runs `io`.
  void close();

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace tenon::cli
