// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a message of an RM has outside, read without making an object of it: two bytes can be an object of 56.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::mqtt {

struct envelope {
  static constexpr size_t most_arrived = 4'096;
  static constexpr size_t most_beside = size_t{256} << 10;  // bytes

  uint64_t session = 0;
  int64_t number = 0;
  bool is_registration = false;
  size_t arrived = 0;  // how many
  size_t beside = 0;   // bytes that are not the registration or the request

  [[nodiscard]] bool is_moderate() const { return arrived <= most_arrived && beside <= most_beside; }
};

// Of bytes that anybody may have sent. None: they are no message.
std::optional<envelope> envelope_of(std::string_view message);

}  // namespace tenon::mqtt
