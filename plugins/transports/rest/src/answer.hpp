// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What one request gets: a status, a type and a body, or an error in the interface's form.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::rest {

inline constexpr std::string_view json_type = "application/json; charset=UTF-8";
inline constexpr std::string_view text_type = "text/plain; charset=utf-8";

struct answer {
  unsigned status = 200;
  std::string type{json_type};
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

[[nodiscard]] inline answer json_answer(const boost::json::value &v) {
  return {200, std::string(json_type), serialize(v), {}};
}

// {"status_code":404,"message":"Queue not found","description":"Queue not found; did you mean 'root.a'?"}. The message
// is YuniKorn's where it has one; the description has also what a client can do.
[[nodiscard]] inline answer error_answer(unsigned status, std::string_view message, std::string_view fix = {}) {
  std::string description(message);
  if (!fix.empty() && description.ends_with('.')) description.pop_back();
  if (!fix.empty()) description += "; " + std::string(fix);
  const boost::json::object body{{"status_code", status}, {"message", message}, {"description", description}};
  return {status, std::string(json_type), boost::json::serialize(body), {}};
}

// Thrown by handlers, and what the client gets then.
struct refused {
  unsigned status;
  std::string message;
  std::string fix = {};  // what the client can do
};

}  // namespace tenon::rest
