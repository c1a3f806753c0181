// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A load of which one half is tuned on and the other one reported on, and how a configuration fares there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "run/run_policies.hpp"
#include "tenon/kernel/refusal.hpp"
#include "tune/front.hpp"
#include "tune/measures.hpp"

namespace tenon::cli {

// The half that is reported on, or that which is tuned on, halved again so often.
struct load_part {
  bool reported = false;
  unsigned halved = 0;
};

// What a run of a part says.
struct trial_answer {
  measured_point values;
  std::vector<size_t> unknown;  // measures of a queue or type that this run does not have
  uint64_t calls = 0;           // of the module
};

class trials {
 public:
  virtual ~trials() = default;

  [[nodiscard]] virtual std::vector<measure_words> measures() const = 0;
  [[nodiscard]] virtual std::string words_for(load_part part) const = 0;  // "seeds 42 to 46"
  [[nodiscard]] virtual unsigned most_halved() const = 0;
  // Of a part, the names of its runs; the mean of all is what counts. Equal names are equal runs, in whichever part.
  [[nodiscard]] virtual std::vector<std::string> runs_of(load_part part) const = 0;
  // In a process of its own.
  [[nodiscard]] virtual result<trial_answer> play(load_part part, size_t run, const std::string &module,
                                                  const module_settings &settings) const = 0;
};

// Of those that a host counted.
[[nodiscard]] uint64_t calls_of(const opened_policies &policies, const std::string &module);

}  // namespace tenon::cli
