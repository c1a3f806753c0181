// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Tries the points of a space, and says which of them are on the front and what becomes of these on the other half.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tune/front.hpp"
#include "tune/space.hpp"
#include "tune/trials.hpp"

namespace tenon::cli {

struct tune_plan {
  std::string module;
  const search_space *space = nullptr;
  bool halving = false;
  size_t at_once = 0;  // 0: as many runs as there are processors
  // Runs that have ended, and how many there are to be by now.
  std::function<void(size_t ended, size_t all)> listen = {};
};

struct tried_point {
  std::optional<size_t> point;  // nothing: the usual configuration
  unsigned halved = 0;          // of the part that it was last played on
  measured_point tuned;         // on that part
};

struct front_point {
  size_t tried = 0;             // index
  std::vector<size_t> as_good;  // others whose measures are the same, of those that were tried
  measured_point reported;
  bool better = false;  // there, than the usual configuration
};

struct tune_outcome {
  std::vector<tried_point> tried;  // the usual configuration first, then the points in their order
  std::vector<front_point> front;  // the best first; of those with equal measures the first one tried
  measured_point usual_reported;
  size_t runs = 0;

  // The first of the front that is better; nothing: none is.
  [[nodiscard]] const front_point *found() const;
};

class tuner {
 public:
  tuner(const trials &on, const tune_plan &plan);

  // Refused where the module is not asked, a measure is none of this load, or a run is refused.
  [[nodiscard]] result<tune_outcome> run();

 private:
  [[nodiscard]] std::optional<refusal> evaluate(const std::vector<size_t> &tried, load_part part,
                                                std::vector<measured_point> &into);
  [[nodiscard]] std::optional<refusal> play_missing(const std::vector<size_t> &tried, load_part part);
  [[nodiscard]] std::optional<refusal> search();
  [[nodiscard]] std::optional<refusal> report_front();
  [[nodiscard]] std::optional<refusal> check_usual() const;
  [[nodiscard]] module_settings settings_of(const tried_point &of) const;

  const trials &on_;
  const tune_plan &plan_;
  const std::vector<measure_words> measures_;
  const better_way by_;
  tune_outcome out_;
  std::map<std::pair<size_t, std::string>, trial_answer> played_;  // by index of what is tried, and name of the run
};

}  // namespace tenon::cli
