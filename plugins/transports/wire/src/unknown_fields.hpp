// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a message has that its schema does not know, kept as a message of the same type with nothing else in it.
#pragma once

#include <google/protobuf/message.h>

#include <string>

namespace tenon::wire {

// Also inside of its parts, where they are not repeated.
bool has_unknown_fields(const google::protobuf::Message &message);

// Serialised; `around_parts`: with the parts that are not repeated, which are present even where they are empty.
std::string unknown_fields_of(const google::protobuf::Message &message, bool around_parts);

}  // namespace tenon::wire
