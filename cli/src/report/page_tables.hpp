// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The figures of a report, as tables: whatever a picture shows is here in numbers.
#pragma once

#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace tenon::cli {

// "> 3 h" where the end of the run cut it short.
[[nodiscard]] std::string words_of(const figure &duration);
// "1.25", of what is no duration.
[[nodiscard]] std::string times_text(const figure &times);

[[nodiscard]] std::string job_table(const std::vector<const run_record *> &runs);
[[nodiscard]] std::string preemption_table(const std::vector<const run_record *> &runs);
// The section at the end.
[[nodiscard]] std::string tables_of(const std::vector<const run_record *> &runs);

}  // namespace tenon::cli
