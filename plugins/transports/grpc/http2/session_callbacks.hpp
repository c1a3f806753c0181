// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// nghttp2's session of one connection, and what it calls back.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>

namespace tenon::grpc_transport {

class connection;

// A server's, whose settings are on their way. `calls`: that may be open. Throws std::bad_alloc.
nghttp2_session *new_session(connection &of, size_t calls);

// The data source of an answer; its pointer is the call.
ssize_t read_of_call(nghttp2_session *session, int32_t stream, uint8_t *to, size_t capacity, uint32_t *flags,
                     nghttp2_data_source *source, void *self);

}  // namespace tenon::grpc_transport
