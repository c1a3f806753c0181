// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records of what happened, as the control socket gives them.
#pragma once

#include <boost/json/object.hpp>

#include "tenon/events/event_hub.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// The request's filters choose; without `first_id` the last ones are given, with it those from there on. Throws where
// a field has not the type that it should have.
[[nodiscard]] result<boost::json::object> events_json(events::event_hub &hub, const boost::json::object &request);

}  // namespace tenon::cli
