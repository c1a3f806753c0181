// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Events as they happen: one JSON object a line, until the client goes.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl.hpp>

#include "conversation.hpp"
#include "request.hpp"

namespace tenon::rest {

boost::asio::awaitable<void> stream_events(hub &h, boost::beast::tcp_stream &stream, const request &asked);
boost::asio::awaitable<void> stream_events(hub &h, boost::beast::ssl_stream<boost::beast::tcp_stream> &stream,
                                           const request &asked);

}  // namespace tenon::rest
