// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A record of the event service as the interface writes it.
#pragma once

#include <boost/json.hpp>

#include "tenon/abi/event_sink.h"

namespace tenon::rest {

[[nodiscard]] boost::json::object event_json(const tenon_event_record &r);

}  // namespace tenon::rest
