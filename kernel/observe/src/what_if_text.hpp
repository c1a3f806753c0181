// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// An answer to a what-if question in words.
#pragma once

#include <string>

#include "tenon/observe/what_if.hpp"

namespace tenon::observe {

// A line for each ask and what it needs, each with its end.
[[nodiscard]] std::string in_words(const what_if_answer &);

}  // namespace tenon::observe
