// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Messages of both dialects, and of tenon.v1 that RMs send and hear, for tests: all types, random content, bytes that
// compare.
#pragma once

#include <google/protobuf/message.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "through_codec.hpp"

namespace tenon::testing {

using any_message = std::unique_ptr<google::protobuf::Message>;

// Empty ones of every type that is sent on its own, or in a list of its own.
std::vector<any_message> every_message();

// Values: they are only ever inside of others.
bool is_value(const google::protobuf::Descriptor &message);

// Calls with each field set alone, at any depth, to a value that is not its default; the text says which.
void each_field_alone(const google::protobuf::Message &empty,
                      const std::function<void(const google::protobuf::Message &, const std::string &)> &call);

// Fills about half of all fields, at any depth; `unknown`: and adds fields that no schema knows.
void fill(google::protobuf::Message &message, std::mt19937_64 &random, bool unknown);

}  // namespace tenon::testing
