// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "filter.hpp"

#include "tenon/sdk/error.hpp"

namespace tenon::identity_ldap {
namespace {

void append_value(std::string &out, std::string_view value) {
  static constexpr std::string_view digits = "0123456789abcdef";
  for (const char c : value) {
    if (c != '\0' && std::string_view("*()\\").find(c) == std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'\\', digits[byte >> 4U], digits[byte & 15U]};
  }
}

}  // namespace

filter_form::filter_form(std::string_view key, std::string text, std::string_view places) : text_(std::move(text)) {
  for (size_t at = text_.find('%'); at != std::string::npos; at = text_.find('%', at + 2)) {
    const char next = at + 1 < text_.size() ? text_[at + 1] : '\0';
    if (next != '%' && (next == '\0' || places.find(next) == std::string_view::npos))
      throw sdk::invalid_config(std::string(key) + ": want %" + std::string(1, places.front()) +
                                (places.size() > 1 ? " or %" + std::string(places.substr(1)) : "") +
                                ", and %% for a per cent sign; have " + text_);
  }
}

bool filter_form::names(char place) const {
  for (size_t at = text_.find('%'); at != std::string::npos; at = text_.find('%', at + 2))
    if (text_[at + 1] == place) return true;
  return false;
}

std::string filter_form::with(std::string_view user, std::string_view entry) const {
  std::string out;
  for (size_t at = 0; at < text_.size(); ++at) {
    if (text_[at] != '%') {
      out += text_[at];
      continue;
    }
    const char place = text_[++at];
    if (place == '%') {
      out += '%';
    } else {
      append_value(out, place == 's' ? user : entry);
    }
  }
  return out;
}

}  // namespace tenon::identity_ldap
