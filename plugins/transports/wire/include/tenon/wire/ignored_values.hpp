// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Values of requests that the scheduler ignores, as YuniKorn does. Transports log them, so that somebody notices.
#pragma once

#include <string>

#include "tenon/wire/codec.hpp"

namespace tenon::wire {

// Describes the first value of the batch that the scheduler ignores, and counts the others: an unknown style of a gang
// and a negative timeout of an application or ask. Returns an empty text if the batch has none.
std::string ignored_values(const batch &of);

}  // namespace tenon::wire
