// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the daemon and `tenon ctl` agree upon: docs/control-socket.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tenon::cli {

inline constexpr int control_version = 1;
inline constexpr size_t most_control_clients = 64;
inline constexpr size_t most_control_waits = 8;  // requests that wait for events at once; others do not wait
inline constexpr size_t most_request_bytes = size_t{8} << 20;    // of one line
inline constexpr size_t usual_request_bytes = size_t{64} << 10;  // for so much there is room at any time
inline constexpr size_t most_answer_bytes = size_t{64} << 20;
inline constexpr size_t most_saved_bytes = size_t{47} << 20;  // of a state, whose answer has four thirds of that
inline constexpr std::chrono::seconds answer_deadline{10};    // for a client to take an answer
inline constexpr std::chrono::minutes idle_deadline{5};       // for a client to say something

// Where a daemon listens unless told: below $XDG_RUNTIME_DIR, or below /run where that is not set.
[[nodiscard]] std::filesystem::path default_control_socket();
// Where one may listen: the user's own first, then the system's.
[[nodiscard]] std::vector<std::filesystem::path> usual_control_sockets();

}  // namespace tenon::cli
