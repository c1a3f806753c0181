// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is kept of a module that ended the process: a few lines in a file, and on standard error.
//
//   end_with_record_on_fatal_signals({"/var/lib/tenon/faults", 5, 4});
//   record_fault(call, "has not returned for 1000 ms");
#pragma once

#include <filesystem>
#include <string_view>

#include "tenon/host/long_call.hpp"

namespace tenon::host {

struct fault_records {
  std::filesystem::path folder;  // which is there; empty: standard error alone
  int status = 0;                // with which the process ends
  int unasked_status = 0;        // the same, where a module sent the signal itself
};

// From now on a fatal signal inside of a call into a module, or a stack that is full there, writes a record and ends
// the process with a status of its own. Elsewhere such a signal does what it did. Not in builds with a sanitizer, which
// has handlers of its own. A signal that only ends the process counts where the process sent it itself.
void end_with_record_on_fatal_signals(const fault_records &where);

// The same record, of a call on any thread. Appends to the file that is called as the library with its configuration.
void record_fault(const fault_records &where, const long_call &call, std::string_view what);

}  // namespace tenon::host
