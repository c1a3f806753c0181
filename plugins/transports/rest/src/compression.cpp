// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "compression.hpp"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>

#include "path_names.hpp"

namespace tenon::rest {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

bool is_zero(std::string_view q) { return !q.empty() && q.find_first_not_of("0.") == std::string_view::npos; }

}  // namespace

bool takes_gzip(std::string_view accept) {
  while (!accept.empty()) {
    const std::string_view one = accept.substr(0, accept.find(','));
    accept.remove_prefix(std::min(one.size() + 1, accept.size()));
    const size_t semicolon = one.find(';');
    if (lower_case(trimmed(one.substr(0, semicolon))) != "gzip") continue;
    if (semicolon == std::string_view::npos) return true;
    const std::string_view weight = trimmed(one.substr(semicolon + 1));
    return !(weight.starts_with("q=") && is_zero(trimmed(weight.substr(2))));
  }
  return false;
}

std::string gzip(std::string_view text) {
  z_stream z{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib cannot start");
  }
  std::string out(deflateBound(&z, text.size()), '\0');
  z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef *>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const int end = deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  if (end != Z_STREAM_END) throw std::runtime_error("zlib did not finish");
  return out;
}

}  // namespace tenon::rest
