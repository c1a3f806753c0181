// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Copies of a partition, to see what would happen.
#pragma once

namespace tenon::internal {

struct partition;

// Makes a partition that was just constructed one that decides as the other would. Time must stand still in it: its
// timers are not those of the other one, nor is what only they, readers and statistics look at. It calls the same
// instances of policies, so neither may be used while the other is in a call; and it does not place applications.
void copy_partition(const partition &from, partition &to);

}  // namespace tenon::internal
