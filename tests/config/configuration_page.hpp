// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// docs/configuration.md, made from the tables of queues.yaml.
#pragma once

#include <string>

namespace tenon::config {

[[nodiscard]] std::string configuration_page();

}  // namespace tenon::config
