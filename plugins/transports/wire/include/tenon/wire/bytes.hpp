// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Serialised messages as structs and back without protobuf objects in between: what read() and write() do, several
// times as fast. What is unusual on the wire goes through protobuf, so both always say the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tenon/wire/convert.hpp"

namespace tenon::wire {

class schema;

// A message type of a dialect; lives as long as the process. Throws std::logic_error where there is none.
const schema &schema_of(dialect spoken, std::string_view message);

// As read() of the message that these bytes are. Texts are views of `bytes` or lie in `into`. False also for bytes that
// are no such message.
bool read_bytes(const schema &of, std::string_view bytes, room &into, batch &out, std::string &refusal);

// Appends a part to a serialised message of this type. The result is one message again. On false nothing was appended.
bool append_bytes(const schema &of, const tenon_rm_message *part, std::string &bytes, std::string &refusal);

// The place of a message's type in the order in which the parts of one message take effect; none: -1.
int rank_of(const schema &of, uint32_t type);

}  // namespace tenon::wire
