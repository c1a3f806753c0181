// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "headers.hpp"

#include <utility>

#include "connection_limits.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr size_t added_for_each_field = 32;  // what HTTP/2 adds for each field

// As gRPC wants grpc-message: bytes that are not printable ASCII, and the percent sign, in hexadecimal digits.
std::string escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte >= 0x20 && byte < 0x7f && each != '%') {
      out += each;
      continue;
    }
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

}  // namespace

bool request_head::add(std::string_view name, std::string_view value) {
  size += name.size() + value.size() + added_for_each_field;
  if (size > max_header_bytes) return false;
  for (const auto &[known, to] : {std::pair<std::string_view, std::string *>{":path", &path},
                                  {":method", &method},
                                  {"content-type", &content_type},
                                  {"grpc-encoding", &encoding},
                                  {"authorization", &authorization}}) {
    if (name == known) *to = value;
  }
  return true;
}

int request_head::http_status() const {
  constexpr std::string_view ours = "application/grpc";
  if (method != "POST") return 405;
  const bool is_ours =
      content_type.starts_with(ours) &&
      (content_type.size() == ours.size() || content_type[ours.size()] == '+' || content_type[ours.size()] == ';');
  return is_ours ? 200 : 415;
}

void answer_fields::add(std::string name, std::string value) { texts_.emplace_back(std::move(name), std::move(value)); }

void answer_fields::begin(int http_status) {
  add(":status", std::to_string(http_status));
  if (http_status != 200) return;
  add("content-type", "application/grpc");
  add("grpc-accept-encoding", "identity,deflate,gzip");
}

void answer_fields::end(const rpc_status &how) {
  add("grpc-status", std::to_string(static_cast<int>(how.code)));
  if (!how.message.empty()) add("grpc-message", escaped(how.message));
}

const nghttp2_nv *answer_fields::data() {
  views_.clear();
  const auto bytes = [](std::string &of) { return reinterpret_cast<uint8_t *>(of.data()); };
  for (auto &[name, value] : texts_) {
    views_.push_back({bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  return views_.data();
}

}  // namespace tenon::grpc_transport
