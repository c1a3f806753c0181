// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The table of routes: method, path, handler, and what the OpenAPI document says of each.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "answer.hpp"
#include "request.hpp"
#include "service_guards.hpp"

namespace tenon::rest {

// What a handler works with.
struct context {
  const services &use;
  const request &asked;
};
using handler = answer (*)(const context &);

struct query_parameter {
  std::string_view name;
  std::string_view type;  // "integer", "string" or "boolean"
  std::string_view meaning;
};

enum class access : uint8_t {
  read,    // anybody, or anybody with a token where the configuration says so
  change,  // with a token
};

struct route {
  std::string_view method;
  std::string_view path;     // segments that start with ':' are parameters
  handler handle = nullptr;  // null: the connection itself answers, /ws/v1/events/stream
  std::string_view summary;
  std::string_view shape;  // of the answer; empty: no JSON
  bool list = false;       // the answer is a list of that shape
  access needs = access::read;
  std::span<const query_parameter> query = {};
  std::string_view body = {};  // what a body is; empty: none
};

[[nodiscard]] std::span<const route> all_routes();

// What the table says of a request: its route with the parameters, or the answer that it gets instead.
struct match {
  const route *found = nullptr;
  std::optional<answer> instead;
};
[[nodiscard]] match find_route(request &r);

// The answer for a path that no route has: below the first segment of a route it names the nearest one.
[[nodiscard]] answer not_found(std::string_view path);

// The methods of a path, as of "Allow"; empty: there is no such path.
[[nodiscard]] std::string methods_of(std::string_view path);

// The OpenAPI 3.0 document of the table.
[[nodiscard]] boost::json::object openapi();

}  // namespace tenon::rest
