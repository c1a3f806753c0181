// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Format 3, which builds wrote until format 4 took its place. It is only read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <string_view>

#include "journal/damage.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::journal::version3 {

// Reads a journal entry by entry, reusing the memory of the last one.
class decoder {
 public:
  decoder(std::string_view bytes, const std::function<void(int64_t, const command &)> &take)
      : bytes_(bytes), take_(take) {}

  // Takes the entry at `at` and moves `at` behind it.
  std::optional<damage> entry(size_t &at);

 private:
  [[nodiscard]] uint32_t number_at(size_t at) const;
  std::optional<damage> payload(size_t begin, size_t end);

  std::string_view bytes_;
  const std::function<void(int64_t, const command &)> &take_;
  std::pmr::monotonic_buffer_resource lists_;
  std::optional<cluster_config> config_;
};

}  // namespace tenon::journal::version3
