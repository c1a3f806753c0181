// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The interface suite: what holds for an RM whatever carries its messages. A program that compiles its
// files defines ways(), and every case runs over each of them; where a way cannot do what a case needs, the case is
// skipped with the way's reason.
#pragma once

#include <string>
#include <vector>

#include "rm_client.hpp"

namespace tenon::interface {

struct way {
  way_in about;
  world_maker open;
};

// Of the program that links the suite.
[[nodiscard]] std::vector<way> ways();

// What cases may need, and ways may lack: keys of way_in::blanks.
inline constexpr char can_cut[] = "cut a connection and come back";
inline constexpr char can_report[] = "report allocations with their node";
inline constexpr char can_be_late[] = "leave a check without answer";
inline constexpr char has_release_by_uuid[] = "release an allocation by its UUID";

}  // namespace tenon::interface
