// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "http_messages.hpp"

#include <boost/beast/core/buffer_traits.hpp>
#include <boost/beast/core/read_size.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/serializer.hpp>

namespace tenon::rest {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::awaitable;
using error_code = boost::system::error_code;

constexpr size_t most_at_once = 65'536;

// Gives the parser what is there. True: it wants more.
bool parse(beast::flat_buffer &buffer, request_parser &parser, error_code &problem) {
  problem = {};
  if (buffer.size() == 0) return true;
  buffer.consume(parser.put(buffer.data(), problem));
  if (problem != http::error::need_more) return false;
  problem = {};
  return true;
}

awaitable<void> read_more(stream &from, beast::flat_buffer &buffer, request_parser &parser, error_code &problem) {
  const asio::mutable_buffer space = buffer.prepare(beast::read_size(buffer, most_at_once));
  buffer.commit(co_await from.read(space, problem));
  if (problem != asio::error::eof) co_return;
  problem = http::error::end_of_stream;
  if (parser.got_some()) parser.put_eof(problem);
}

template <class Buffers>
stream::buffers parts_of(const Buffers &sequence) {
  return {asio::buffer_sequence_begin(sequence), asio::buffer_sequence_end(sequence)};
}

// Writes the next part of a message.
template <class Serializer>
awaitable<void> write_next(stream &to, Serializer &writer, error_code &problem) {
  stream::buffers parts;
  writer.next(problem, [&parts](error_code & /*problem*/, const auto &bytes) { parts = parts_of(bytes); });
  if (problem) co_return;
  co_await to.write(parts, problem);
  if (!problem) writer.consume(beast::buffer_bytes(parts));
}

}  // namespace

awaitable<void> read_header(stream &from, beast::flat_buffer &buffer, request_parser &parser, error_code &problem) {
  parser.eager(false);
  problem = {};
  while (!problem && !parser.is_header_done()) {
    if (parse(buffer, parser, problem)) co_await read_more(from, buffer, parser, problem);
  }
}

awaitable<void> read_rest(stream &from, beast::flat_buffer &buffer, request_parser &parser, error_code &problem) {
  parser.eager(true);
  problem = {};
  while (!problem && !parser.is_done()) {
    if (parse(buffer, parser, problem)) co_await read_more(from, buffer, parser, problem);
  }
}

awaitable<void> write_message(stream &to, response &message, error_code &problem) {
  http::response_serializer<http::string_body> writer(message);
  const bool head_only = message.body().empty();
  writer.split(head_only);
  problem = {};
  while (!problem && !(head_only ? writer.is_header_done() : writer.is_done())) {
    co_await write_next(to, writer, problem);
  }
}

awaitable<void> write_head(stream &to, response_head &head, error_code &problem) {
  http::response_serializer<http::empty_body> writer(head);
  writer.split(true);
  problem = {};
  while (!problem && !writer.is_header_done()) co_await write_next(to, writer, problem);
}

awaitable<void> write_chunk(stream &to, const std::string &text, error_code &problem) {
  const auto chunk = http::make_chunk(asio::buffer(text));
  const stream::buffers parts = parts_of(chunk);
  co_await to.write(parts, problem);
}

awaitable<void> write_last_chunk(stream &to, error_code &problem) {
  const auto last = http::make_chunk_last();
  const stream::buffers parts = parts_of(last);
  co_await to.write(parts, problem);
}

}  // namespace tenon::rest
