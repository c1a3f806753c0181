// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Work that takes much memory: who comes while somebody is at it is told to come again.
#pragma once

#include <atomic>
#include <string>

#include "answer.hpp"

namespace tenon::rest {

class one_at_a_time {
 public:
  one_at_a_time(std::atomic<bool> &taken, const std::string &what) : taken_(taken) {
    if (taken_.exchange(true)) throw refused{503, what + ", try again"};
  }
  ~one_at_a_time() { taken_ = false; }
  one_at_a_time(const one_at_a_time &) = delete;
  one_at_a_time &operator=(const one_at_a_time &) = delete;

 private:
  std::atomic<bool> &taken_;
};

}  // namespace tenon::rest
