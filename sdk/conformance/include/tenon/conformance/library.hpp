// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The functions of verify.hpp for a program that opens libtenon_conformance.so only when it verifies:
// tenon_conformance_library gives them. Program and library are of one build.
#pragma once

#include "tenon/conformance/verify.hpp"

namespace tenon::conformance {

struct library {
  decltype(&conformance::all_checks) all_checks;
  decltype(&conformance::verify) verify;
  decltype(&conformance::as_text) as_text;
  decltype(&conformance::summary) summary;
  decltype(&conformance::as_json) as_json;
  decltype(&conformance::as_junit) as_junit;
};

}  // namespace tenon::conformance

extern "C" TENON_CONFORMANCE_API const tenon::conformance::library *tenon_conformance_library();
