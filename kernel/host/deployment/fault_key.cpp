// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "deployment/fault_key.hpp"

#include <boost/json.hpp>
#include <cstdint>

namespace tenon::host {

std::string fault_key(const std::string &digest, const module_use *use) {
  // FNV-1a: it is to differ, not to withstand anybody.
  uint64_t sum = 0xcbf29ce484222325;
  const std::string text = use == nullptr ? "{}" : boost::json::serialize(use->config.values);
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string out = digest + "-";
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(sum >> shift) & 15];
  return out;
}

}  // namespace tenon::host
