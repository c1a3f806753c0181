// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <array>
#include <utility>

#include "tenon/kernel/state_tables.hpp"

namespace tenon::naive {
namespace {

application_state state_called(std::string_view text) {
  application_state out = application_state::new_;
  while (name(out) != text) out = static_cast<application_state>(static_cast<uint8_t>(out) + 1);
  return out;
}

// One of the kind, without anything in it.
template <size_t... at>
decided_what empty_one(size_t kind, std::index_sequence<at...>) {
  const std::array<decided_what, sizeof...(at)> all{std::variant_alternative_t<at, decided_what>{}...};
  return all[kind];
}

}  // namespace

decision_view decision::view() const {
  decision_view out;
  out.sequence = sequence;
  out.now_ms = now_ms;
  out.allocation_sequence = allocation_sequence;
  out.rm = rm;
  out.partition = partition;
  out.application = application;
  out.key = key;
  out.node = node;
  out.queue = queue;
  out.placeholder = placeholder;
  out.what = empty_one(static_cast<size_t>(kind), std::make_index_sequence<decision_kinds>{});
  const auto fill = [&](auto &what) {
    using type = std::decay_t<decltype(what)>;
    if constexpr (requires { what.end; }) what.end = why;
    if constexpr (requires { what.reason; }) what.reason = {cause::given, text};
    if constexpr (requires { what.devices; }) what.devices = detail;
    if constexpr (std::is_same_v<type, decided::application_state>) {
      what = {state_called(text), detail};
    } else if constexpr (requires { what.message; }) {
      what.message = text;
    } else if constexpr (std::is_same_v<type, decided::allocated>) {
      what.existing = text == messages::existing();
    } else if constexpr (std::is_same_v<type, decided::container_state>) {
      what.skipped = text == messages::container_skipped();
    } else if constexpr (std::is_same_v<type, decided::proposed>) {
      const size_t before = messages::proposed_in_place({}).size();
      what.in_place_of = std::string_view(text).substr(text.empty() ? 0 : before);
    }
  };
  std::visit(fill, out.what);
  return out;
}

}  // namespace tenon::naive
