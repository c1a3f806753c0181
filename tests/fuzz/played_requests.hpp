// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Bytes as an RM's session: what a fuzzer finds and what the seeds say is played through bytes, structs and a scheduler
// of its own, and back through the answers.
//
// The bytes are frames: what it is (frame_kind), the length of what follows in two bytes, low one first, and that.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace tenon::fuzz {

enum class frame_kind : uint8_t {
  registration,  // RegisterResourceManagerRequest; the bits of the first byte after it: what the RM wants beside
  update,        // the requests of the streams
  allocation,
  application,
  node,
  checks,
  recovery,
  reports,
  configuration,
  wait,     // milliseconds, low byte first
  hang_up,  // the connection breaks, and comes back
};
inline constexpr uint8_t frame_kinds = 11;

std::string frame_of(frame_kind kind, std::string_view bytes);

struct played {
  uint64_t frames = 0;
  uint64_t refused = 0;  // no message, or a number out of range
  uint64_t taken = 0;    // requests that the scheduler accepted
  uint64_t answers = 0;
};

// What came of it: decisions and outcomes as text, answers by partition, and the fields that answers had.
struct observed {
  std::string text;
  std::map<std::string, std::string> answers;
  std::set<const google::protobuf::FieldDescriptor *> told;
};

// Ends the process with words where something does not hold.
played play(std::string_view bytes, observed *seen = nullptr);

}  // namespace tenon::fuzz
