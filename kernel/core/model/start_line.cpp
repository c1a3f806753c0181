// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/start_line.hpp"

#include "model/objects.hpp"

namespace tenon::internal {

void start_line::file(application &app, bool is_there) {
  if (const auto filed = places_.find(&app); filed != places_.end()) {
    waiting_.erase(filed->second);
    places_.erase(filed);
  }
  starting_.erase(&app);
  if (!is_there) return;
  if (app.state == application_state::starting) starting_.insert(&app);
  if (app.state != application_state::accepted) return;
  bool asks = false;
  for_each_type(app.pending, [&](type_index, int64_t amount) { asks |= amount > 0; });
  if (!asks) return;
  const place at{app.submitted_ms, app.submission};
  waiting_.emplace(at, &app);
  places_.emplace(&app, at);
}

}  // namespace tenon::internal
