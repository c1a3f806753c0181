// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What `tenon tune` says.
#pragma once

#include <iosfwd>
#include <string>

#include "tune/tuner.hpp"

namespace tenon::cli {

void print(std::ostream &out, const tune_outcome &of, const tune_plan &plan, const trials &on);
// One object; its keys are in docs/tune.md.
[[nodiscard]] std::string to_json(const tune_outcome &of, const tune_plan &plan, const trials &on);

}  // namespace tenon::cli
