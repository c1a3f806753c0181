// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The load of a recording, in halves of the time in which it asks. docs/tune.md says how each is played and measured.
#pragma once

#include <string>
#include <vector>

#include "diff/figures.hpp"
#include "diff/left_alone.hpp"
#include "diff/named_figure.hpp"
#include "tune/trials.hpp"

namespace tenon::cli {

class journal_trials final : public trials {
 public:
  // Refused where the recording has no time in which asks come. `policies` without settings.
  [[nodiscard]] static result<journal_trials> make(recorded_load what, const std::vector<std::string> &measures,
                                                   side_configuration how, policy_choice policies,
                                                   engine_factory make_engine);

  [[nodiscard]] std::vector<measure_words> measures() const override;
  [[nodiscard]] std::string words_for(load_part part) const override;
  [[nodiscard]] unsigned most_halved() const override { return 3; }
  [[nodiscard]] std::vector<std::string> runs_of(load_part part) const override;
  [[nodiscard]] result<trial_answer> play(load_part part, size_t run, const std::string &module,
                                          const module_settings &settings) const override;

 private:
  struct plan {
    recorded_load what;
    std::vector<std::string> names;  // of the figures
    std::vector<named_figure> figures;
    side_configuration how;
    policy_choice policies;
    engine_factory make_engine;
  };
  explicit journal_trials(plan of) : of_(std::move(of)) {}

  [[nodiscard]] int64_t begin_of(load_part part) const;
  [[nodiscard]] int64_t end_of(load_part part) const;

  plan of_;
  int64_t middle_ms_ = 0;
  measure by_;  // but for its times
};

}  // namespace tenon::cli
