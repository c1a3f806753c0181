// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How gangs begin: piecewise, or whole with all placeholders placed in one step (docs/decisions-gangs.md, section 3).
#pragma once

#include <string_view>
#include <vector>

#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

// What a value of the queue property or the application tag says.
[[nodiscard]] gang_start gang_start_of(std::string_view value);
// As its tag says, else its queue, else its style: hard gangs begin whole.
[[nodiscard]] bool begins_whole(const application &app);
// True if the pending placeholders are placed together or not at all. A single one that is the whole gang is an ask
// like others.
[[nodiscard]] bool waits_to_begin(const application &app, const class_table &classes);
// True if the pending placeholders have together what the application named as its gang, or if some were placed before.
[[nodiscard]] bool gang_has_come(const application &app, const class_table &classes);
// What all pending placeholders of the application need together, as the need of one ask.
[[nodiscard]] resources need_of_gang(const application &app, const class_table &classes);
[[nodiscard]] ask_class class_of_gang(const application &app, const class_table &classes);
// True if what queues and all nodes have left tells whether it can begin: none of its pending placeholders requires a
// node or is reserved.
[[nodiscard]] bool counts_as_one(const application &app, const class_table &classes);
// Of the pending placeholders of an application the one that is tried first; null: none is pending.
[[nodiscard]] ask *front_of_gang(const application &app);
// What an ask needs where its leaf keeps the order of its asks: a placeholder of a gang that waits to begin, all of it.
[[nodiscard]] std::vector<class_amount> needs_in_order(const ask &a, const class_table &classes);

}  // namespace tenon::internal
