// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a process has that must not become more: threads, open files, memory.
#pragma once

#include <cstddef>
#include <functional>

namespace tenon::conformance {

[[nodiscard]] size_t threads_now();
[[nodiscard]] size_t open_files();

// Threads that end are counted for a moment longer: waits for at most so many to be left, and says how many are.
[[nodiscard]] size_t threads_left(size_t wanted);

// Repeats in windows, and fails where memory never shrinks and grows by a block or more each time on the whole: what
// doubles its room grows in few of them.
void no_growth(const char *what, int rounds, const std::function<void()> &round);

}  // namespace tenon::conformance
