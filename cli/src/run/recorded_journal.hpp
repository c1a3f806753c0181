// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A journal that is about to be played.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "run/run_policies.hpp"

namespace tenon::cli {

struct recorded_journal {
  std::string bytes;
  uint64_t asks = 0;  // commands that ask for something
};

enum class journal_start : uint8_t { empty, any };  // `any`: a journal may begin with a state

// Reads a whole journal before it is played, so that a damaged one is not played in part. Puts the builds of modules
// into force that decided first, and warns on `err` of every policy that is another one than the journal's.
[[nodiscard]] result<recorded_journal> read_recorded(const std::string &file, journal_start start,
                                                     const opened_policies &policies, std::ostream &err);

}  // namespace tenon::cli
