// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "session_callbacks.hpp"

#include <array>
#include <memory>
#include <new>

#include "http2_connection.hpp"

namespace tenon::grpc_transport {

// nghttp2 wants functions; they are the connection's own. None of them destroys a call or a connection: what follows
// from what they say happens later (endpoint::settle).
struct callbacks {
  static connection &of(void *self) { return *static_cast<connection *>(self); }
  static bool opens(const nghttp2_frame &frame) {
    return frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST;
  }

  static int begin_frame(nghttp2_session *, const nghttp2_frame_hd *, void *self) {
    ++of(self).frames_;
    return 0;
  }

  static int begin_headers(nghttp2_session *, const nghttp2_frame *frame, void *self) {
    if (opens(*frame)) of(self).head_ = {};
    return 0;
  }

  static int header(nghttp2_session *, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                    const uint8_t *value, size_t value_size, uint8_t, void *self) {
    if (!opens(*frame)) return 0;
    const bool fits = of(self).head_.add({reinterpret_cast<const char *>(name), name_size},
                                         {reinterpret_cast<const char *>(value), value_size});
    return fits ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // which resets the stream
  }

  static int frame(nghttp2_session *, const nghttp2_frame *frame, void *self) {
    connection &to = of(self);
    const bool last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    switch (frame->hd.type) {
      case NGHTTP2_SETTINGS:
        to.is_up_ = true;
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) to.windows_changed();
        break;
      case NGHTTP2_HEADERS:
        if (opens(*frame)) {
          to.open_call(frame->hd.stream_id, last);
          break;
        }
        [[fallthrough]];
      case NGHTTP2_DATA:
        if (call *one = last ? to.call_of(frame->hd.stream_id) : nullptr; one != nullptr) one->half_closed();
        break;
      default:
        break;
    }
    return 0;
  }

  static int bytes(nghttp2_session *session, uint8_t, int32_t stream, const uint8_t *bytes, size_t count, void *self) {
    // The connection's window never holds up a call: each call's own does.
    nghttp2_session_consume_connection(session, count);
    if (call *one = of(self).call_of(stream); one != nullptr) one->came({reinterpret_cast<const char *>(bytes), count});
    return 0;
  }

  static int closed(nghttp2_session *, int32_t stream, uint32_t, void *self) {
    connection &to = of(self);
    if (call *one = to.call_of(stream); one != nullptr) to.has_ended(*one);
    return 0;
  }

  static ssize_t read(std::span<uint8_t> out, uint32_t &flags, const nghttp2_data_source &source) {
    return static_cast<call *>(source.ptr)->fill(out, flags);
  }

  static int sent(nghttp2_session *session, const nghttp2_frame *frame, void *self) {
    if (frame->hd.type != NGHTTP2_HEADERS || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    const int32_t stream = frame->hd.stream_id;
    if (call *one = of(self).call_of(stream); one != nullptr) one->end_sent_ = true;
    // The client need not say the rest.
    if (nghttp2_session_get_stream_remote_close(session, stream) == 0) {
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_NO_ERROR);
    }
    return 0;
  }
};

namespace {

constexpr int32_t window_bytes = 16 << 20;  // of a connection: it never holds up a call

// Allocated and freed by nghttp2, once.
template <class T, auto Make, auto Free>
std::shared_ptr<T> made() {
  T *out = nullptr;
  if (Make(&out) != 0) throw std::bad_alloc();
  return {out, Free};
}

std::shared_ptr<nghttp2_session_callbacks> all_callbacks() {
  auto out = made<nghttp2_session_callbacks, nghttp2_session_callbacks_new, nghttp2_session_callbacks_del>();
  nghttp2_session_callbacks_set_on_begin_frame_callback(out.get(), callbacks::begin_frame);
  nghttp2_session_callbacks_set_on_begin_headers_callback(out.get(), callbacks::begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(out.get(), callbacks::header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(out.get(), callbacks::frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(out.get(), callbacks::bytes);
  nghttp2_session_callbacks_set_on_stream_close_callback(out.get(), callbacks::closed);
  nghttp2_session_callbacks_set_on_frame_send_callback(out.get(), callbacks::sent);
  return out;
}

// nghttp2's own bounds stay as they are: 8 frames that continue header fields, 32 settings in a frame, 1,000 resets and
// 33 more a second, 1,000 answers to pings and settings that wait.
std::shared_ptr<nghttp2_option> all_options() {
  auto out = made<nghttp2_option, nghttp2_option_new, nghttp2_option_del>();
  nghttp2_option_set_no_auto_window_update(out.get(), 1);
  return out;
}

}  // namespace

nghttp2_session *new_session(connection &of, size_t calls) {
  static const auto use = all_callbacks();
  static const auto how = all_options();
  nghttp2_session *out = nullptr;
  if (nghttp2_session_server_new2(&out, use.get(), &of, how.get()) != 0) throw std::bad_alloc();
  const std::array<nghttp2_settings_entry, 4> settings{
      {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<uint32_t>(calls)},
       {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<uint32_t>(narrow_window)},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(max_header_bytes)},
       {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}}};
  nghttp2_submit_settings(out, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(out, NGHTTP2_FLAG_NONE, 0, window_bytes);
  return out;
}

ssize_t read_of_call(nghttp2_session *, int32_t, uint8_t *to, size_t capacity, uint32_t *flags,
                     nghttp2_data_source *source, void *) {
  return callbacks::read({to, capacity}, *flags, *source);
}

}  // namespace tenon::grpc_transport
