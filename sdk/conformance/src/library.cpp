// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/conformance/library.hpp"

const tenon::conformance::library *tenon_conformance_open(uint64_t layout) {
  using namespace tenon::conformance;
  static constexpr library functions{all_checks, verify, as_text, summary, as_json, as_junit};
  return layout == tenon::conformance::layout() ? &functions : nullptr;
}
