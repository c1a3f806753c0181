// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "what_if_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tenon::observe {
namespace {

// "250ms", "30s"
std::string time_text(int64_t ms) {
  return ms % 1'000 == 0 ? std::to_string(ms / 1'000) + "s" : std::to_string(ms) + "ms";
}

std::string when(int64_t after_ms) { return after_ms == 0 ? "at once" : "after " + time_text(after_ms); }

// Those that are alike, one after the other, in one entry.
std::string places_of(const std::vector<placed_if> &placed) {
  std::string out;
  for (size_t i = 0; i < placed.size();) {
    size_t same = i;
    while (same < placed.size() && placed[same] == placed[i]) ++same;
    const placed_if &one = placed[i];
    out += "    " + one.node + (same - i > 1 ? " (" + std::to_string(same - i) + " of them)" : "") +
           (one.devices.empty() ? "" : " with " + one.devices) + ", " + when(one.after_ms) + '\n';
    i = same;
  }
  return out;
}

std::string victims_of(const std::vector<evicted_if> &victims) {
  std::string out;
  for (const evicted_if &one : victims) {
    out += "    evicts " + one.application + "/" + one.key + " of " + one.queue + " on " + one.node + ", " +
           when(one.after_ms) + '\n';
  }
  return out;
}

std::string indented(std::string_view text) {
  std::string out;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    out += "    " + std::string(text.substr(from, end - from)) + '\n';
    from = end + 1;
  }
  return out;
}

std::string headline(const ask_answer &one, const what_if_answer &of) {
  const std::string some = std::to_string(one.placed.size()) + " of " + std::to_string(one.count) + " placed";
  const std::string nobody = one.victims.empty() ? "" : ", " + std::to_string(one.victims.size()) + " evicted";
  switch (one.what) {
    case what_if_outcome::placed:
    case what_if_outcome::evicts:
      return some + nobody;
    case what_if_outcome::waits:
      return some + nobody + ", the rest waits" + (of.passed_ms == 0 ? "" : " still after " + time_text(of.passed_ms));
    case what_if_outcome::refused:
      return "refused";
    case what_if_outcome::undecided:
      break;
  }
  return some + nobody + "; undecided, for too much happens before";
}

}  // namespace

std::string in_words(const what_if_answer &of) {
  std::string out;
  for (const ask_answer &one : of.asks) {
    out += one.application + "/" + one.key + (one.queue.empty() ? "" : " in " + one.queue) + ": " + headline(one, of) +
           '\n';
    if (!one.message.empty()) out += indented(one.message);
    out += victims_of(one.victims) + places_of(one.placed);
    if (one.why) out += indented(one.why->text);
  }
  const bool placed =
      std::any_of(of.asks.begin(), of.asks.end(), [](const ask_answer &one) { return !one.placed.empty(); });
  if (placed && of.checks) out += "Each placement is subject to the check of its resource manager.\n";
  return out;
}

}  // namespace tenon::observe
