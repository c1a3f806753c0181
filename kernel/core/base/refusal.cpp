// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/refusal.hpp"

namespace tenon {

std::string refusal::text() const {
  std::string out = where.empty() ? have : where + ": " + have;
  if (!want.empty()) out += "; want: " + want;
  if (!fix.empty()) out += "; fix: " + fix;
  return out;
}

}  // namespace tenon
