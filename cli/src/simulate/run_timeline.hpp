// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Everything that changed in a run, in order: what a report is drawn from.
#pragma once

#include <vector>

#include "simulate/run_ledger.hpp"

namespace tenon::cli {

struct timeline {
  const ledger *names = nullptr;  // of the indexes in `changes`
  int64_t first_ms = 0, last_ms = 0;
  std::vector<change> changes;
};

}  // namespace tenon::cli
