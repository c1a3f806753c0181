// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sessions of RMs as text: seeds of the fuzzer, and what shows that a field does something.
//
// A history is lines: `update { ... }` with a request in protobuf's text format, likewise register, allocation,
// application, node, checks, recovery, reports and configuration; `wait 1000`, milliseconds; `hang_up`; `# ...`. A
// message may take several lines, of which all but the first begin with a blank. `register` may be followed by the bits
// of what the RM wants.
#pragma once

#include <google/protobuf/message.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "played_requests.hpp"

namespace tenon::fuzz {

struct history_step {
  frame_kind kind;
  std::string before;                                  // bytes ahead of the message, or all where there is none
  std::unique_ptr<google::protobuf::Message> message;  // null: none
};
using history = std::vector<history_step>;

// Throws std::runtime_error with the line that is none.
history read_history(const std::filesystem::path &file);
std::string bytes_of(const history &steps);

}  // namespace tenon::fuzz
