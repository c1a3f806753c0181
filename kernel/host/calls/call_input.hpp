// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a slot is given and what its instance was made of, as far as records of calls have it.
#pragma once

#include <cstdint>
#include <string>

namespace tenon::host {

// Kept while there are calls of the instance.
struct instance_origin {
  std::string configuration;  // complete JSON object
  uint32_t max_resource_types = 0;
  std::string columns;  // ids of those that it reads, a line each
};

// What call_input::in points to. Numbers are those of the file, and stay.
enum class call_shape : uint8_t {
  nothing = 0,
  batch = 1,     // tenon_batch
  prefix = 2,    // tenon_filter_prefix_in
  prepare = 3,   // tenon_prepare_in
  place = 4,     // tenon_place_in
  resolve = 5,   // tenon_resolve_in
  emit = 6,      // tenon_event_emit_in
  too_large = 7  // in a file: there was something for which the file has no room
};

// Valid for the call.
struct call_input {
  call_shape shape = call_shape::nothing;
  uint32_t key_words = 0;  // that a sort's slot writes for each item
  const void *in = nullptr;
  const instance_origin *origin = nullptr;
};

// How a slot's guard is told of it.
struct given_to_call {
  given_to_call(uint32_t count) : items(count) {}
  given_to_call(uint32_t count, call_shape what, const void *at, uint32_t words = 0)
      : items(count), key_words(words), shape(what), in(at) {}

  uint32_t items;  // of the batch
  uint32_t key_words = 0;
  call_shape shape = call_shape::nothing;
  const void *in = nullptr;
};

}  // namespace tenon::host
