// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Protobuf's own messages through the codec, for tests: what RMs have in their programs, and what protobuf's parser
// says of the same bytes.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "tenon/wire/codec.hpp"

namespace tenon::testing {

// Of the type of the message.
const wire::schema &schema_of(const google::protobuf::Message &type);

// Equal for equal messages: maps in order.
std::string bytes_of(const google::protobuf::Message &message);

// The structs of a message. `bytes` become its bytes, of which `out` has views.
bool read(const google::protobuf::Message &message, std::string &bytes, wire::arena &into, wire::batch &out,
          std::string &refusal);

bool write(const wire::batch &from, google::protobuf::Message &out, std::string &refusal);

// Whether the codec takes bytes as protobuf's parser does, and writes from their structs what says the same. An empty
// text, or how they differ.
std::string difference(std::string_view bytes, const google::protobuf::Message &type);

// Whether a message has a number that nobody defined, which protobuf takes and the codec refuses.
bool has_undefined_number(const google::protobuf::Message &message);

}  // namespace tenon::testing
