// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The parts of the deployment file: of each the keys that it may have, and a reader. Each reader is given the object
// that has the right shape, and refuses values that cannot work.
#pragma once

#include <span>
#include <string_view>

#include "deployment/key_reader.hpp"
#include "tenon/host/deployment.hpp"

namespace tenon::host {

// containment_keys.cpp
[[nodiscard]] const config::object_spec &containment_spec();
[[nodiscard]] containment_limits read_containment(const key_reader &given);

// isolation_keys.cpp: keys of a module's entry that say where the module lives.
[[nodiscard]] std::span<const std::string_view> isolation_words();  // in the order of isolation_mode
[[nodiscard]] const config::object_spec &process_spec();
[[nodiscard]] const config::object_spec &permissions_spec();
void read_isolation(const key_reader &entry, module_use &to);

// running_keys.cpp: objects of the top of the file about the running scheduler.
[[nodiscard]] const config::object_spec &cycle_spec();
[[nodiscard]] const config::object_spec &mailbox_spec();
[[nodiscard]] const config::object_spec &outbox_spec();
[[nodiscard]] const config::object_spec &rm_spec();
[[nodiscard]] const config::object_spec &requests_spec();
[[nodiscard]] running_limits read_running_limits(const key_reader &root);

// shadow_keys.cpp: `shadow` of a module's entry, all but its configuration.
[[nodiscard]] const config::object_spec &shadow_spec();
void read_shadow(const key_reader &given, call_shadow_use &to);

// world_shadow_keys.cpp: `shadow` of the top of the file.
[[nodiscard]] const config::object_spec &world_shadow_spec();
[[nodiscard]] world_shadow_use read_world_shadow(const key_reader &given);

}  // namespace tenon::host
