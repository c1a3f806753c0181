// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the process of a module says to standard error when the module crashes, and the host then reports.
#pragma once

namespace tenon::host::runner {

// From now on a fatal signal on this thread writes the lines of crash_place.hpp, and then ends the process as it
// would have done. Other threads do the same while they have room on their stacks. `module` outlives the process.
void say_where_it_crashes(const char *module);

}  // namespace tenon::host::runner
