// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "testing.hpp"

namespace tenon::cli {

// Runs `tenon simulate` with these arguments and returns the report that --json prints. A failed run fails the test.
inline boost::json::value simulated(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "simulate");
  arguments.insert(arguments.end(), {"--json", "--no-progress"});
  const command_result run = run_tenon(arguments);
  EXPECT_EQ(run.code, 0) << run.err;
  return boost::json::parse(run.out);
}

}  // namespace tenon::cli
