// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <utility>

namespace tenon::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto bar_interval = 100ms;
constexpr auto line_interval = 5s;
constexpr uint64_t bar_cells = 30;

}  // namespace

progress_style progress_style_of(bool wanted) {
  if (!wanted) return progress_style::none;
  return isatty(STDERR_FILENO) != 0 ? progress_style::bar : progress_style::lines;
}

progress::progress(std::ostream &err, progress_style style, std::string unit, uint64_t total)
    : err_(err),
      style_(style),
      unit_(std::move(unit)),
      total_(total),
      next_(start_ + (style == progress_style::bar ? clock::duration(bar_interval) : clock::duration(line_interval))) {}

progress::~progress() {
  // A run that was left early leaves no half line behind.
  if (drawn_ > 0) err_ << '\n' << std::flush;
}

void progress::show(uint64_t done, const std::string &note) {
  if (style_ == progress_style::none || clock::now() < next_) return;
  draw(done, note);
}

void progress::finish(uint64_t done, const std::string &note) {
  if (style_ != progress_style::none) draw(done, note);
  if (drawn_ > 0) err_ << '\n' << std::flush;
  drawn_ = 0;
  style_ = progress_style::none;
}

void progress::draw(uint64_t done, const std::string &note) {
  const auto now = clock::now();
  const std::chrono::duration<double> passed = now - start_;
  const std::string text = fmt::format("{}/{} {}, {}, {:.1f} s", done, total_, unit_, note, passed.count());
  if (style_ == progress_style::lines) {
    next_ = now + line_interval;
    err_ << "tenon: " << text << '\n' << std::flush;
    return;
  }
  next_ = now + bar_interval;
  const std::string line = bar(done) + " " + text;
  const size_t blanks = drawn_ > line.size() ? drawn_ - line.size() : 0;
  err_ << '\r' << line << std::string(blanks, ' ') << std::flush;
  drawn_ = line.size();
}

std::string progress::bar(uint64_t done) const {
  const uint64_t full = total_ == 0 ? bar_cells : std::min(bar_cells, done * bar_cells / total_);
  return "[" + std::string(full, '#') + std::string(bar_cells - full, '.') + "]";
}

}  // namespace tenon::cli
