// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Why an ask waits, as JSON.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "tenon/kernel/explain.hpp"

namespace tenon::cli {

// One object; keys are the members of explain.hpp, kinds are their names.
[[nodiscard]] boost::json::object explanation_json(const explanation &e);
[[nodiscard]] std::string to_json(const explanation &e);

}  // namespace tenon::cli
