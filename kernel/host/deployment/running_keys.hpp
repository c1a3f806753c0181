// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Keys of the deployment file about the running scheduler.
#pragma once

#include <span>

#include "tenon/config/shape.hpp"
#include "tenon/host/running_limits.hpp"

namespace tenon::host {

// cycle, mailbox, outbox, rm, requests: each an object of the deployment file.
[[nodiscard]] const config::object_spec &cycle_spec();
[[nodiscard]] const config::object_spec &mailbox_spec();
[[nodiscard]] const config::object_spec &outbox_spec();
[[nodiscard]] const config::object_spec &rm_spec();
[[nodiscard]] const config::object_spec &requests_spec();

// `root` has the right shape. Refuses numbers that cannot work.
[[nodiscard]] running_limits read_running_limits(const config::yaml_node &root, config::problems &report);

}  // namespace tenon::host
