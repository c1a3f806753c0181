// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How far a run is: a bar on a terminal, a line now and then elsewhere, nothing when it is not wanted.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace tenon::cli {

enum class progress_style : uint8_t { none, lines, bar };

// A bar where `wanted` and the error stream of the process is a terminal, else lines.
[[nodiscard]] progress_style progress_style_of(bool wanted);

class progress {
 public:
  // `unit`: what is counted, "pods".
  progress(std::ostream &err, progress_style style, std::string unit, uint64_t total);
  ~progress();
  progress(const progress &) = delete;
  progress &operator=(const progress &) = delete;

  // As many as there are to be, where that was not known at first.
  void expect(uint64_t total) { total_ = total; }
  // Shows at most a few times a second, however often it is called. `note`: what else there is to say.
  void show(uint64_t done, const std::string &note);
  // The last state, whatever the time. Nothing is shown afterwards.
  void finish(uint64_t done, const std::string &note);

 private:
  using clock = std::chrono::steady_clock;
  void draw(uint64_t done, const std::string &note);
  [[nodiscard]] std::string bar(uint64_t done) const;

  std::ostream &err_;
  progress_style style_;
  std::string unit_;
  uint64_t total_;
  clock::time_point start_ = clock::now();
  clock::time_point next_;
  size_t drawn_ = 0;  // characters on the line of the bar
};

}  // namespace tenon::cli
