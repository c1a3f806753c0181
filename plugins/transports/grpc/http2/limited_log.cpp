// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "limited_log.hpp"

namespace tenon::grpc_transport {
namespace {

using std::chrono::steady_clock;

constexpr size_t lines_of_second = 10;

}  // namespace

limited_log::~limited_log() { say_what_was_left_out(); }

// The lock is held.
void limited_log::say_what_was_left_out() {
  if (left_out_ != 0) to_(subject_ + "s: " + std::to_string(left_out_) + " lines were left out");
  left_out_ = 0;
}

void limited_log::say(const std::string &line) {
  const std::lock_guard lock(mutex_);
  if (const auto now = steady_clock::now(); now - second_ >= std::chrono::seconds(1)) {
    say_what_was_left_out();
    second_ = now;
    said_ = 0;
  }
  if (said_ >= lines_of_second) {
    ++left_out_;
    return;
  }
  ++said_;
  to_(subject_ + " " + line);
}

}  // namespace tenon::grpc_transport
