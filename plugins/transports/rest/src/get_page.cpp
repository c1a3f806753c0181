// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "handlers.hpp"
#include "page.hpp"
#include "tenon/transports/sha256.hpp"

namespace tenon::rest {
namespace {

// Weak: the same whether compressed or not.
std::string tag_of(std::string_view text) { return "W/\"" + transports::sha256_hex(text).substr(0, 16) + "\""; }

answer page_answer(std::string_view name) {
  const std::string_view text = page_file(name);
  if (text.empty())
    return error_answer(404, "there is no file of this name", "GET / is the dashboard, which names its files");
  std::string type = "text/html; charset=utf-8";
  if (name.ends_with(".js")) type = "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) type = "text/css; charset=utf-8";
  answer out{200, std::move(type), std::string(text), {}};
  out.headers.emplace_back("Content-Security-Policy",
                           "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
                           "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  out.headers.emplace_back("Cache-Control", "no-cache");  // kept, and asked about each time
  out.headers.emplace_back("ETag", tag_of(text));
  return out;
}

}  // namespace

answer get_page(const context &) { return page_answer("index.html"); }
answer get_page_file(const context &c) { return page_answer(c.asked.parameter("file")); }

}  // namespace tenon::rest
