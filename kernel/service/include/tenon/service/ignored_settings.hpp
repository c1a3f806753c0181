// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Settings beside queues.yaml, in a change of a configuration. Clients send all that they have, at every start: what
// names something else is no news.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "tenon/abi/rm_messages.h"
#include "tenon/text/letters.hpp"

namespace tenon::service {

// How many of them are no settings at all: a name is empty, or not a word.
[[nodiscard]] inline uint64_t malformed_settings(const tenon_rm_pairs &all) {
  if (all.count != 0 && all.names == nullptr) return all.count;
  return static_cast<uint64_t>(std::count_if(all.names, all.names + all.count, [](const tenon_text &name) {
    const auto is_of_word = [](char c) { return !is_control(c) && c != ' '; };
    return name.length == 0 || !std::all_of(name.data, name.data + name.length, is_of_word);
  }));
}

// What is said of so many of them; empty: there are none. Their names and values may be secrets.
[[nodiscard]] inline std::string ignored_settings(uint64_t malformed) {
  if (malformed == 0) return {};
  return "extraConfig: " + std::to_string(malformed) +
         " settings have no name, or one that is not a word; they were not looked at";
}

}  // namespace tenon::service
