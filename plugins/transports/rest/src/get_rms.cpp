// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Resource managers: whether they are there, and what of theirs waits.
#include "handlers.hpp"
#include "views.hpp"

namespace tenon::rest {

namespace json = boost::json;

answer get_rms(const context &c) {
  const snapshot all(c.use, 0);
  json::array out;
  for (const auto &rm : listed<tenon_view_rm>(all->rms)) {
    object_writer one;
    one.always("rm", view(rm.id));
    one.put("state", rm.state);
    one.always("connected", rm.connected != 0);
    one.put("held", rm.held != 0);
    one.put("throttled", rm.throttled != 0);
    one.put("since", nanoseconds(rm.since_ms));
    one.put("registered", nanoseconds(rm.registered_ms));
    one.put("version", rm.version);
    one.put("policyGroup", rm.policy_group);
    one.put("build", rm.build);
    json::array partitions;
    for (const auto &p : listed<tenon_view_partition>(all->partitions)) {
      if (view(p.rm) == view(rm.id)) partitions.emplace_back(view(p.name));
    }
    one.put("partitions", std::move(partitions));
    one.always("waitingRequests", rm.waiting_requests);
    one.always("waitingAnswers", rm.waiting_answers);
    one.always("retries", rm.retries);
    out.push_back(one.take());
  }
  return json_answer(out);
}

}  // namespace tenon::rest
