// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The file by which a project switches checks off, each with a reason (apiVersion tenon.verify/v1).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tenon/kernel/refusal.hpp"

namespace tenon::conformance {

// Reason by check id.
using reasons_by_id = std::map<std::string, std::string, std::less<>>;

// Refused: unknown keys and ids, an id twice, an empty reason.
[[nodiscard]] result<reasons_by_id> read_switches(const std::filesystem::path &file);

}  // namespace tenon::conformance
