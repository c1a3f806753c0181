// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "admission.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <string>

#include "path_names.hpp"
#include "request.hpp"

namespace tenon::rest {
namespace {

namespace http = boost::beast::http;

std::string_view view_of(boost::beast::string_view s) { return {s.data(), s.size()}; }

std::optional<answer> framing_problem(const http::request_header<> &from) {
  if (from.count(http::field::host) > 1) return error_answer(400, "want one header field Host, have several");
  if (from.count(http::field::host) == 0 && from.version() >= 11) return error_answer(400, "want a header field Host");
  const size_t encodings = from.count(http::field::transfer_encoding);
  if (encodings == 0) return std::nullopt;
  if (from.version() < 11 || from.count(http::field::content_length) != 0) {
    return error_answer(400, "want Transfer-Encoding in HTTP/1.1 alone, and without Content-Length");
  }
  if (encodings > 1 || !same_without_case(view_of(from[http::field::transfer_encoding]), "chunked")) {
    return error_answer(501, "want Transfer-Encoding: chunked, or none");
  }
  return std::nullopt;
}

// Of "host:port", without the port and brackets; in lower case.
std::string name_of(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  return lower_case(host.substr(0, host.find(':')));
}

bool is_ours(const settings &s, std::string_view host) {
  const std::string name = name_of(host);
  boost::system::error_code no_address;
  boost::asio::ip::make_address(name, no_address);  // no page's name leads to it
  return !no_address || std::any_of(s.hosts.begin(), s.hosts.end(),
                                    [&](const std::string &each) { return each == "*" || each == name; });
}

bool may_send(const settings &s, std::string_view page, std::string_view host) {
  if (s.origin == "*" || page == s.origin) return true;
  const size_t scheme = page.find("://");
  return scheme != std::string_view::npos && same_without_case(page.substr(scheme + 3), host);
}

}  // namespace

std::optional<answer> header_problem(const settings &s, const http::request_header<> &from) {
  if (auto problem = framing_problem(from)) return problem;
  // What a target in absolute form names counts instead of the header field.
  const std::string_view authority = authority_of(view_of(from.target()));
  const std::string_view host = authority.empty() ? view_of(from[http::field::host]) : authority;
  const bool names_a_host = !authority.empty() || from.count(http::field::host) != 0;
  if (names_a_host && !is_ours(s, host)) {
    return error_answer(421, "want an address, or a name of the configuration's key \"hosts\", have the host " +
                                 std::string(host) + "; add it there");
  }
  const size_t pages = from.count(http::field::origin);
  if (pages > 1 || (pages == 1 && !may_send(s, view_of(from[http::field::origin]), host))) {
    return error_answer(403,
                        "want a page of this server, or the one of the configuration's key \"origin\"; a page of " +
                            std::string(view_of(from[http::field::origin])) + " may not ask");
  }
  return std::nullopt;
}

void say_who_may_read(const settings &s, http::fields &to, std::string_view methods) {
  if (s.origin.empty()) return;
  to.set(http::field::access_control_allow_origin, s.origin);
  to.set(http::field::access_control_allow_methods, methods);
  to.set(http::field::access_control_allow_headers, "X-Requested-With,Content-Type,Accept,Origin");
}

}  // namespace tenon::rest
