// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rm_bounds.hpp"

#include <algorithm>

namespace tenon::service {
namespace {

struct bound {
  const char *what;  // it bounds; plural
  const char *key;
  const char *fix;
  uint64_t kept_amounts::*kept;
  uint64_t host::running_limits::*most;
};
constexpr std::array<bound, rm_bound_count> bounds{{
    {"applications", "rm.max_applications", "end some", &kept_amounts::applications,
     &host::running_limits::max_applications},
    {"asks", "rm.max_asks", "withdraw asks, or end allocations", &kept_amounts::asks, &host::running_limits::max_asks},
    {"nodes", "rm.max_nodes", "remove some", &kept_amounts::nodes, &host::running_limits::max_nodes},
    {"bytes", "rm.max_bytes", "withdraw asks, or give them fewer and shorter tags", &kept_amounts::bytes,
     &host::running_limits::max_bytes},
}};

// What is no more than before is never beyond.
bool is_beyond(const bound &b, const kept_amounts &kept, const kept_amounts &more, const host::running_limits &limits) {
  return more.*b.kept != 0 && kept.*b.kept + more.*b.kept > limits.*b.most;
}

}  // namespace

bool rm_bounds::has_room(const kept_amounts &kept, const kept_amounts &more, const host::running_limits &limits) {
  return std::none_of(bounds.begin(), bounds.end(), [&](const bound &b) { return is_beyond(b, kept, more, limits); });
}

std::string rm_bounds::refuse(const kept_amounts &kept, const kept_amounts &more, const host::running_limits &limits) {
  for (size_t i = 0; i < bounds.size(); ++i) {
    const bound &b = bounds[i];
    if (!is_beyond(b, kept, more, limits)) continue;
    tally &t = tallies_[i];
    news_ = t.refused == 0 || kept.*b.kept + t.wanted <= limits.*b.most;
    ++t.refused;
    t.wanted = more.*b.kept;
    return "want at most " + std::to_string(limits.*b.most) + " " + b.what + " of one resource manager, have " +
           std::to_string(kept.*b.kept) + " and " + std::to_string(more.*b.kept) + " more with this; " + b.fix +
           ", or raise " + b.key;
  }
  return {};
}

std::vector<rm_bound> rm_bounds::all(const kept_amounts &kept, const host::running_limits &limits) const {
  std::vector<rm_bound> out;
  for (size_t i = 0; i < bounds.size(); ++i) {
    const tally &t = tallies_[i];
    const uint64_t has = kept.*bounds[i].kept, most = limits.*bounds[i].most;
    out.push_back({bounds[i].what, has, most, t.refused, t.refused != 0 && has + t.wanted > most});
  }
  return out;
}

}  // namespace tenon::service
