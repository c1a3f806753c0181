# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# Writes TABLE, the digests in MANIFESTS as C++.
set(digests)
foreach(manifest IN LISTS MANIFESTS)
  file(STRINGS ${manifest} line REGEX "^digest: sha256:")
  string(REGEX MATCH "[0-9a-f]+$" digest "${line}")
  string(LENGTH "${digest}" length)
  if(NOT length EQUAL 64)
    message(FATAL_ERROR "${manifest}: want a line \"digest: sha256:...\", have none")
  endif()
  list(APPEND digests ${digest})
endforeach()
list(SORT digests)
list(JOIN digests "\",\n    \"" lines)
set(text "// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Written by plugins/own_modules.cmake.
#include \"manifest/own_modules.hpp\"

#include <algorithm>
#include <iterator>

namespace tenon::host {
namespace {

constexpr std::string_view digests[] = {
    \"${lines}\"};

}  // namespace

bool is_own(std::string_view digest) { return std::binary_search(std::begin(digests), std::end(digests), digest); }

}  // namespace tenon::host
")
file(CONFIGURE OUTPUT ${TABLE} CONTENT "${text}" @ONLY)
