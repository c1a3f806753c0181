// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a policy said of an item, for people.
#pragma once

#include <cstdint>
#include <string>

#include "tenon/kernel/policy_answers.hpp"

namespace tenon::cli {

// The number that a word of a key stands for, as the SDK makes words of numbers; its digits where it is none of those.
[[nodiscard]] std::string number_in(uint64_t key_word);
// Sixteen digits.
[[nodiscard]] std::string hex_digits(uint64_t key_word);
// "node-sort fair: node n1: key 0.25; node.free: vcore 1000".
[[nodiscard]] std::string words_of(const policy_answer &said);

}  // namespace tenon::cli
