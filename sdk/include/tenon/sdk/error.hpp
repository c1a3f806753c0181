// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Text and errors at the edge of a module: nothing is thrown across it.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tenon/abi/base.h"

namespace tenon::sdk {

// Thrown by a policy's constructor or `prepare`: the configuration or a tag is refused, in these words.
struct invalid_config : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] inline std::string_view view(const tenon_text &t) {
  return t.data == nullptr ? std::string_view() : std::string_view(t.data, t.length);
}

[[nodiscard]] constexpr tenon_text text(std::string_view s) { return {s.data(), s.size()}; }

// Puts `words` where the caller of a slot wants them, cut to the room that is there.
inline void explain(tenon_message *message, std::string_view words) noexcept {
  if (message == nullptr || !TENON_COVERS(message, tenon_message, length) || message->data == nullptr) return;
  message->length = std::min<uint64_t>(words.size(), message->capacity);
  std::memcpy(message->data, words.data(), message->length);
}

// Copies `from` into the caller's struct as far as both know it; the caller's `size` stays.
template <class Struct>
void fill(Struct *out, const Struct &from) noexcept {
  const uint32_t size = out->size;
  std::memcpy(out, &from, std::min<size_t>(size, sizeof(Struct)));
  out->size = size;
}

namespace internal {

// Runs the body of a slot; whatever it throws becomes a status here, inside the module. `fault` gets
// the words of what was thrown.
template <class Body, class Fault>
tenon_status guarded(Body &&body, Fault &&fault) noexcept {
  tenon_status status = TENON_INTERNAL;
  try {
    try {
      return body();
    } catch (const invalid_config &e) {
      status = TENON_INVALID_CONFIG;
      fault(std::string_view(e.what()));
    } catch (const std::exception &e) {
      fault(std::string_view(e.what()));
    } catch (...) {
      fault(std::string_view("something that is not a std::exception was thrown"));
    }
  } catch (...) {  // saying why failed too: the status has to do
  }
  return status;
}

}  // namespace internal
}  // namespace tenon::sdk
