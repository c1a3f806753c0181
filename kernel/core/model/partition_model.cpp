// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/partition_model.hpp"

#include <algorithm>

namespace tenon::internal {

std::vector<application *> application_table::by_submission() const {
  std::vector<application *> out;
  for (const auto &[app_id, app] : active) out.push_back(app);  // any order: sorted next
  std::sort(out.begin(), out.end(), [](const auto *x, const auto *y) { return x->submission < y->submission; });
  return out;
}

amount_map configured_values(const resources &r, const resource_types &types) {
  amount_map out;
  for_each_type(r, [&](type_index t, int64_t amount) { out[std::string(types.name(t))] = amount; });
  return out;
}

std::vector<ask *> pending_by_arrival(const application &app) {
  std::vector<ask *> out;
  for (ask *a : app.asks) {  // any order: sorted next
    if (a->state == ask_state::pending) out.push_back(a);
  }
  std::sort(out.begin(), out.end(), [](const ask *x, const ask *y) { return x->arrival < y->arrival; });
  return out;
}

std::vector<allocation *> by_sequence(std::vector<allocation *> list) {
  std::sort(list.begin(), list.end(),
            [](const allocation *x, const allocation *y) { return x->sequence < y->sequence; });
  return list;
}

std::vector<allocation *> all_of(const sequence_list<allocation> &list) {
  std::vector<allocation *> out;
  out.reserve(list.size());
  out.insert(out.end(), list.begin(), list.end());
  return out;
}

}  // namespace tenon::internal
