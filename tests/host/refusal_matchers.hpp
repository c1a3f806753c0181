// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A refusal by its parts, each a text that the part must contain.
#pragma once

#include <gmock/gmock.h>

#include <ostream>
#include <string>

#include "tenon/kernel/refusal.hpp"

namespace tenon {

// For GoogleTest.
inline void PrintTo(const refusal &no, std::ostream *out) { *out << no.text(); }

}  // namespace tenon

namespace tenon::host::testing {

struct refusal_parts {
  std::string where, want, have, fix;
};

MATCHER_P(refuses, parts,
          "refuses with where: " + parts.where + "; want: " + parts.want + "; have: " + parts.have +
              "; fix: " + parts.fix) {
  *result_listener << "\n  where: " << arg.where << "\n  want: " << arg.want << "\n  have: " << arg.have
                   << "\n  fix: " << arg.fix;
  const auto has = [](const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
  };
  return has(arg.where, parts.where) && has(arg.want, parts.want) && has(arg.have, parts.have) &&
         has(arg.fix, parts.fix);
}

}  // namespace tenon::host::testing
