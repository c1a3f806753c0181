// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// By what a module that ended the process is known again.
#pragma once

#include <string>

#include "tenon/host/deployment.hpp"

namespace tenon::host {

// Of a library and what the deployment configures of it: another build, or another configuration, has done nothing.
[[nodiscard]] std::string fault_key(const std::string &digest, const module_use *use);

}  // namespace tenon::host
