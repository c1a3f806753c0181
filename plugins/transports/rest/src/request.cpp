// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <utf8.h>

#include <algorithm>
#include <boost/url/decode_view.hpp>
#include <boost/url/encoding_opts.hpp>
#include <charconv>

#include "answer.hpp"
#include "path_names.hpp"

namespace tenon::rest {

const std::string &request::parameter(std::string_view name) const {
  static const std::string none;
  for (const auto &[key, value] : parameters)
    if (key == name) return value;
  return none;
}

std::optional<std::string_view> request::asked(std::string_view name) const {
  for (const auto &[key, value] : query)
    if (key == name) return value;
  return std::nullopt;
}

std::optional<uint64_t> request::number(std::string_view name, uint64_t least, uint64_t most) const {
  const auto text = asked(name);
  if (!text || text->empty()) return std::nullopt;
  uint64_t out = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), out);
  if (error != std::errc{} || end != text->data() + text->size() || out < least || out > most) {
    throw refused{400,
                  "query parameter \"" + std::string(name) + "\": want a number from " + std::to_string(least) +
                      " to " + std::to_string(most) + ", have \"" + std::string(text->substr(0, 64)) + "\"",
                  "write such a number, as " + std::string(name) + "=" + std::to_string(std::max<uint64_t>(least, 10)) +
                      ", or leave it out"};
  }
  return out;
}

std::optional<std::string> decoded(std::string_view text, bool plus) {
  boost::urls::encoding_opts options;
  options.space_as_plus = plus;
  const auto encoded = boost::urls::make_pct_string_view(text);
  if (!encoded) return std::nullopt;
  const boost::urls::decode_view characters(*encoded, options);
  std::string out(characters.begin(), characters.end());
  if (!utf8::is_valid(out)) return std::nullopt;
  return out;
}

std::string_view authority_of(std::string_view target) {
  const size_t scheme = target.find("://");
  if (scheme == std::string_view::npos) return {};
  const std::string name = lower_case(target.substr(0, scheme));
  if (name != "http" && name != "https") return {};
  const std::string_view rest = target.substr(scheme + 3);
  return rest.substr(0, rest.find_first_of("/?#"));
}

bool split_target(std::string_view target, request &into) {
  if (const std::string_view authority = authority_of(target); !authority.empty()) {
    target.remove_prefix(static_cast<size_t>(authority.data() + authority.size() - target.data()));
  }
  target = target.substr(0, target.find('#'));
  const size_t mark = target.find('?');
  into.path = target.empty() || mark == 0 ? "/" : target.substr(0, mark);
  if (mark == std::string_view::npos) return true;
  into.raw_query = target.substr(mark);
  for (std::string_view rest = target.substr(mark + 1); !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest = one.size() == rest.size() ? std::string_view{} : rest.substr(one.size() + 1);
    if (one.empty()) continue;
    const size_t equals = one.find('=');
    auto key = decoded(one.substr(0, equals), true);
    auto value = decoded(equals == std::string_view::npos ? std::string_view{} : one.substr(equals + 1), true);
    if (!key || !value) return false;
    into.query.emplace_back(std::move(*key), std::move(*value));
  }
  return true;
}

}  // namespace tenon::rest
