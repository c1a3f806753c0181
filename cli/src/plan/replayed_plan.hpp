// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a configuration would have changed in the last hours of a recording: the load of a journal, left alone, as it
// was configured and with the new one in its place.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/figures.hpp"
#include "diff/left_alone.hpp"
#include "diff/verdict.hpp"
#include "tenon/kernel/policies.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

struct replay_wish {
  std::optional<double> hours;  // the last ones; nothing: all of it
  std::string rm;               // whose configuration it is; empty: of all
  std::vector<threshold> thresholds = {};
};

// An ask whose first allocation the new configuration costs.
struct never_placed {
  std::string ask;  // "application/key"
  std::string queue;
};

struct replayed_side {
  window_figures figures;
  uint64_t rejected = 0;  // asks that were refused, in the whole recording
};

struct replayed_plan {
  int64_t from_ms = 0, to_ms = 0;
  bool is_whole = true;
  std::string refused;              // why the reload would have been refused then; empty: it would not
  replayed_side now, then;          // as it was configured, and with the new configuration
  std::vector<never_placed> never;  // asks that were placed, and then are not
  // None is kept where the reload would have been refused then.
  std::vector<checked_threshold> thresholds;
};

[[nodiscard]] result<replayed_plan> replay_plan(std::string_view journal, const cluster_config &config,
                                                const replay_wish &wish, policy_source &policies);

void print(std::ostream &out, const replayed_plan &of);
[[nodiscard]] boost::json::object json_of(const replayed_plan &of);

}  // namespace tenon::cli
