// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How refusals reach people.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// Three lines at most below the place: what was wanted, what is there, what to do.
void complain(std::ostream &err, const refusal &why);
void complain(std::ostream &err, std::span<const refusal> all);

// As a compiler says it, "place: what is there", for one of many about a file; `before` what is there.
void remark(std::ostream &to, std::string_view before, const refusal &why);

}  // namespace tenon::cli
