// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// In which shapes asks came, as the order gpu-pack is told.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "tenon/kernel/queue_config.hpp"

namespace tenon::naive {

struct ask_shapes {
  using shape = std::pair<amount_map, std::string>;  // amounts other than 0, and the models that the ask names

  bool followed = false;
  std::map<shape, int64_t> coming;      // counts for the next generation
  int64_t asks = 0, next_length = 32;   // of that one
  std::map<shape, int64_t> counts;      // of this generation
  std::map<std::string, int64_t> gpus;  // of the nodes when it began, by model
};

}  // namespace tenon::naive
