// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The functions of verify.hpp for a program that opens libtenon_conformance.so only when it verifies:
// tenon_conformance_open gives them. Program and library are of one build.
#pragma once

#include <cstdint>

#include "tenon/conformance/verify.hpp"

namespace tenon::conformance {

// Of what crosses between the program and the library. Where it differs they are not of one build. That it is equal
// does not show that they are.
[[nodiscard]] constexpr uint64_t layout() {
  uint64_t mark = 0;
  for (const size_t part : {sizeof(check_entry), sizeof(check_result), sizeof(verify_options), sizeof(verify_report),
                            sizeof(result<verify_report>)}) {
    mark = mark * 1'000'003 + part;
  }
  return mark;
}

struct library {
  decltype(&conformance::all_checks) all_checks;
  decltype(&conformance::verify) verify;
  decltype(&conformance::as_text) as_text;
  decltype(&conformance::summary) summary;
  decltype(&conformance::as_json) as_json;
  decltype(&conformance::as_junit) as_junit;
};

}  // namespace tenon::conformance

// null: the library has another layout().
extern "C" TENON_CONFORMANCE_API const tenon::conformance::library *tenon_conformance_open(uint64_t layout);
