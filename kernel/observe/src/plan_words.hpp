// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Values as queues.yaml has them, for plans.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tenon/kernel/queue_config.hpp"

namespace tenon::observe {

// "{memory: 8Gi, vcore: 4}"
[[nodiscard]] std::string amounts_text(const amount_map &);
[[nodiscard]] std::string duration_text(int64_t ms);
[[nodiscard]] std::string weight_text(double);
// "1 application", "3 applications"
[[nodiscard]] std::string counted(uint64_t count, std::string_view one);

}  // namespace tenon::observe
