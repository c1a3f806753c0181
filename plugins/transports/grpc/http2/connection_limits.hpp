// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What one connection, one client and all of them may take. docs/grpc.md tells operators.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tenon::grpc_transport {

struct limits {
  size_t connections = 1'024;
  size_t connections_of_client = 256;
  size_t calls = 512;                               // open ones of a connection
  size_t strangers = 256;                           // open calls of all connections that have not said whose they are
  size_t message = size_t{4} << 20;                 // bytes of one request
  std::chrono::milliseconds first_message{35'000};  // of a call, from its beginning
  std::chrono::milliseconds keepalive{20'000};
  std::chrono::milliseconds keepalive_timeout{10'000};
};

// For the handshakes of TLS and HTTP/2 together.
inline constexpr std::chrono::seconds handshake_limit{10};
// How often connections are looked at.
inline constexpr std::chrono::milliseconds look_interval{100};

// Bytes of a call that may come before they are asked for: while it is not known whose it is, and after.
inline constexpr size_t narrow_window = size_t{4} << 10;
inline constexpr size_t wide_window = size_t{512} << 10;
// So many calls of a connection are wide; more of them stay narrow.
inline constexpr size_t max_wide_calls = 4;
// A request that is larger than that waits until the connection has room for it: for one of the largest size. Those of
// strangers have room for so many of the largest together.
inline constexpr size_t max_large_of_strangers = 16;
// Bytes of requests that a connection may have here in all, beside a large one. Who keeps to the windows stays below.
inline constexpr size_t max_held_bytes = size_t{5} << 20;

// Bytes of one request's header fields, counted as HTTP/2 does.
inline constexpr size_t max_header_bytes = 16 << 10;
// Frames a second that carry nothing, before the connection is closed: pings, settings, windows, resets, empty ones.
inline constexpr size_t max_idle_frames = 10'000;
// A client whose frames want so many answers while it takes none is not read from.
inline constexpr size_t max_unsent_answers = 1'000;
// Bytes that are put together before they are written.
inline constexpr size_t max_write_bytes = size_t{64} << 10;

}  // namespace tenon::grpc_transport
