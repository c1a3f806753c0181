// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a daemon would refuse of a deployment, for the commands that only check. Nothing is started or made, and a
// daemon that runs keeps what it has.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "tenon/kernel/refusal.hpp"

namespace tenon::host {
struct deployment;
class module_host;
}  // namespace tenon::host

namespace tenon::service {
class scheduler;
}

namespace tenon::cli {

// Where the daemon itself has files: what the deployment names, or what is usual.
[[nodiscard]] std::filesystem::path records_path(
    const host::deployment &plan);  // of modules' faults; empty: none are kept
[[nodiscard]] std::filesystem::path audit_path(const host::deployment &plan);  // empty: none is written
// `instead`: of what the deployment names, unless it is empty.
[[nodiscard]] std::filesystem::path control_path(const host::deployment &plan,
                                                 const std::filesystem::path &instead = {});

[[nodiscard]] std::optional<refusal> refusal_of_paths(const host::deployment &plan,
                                                      const std::filesystem::path &control = {});

// Of what is made when a resource manager registers: the policies that its queues name.
[[nodiscard]] std::optional<refusal> refusal_of_registering(service::scheduler &scheduler);

// Of what is opened when the modules are, its queues and paths.
[[nodiscard]] std::optional<refusal> refusal_of_a_daemon(const host::deployment &plan,
                                                         std::unique_ptr<host::module_host> modules);

}  // namespace tenon::cli
