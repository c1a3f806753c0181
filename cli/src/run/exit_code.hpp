// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How `tenon` ends, for scripts.
#pragma once

namespace tenon::cli {

enum class exit_code : int {
  ok = 0,
  failed = 1,       // what was asked for was done, and the answer is no: a scenario failed
  bad_input = 2,    // an option, a file or its content is refused: nothing was done, or nothing with that file
  unreachable = 3,  // no daemon answers
  unasked = 4,      // a module ended it that nobody asked: exit(), _exit(), exec(), a signal to itself
  contained = 5,    // a module crashed, or did not return
};

}  // namespace tenon::cli
