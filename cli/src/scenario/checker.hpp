// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Holds a block of expectations against a scheduler's state and what the RM knows.
#pragma once

#include <string>
#include <vector>

#include "scenario/expectation.hpp"
#include "scenario/expectation_fields.hpp"
#include "scenario/rm_model.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::cli {

// One thing that is not as wanted.
struct failure {
  text_position at;
  std::string path;  // "steps[3].expect.apps.app-1.allocations"
  std::string want;
  std::string have;

  // "file:12:7: path: want X, have Y"
  [[nodiscard]] std::string text(const std::string &file) const;
};

// Everything in `wanted` that does not hold; `path` is where the block stands.
[[nodiscard]] std::vector<failure> check(const expected_block &wanted, const std::string &path,
                                         const kernel_snapshot &kernel, const rm_model &rm, const explainer &explain);

}  // namespace tenon::cli
