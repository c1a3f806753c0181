// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Words that a module gives as the reason of a refusal.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tenon/abi/base.h"

namespace tenon::internal {

// Room for them, and what was written there as one line of UTF-8: a decision's text goes where nothing else may.
class module_text {
 public:
  module_text() = default;
  module_text(const module_text &) = delete;
  module_text &operator=(const module_text &) = delete;

  [[nodiscard]] tenon_message *room() { return &message_; }
  [[nodiscard]] std::string readable() const;

 private:
  std::array<char, 512> room_{};
  tenon_message message_{sizeof message_, sizeof room_, room_.data(), 0};
};

}  // namespace tenon::internal
