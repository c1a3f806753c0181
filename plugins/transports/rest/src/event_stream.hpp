// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Events as they happen: one JSON object a line, until the client goes.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "conversation.hpp"
#include "request.hpp"
#include "stream.hpp"

namespace tenon::rest {

boost::asio::awaitable<void> stream_events(hub &h, stream &client, const request &asked);

}  // namespace tenon::rest
