// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// An address that is listened on.
#pragma once

#include <string>
#include <vector>

#include "peer.hpp"

namespace tenon::grpc_transport {

// A descriptor that is closed with its owner.
class descriptor {
 public:
  explicit descriptor(int of = -1) : of_(of) {}
  ~descriptor();
  descriptor(descriptor &&from) noexcept : of_(from.release()) {}
  descriptor &operator=(descriptor &&from) noexcept;

  [[nodiscard]] int get() const { return of_; }
  [[nodiscard]] int release();

 private:
  int of_;
};

struct listener {
  std::string address;              // with the port that was chosen
  std::vector<descriptor> sockets;  // that listen: one for each address that a name has; they do not block
  std::string path;                 // of a Unix socket
  ino_t file = 0;                   // there

  // Takes the file of a Unix socket away, unless somebody else has made another one since.
  void remove() const;
};

// "HOST:PORT" or "[V6]:PORT". Throws sdk::unavailable where none of the host's addresses can be had.
listener listen_on_tcp(const std::string &address);

// A Unix socket of this mode; what was there and nobody listens on is replaced. Throws sdk::unavailable.
listener listen_on_unix(const std::string &path, unsigned mode);

// Who connected, of a connection that `by` accepted.
peer peer_of(const listener &by, int connection);

}  // namespace tenon::grpc_transport
