// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How a module's process was lost.
#pragma once

#include <cstdint>

namespace tenon::host::isolation {

struct process_loss {
  enum class how : uint8_t {
    none,
    ended,
    late,       // killed, since it gave no answer in time
    overwrote,  // killed, since it wrote behind the end of its output
    no_process  // there was none to begin with
  };
  how what = how::none;
  int signal = 0, status = 0;  // with which it ended
};

}  // namespace tenon::host::isolation
