// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Writes a journal: what a kernel was told, with the outside answers that it used.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tenon/kernel/journal.hpp"

namespace tenon::service {

class recorder {
 public:
  using byte_sink = std::function<void(std::string_view bytes)>;

  // An empty sink: nothing is written. `origin` says who writes.
  recorder(byte_sink sink, std::string_view origin) : sink_(std::move(sink)) {
    if (sink_) write(journal_header(origin));
  }

  // After the command was applied; `answers` are the kernel's.
  void record(int64_t now_ms, const command &c, std::span<const step_answer> answers) {
    if (!sink_) return;
    entry_.clear();
    append_entry(entry_, now_ms, c, answers);
    write(entry_);
  }

  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  void write(std::string_view bytes) {
    sink_(bytes);
    bytes_ += bytes.size();
  }

  byte_sink sink_;
  std::string entry_;
  uint64_t bytes_ = 0;
};

}  // namespace tenon::service
