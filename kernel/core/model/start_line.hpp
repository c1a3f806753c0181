// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Start line: which application of a leaf may start next where applications start one after the other. It is kept while
// an order of applications reads the column app.starts_next, so that a change of one application costs the same however
// many there are.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <map>
#include <utility>

#include "model/object_names.hpp"

namespace tenon::internal {

class start_line {
 public:
  // Files the application by its state, its submission time and what is pending, or takes it out.
  void file(application &app, bool is_there);
  // Returns the application that is Accepted, has something pending and was submitted first. Null: there is none, or
  // some application is Starting.
  [[nodiscard]] application *next() const {
    return starting_.empty() && !waiting_.empty() ? waiting_.begin()->second : nullptr;
  }

 private:
  using place = std::pair<int64_t, uint64_t>;  // submission time, then order of arrival

  std::map<place, application *> waiting_;
  boost::unordered_flat_map<const application *, place> places_;  // of those that wait
  boost::unordered_flat_set<const application *> starting_;
};

}  // namespace tenon::internal
