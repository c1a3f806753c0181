// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Refusals as JSON, with the same keys wherever a command prints them.
#pragma once

#include <boost/json.hpp>
#include <span>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

[[nodiscard]] inline boost::json::object refusal_json(const refusal &why) {
  return {{"where", why.where}, {"want", why.want}, {"have", why.have}, {"fix", why.fix}};
}

[[nodiscard]] inline boost::json::array refusals_json(std::span<const refusal> all) {
  boost::json::array out;
  for (const refusal &why : all) out.push_back(refusal_json(why));
  return out;
}

}  // namespace tenon::cli
