// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records of what happened, as the control socket gives them.
#pragma once

#include <atomic>
#include <boost/json/object.hpp>

#include "tenon/events/event_hub.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// The request's filters choose; without `first_id` the last ones are given, with it those from there on. Where
// none fits and `given_up` is there, it waits for one, `wait_ms` of the request at most. Throws where a field has not
// the type that it should have.
[[nodiscard]] result<boost::json::object> events_json(events::event_hub &hub, boost::json::object request,
                                                      const std::atomic<bool> *given_up);

}  // namespace tenon::cli
