// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Words that a module gives with a status.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "base/status_text.hpp"
#include "services/host_services.hpp"
#include "tenon/abi/base.h"

namespace tenon::host {

// Room for a module's words. What the module says of their length is not trusted.
class error_text {
 public:
  tenon_message *message() { return &message_; }

  [[nodiscard]] std::string text() const {
    return one_line({room_.data(), std::min<size_t>(message_.length, room_.size())}, room_.size());
  }
  // The text after `lead`, or nothing where the module said nothing.
  [[nodiscard]] std::string after(const char *lead) const {
    const std::string said = text();
    return said.empty() ? said : lead + said;
  }

 private:
  std::array<char, 1024> room_{};
  tenon_message message_{sizeof(tenon_message), sizeof room_, room_.data(), 0};
};

}  // namespace tenon::host
