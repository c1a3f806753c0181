// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One request, taken apart: path parameters, query, body and who sent it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::rest {

// Who a request comes from: of its token, or nobody in particular.
struct identity {
  std::string user = "anonymous";
  std::vector<std::string> groups;
  bool known = false;  // by a token
  bool all = false;    // may do anything
};

struct request {
  std::string method, path;
  std::string raw_query;                                        // as it was sent: "?" and what follows, or empty
  std::vector<std::pair<std::string, std::string>> parameters;  // of the path, decoded
  std::vector<std::pair<std::string, std::string>> query;       // decoded, in order
  std::string body;
  std::string accept, accept_encoding, host;
  std::string address;  // of the client
  identity from;

  // A path parameter; the route has it.
  [[nodiscard]] const std::string &parameter(std::string_view name) const;
  // The first value of a query parameter.
  [[nodiscard]] std::optional<std::string_view> asked(std::string_view name) const;
  // A number of the query; throws refused where it is none, or not in [least, most].
  [[nodiscard]] std::optional<uint64_t> number(std::string_view name, uint64_t least, uint64_t most) const;
};

// Text with %XX decoded, and + as a blank where `plus`; nothing where an escape is broken or makes no UTF-8.
[[nodiscard]] std::optional<std::string> decoded(std::string_view text, bool plus);

// The authority of a target in absolute form, as http://AUTHORITY/path; empty where the target is a path.
[[nodiscard]] std::string_view authority_of(std::string_view target);
// Splits a request's target, a path or in absolute form, into path and query. False: an escape is broken.
[[nodiscard]] bool split_target(std::string_view target, request &into);

}  // namespace tenon::rest
