// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Runs a check in a process of its own, with a limit that nothing in it can escape.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tenon::conformance {

// Memory that a check shares with whoever waits for it: its verdict, and what it was doing when it ended.
class shared_page {
 public:
  enum verdict : uint32_t { none, passed, failed, skipped };

  static shared_page *make();
  static void free(shared_page *page);

  void step(std::string_view what) { put(step_, what); }
  // First what count: those of the fault handler come before those of the death that follows.
  void note(std::string_view what) {
    if (note_[0] == '\0') put(note_, what);
  }
  void finish(verdict how, std::string_view text) {
    put(text_, text);
    verdict_.store(how);
  }

  [[nodiscard]] verdict how() const { return static_cast<verdict>(verdict_.load()); }
  [[nodiscard]] std::string_view step() const { return step_.data(); }
  [[nodiscard]] std::string_view note() const { return note_.data(); }
  [[nodiscard]] std::string_view text() const { return text_.data(); }

 private:
  template <size_t N>
  static void put(std::array<char, N> &to, std::string_view from) {
    const size_t length = from.size() < N ? from.size() : N - 1;
    for (size_t i = 0; i < length; ++i) to[i] = from[i];
    to[length] = '\0';
  }

  std::atomic<uint32_t> verdict_{none};
  std::array<char, 256> step_{};
  std::array<char, 512> note_{};
  std::array<char, 3072> text_{};
};

struct sandbox_outcome {
  enum class end : uint8_t { verdict, exited, killed, timed_out, not_started } how = end::not_started;
  int code = 0;        // exit status, signal, or errno of the start
  std::string output;  // the last of what it wrote to standard output and error
};

// Runs `body` in a child of a child. The one between kills everything that descends from it, whatever process group
// or session that is in, once the body ended or the limit is over.
sandbox_outcome run_in_sandbox(shared_page &page, std::chrono::milliseconds limit, const std::function<void()> &body);

}  // namespace tenon::conformance
