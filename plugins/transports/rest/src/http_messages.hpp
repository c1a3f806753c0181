// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// HTTP messages on a stream.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>

#include "stream.hpp"

namespace tenon::rest {

using request_parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
using response = boost::beast::http::response<boost::beast::http::string_body>;
using response_head = boost::beast::http::response<boost::beast::http::empty_body>;

// Reads on until the parser has the header, and then the rest. What came beyond stays in `buffer`. Problems are the
// stream's and the parser's; end_of_stream where the client left between two requests.
boost::asio::awaitable<void> read_header(stream &from, boost::beast::flat_buffer &buffer, request_parser &parser,
                                         boost::system::error_code &problem);
boost::asio::awaitable<void> read_rest(stream &from, boost::beast::flat_buffer &buffer, request_parser &parser,
                                       boost::system::error_code &problem);

// The header alone where there is no body.
boost::asio::awaitable<void> write_message(stream &to, response &message, boost::system::error_code &problem);
boost::asio::awaitable<void> write_head(stream &to, response_head &head, boost::system::error_code &problem);
// A chunk of a body of unknown length, and what ends it.
boost::asio::awaitable<void> write_chunk(stream &to, const std::string &text, boost::system::error_code &problem);
boost::asio::awaitable<void> write_last_chunk(stream &to, boost::system::error_code &problem);

}  // namespace tenon::rest
