// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A Unix socket in front of another one, which can fall silent without closing, as a machine that is cut off does.
#pragma once

#include <array>
#include <string>
#include <thread>

namespace tenon::testing {

class forwarder {
 public:
  // Forwards the one connection that comes to the socket `at`, which it makes, to the one at `onward`.
  forwarder(std::string at, std::string onward);
  ~forwarder();
  forwarder(const forwarder &) = delete;
  forwarder &operator=(const forwarder &) = delete;

  // Nothing more is forwarded, in either direction, when it returns. Both sides stay open.
  void fall_silent();

 private:
  void run();

  std::string at_, onward_;
  int listening_ = -1;
  std::array<int, 2> wake_{-1, -1};
  std::array<int, 2> ends_{-1, -1};
  std::thread thread_;
};

}  // namespace tenon::testing
