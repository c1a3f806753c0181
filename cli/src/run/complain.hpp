// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How refusals reach people.
#pragma once

#include <iosfwd>
#include <span>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// Three lines at most below the place: what was wanted, what is there, what to do.
void complain(std::ostream &err, const refusal &why);
void complain(std::ostream &err, std::span<const refusal> all);

}  // namespace tenon::cli
