// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "http2_connection.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "endpoint.hpp"
#include "inflate.hpp"
#include "session_callbacks.hpp"

namespace tenon::grpc_transport {

connection::connection(endpoint &at, int descriptor, int family, std::shared_ptr<SSL_CTX> tls, peer by)
    : at_(at), room_left_(at.bounds().message) {
  by.encrypted = tls != nullptr;
  by_ = std::make_shared<const peer>(std::move(by));
  session_ = new_session(*this, at.bounds().calls);
  socket_ = socket_of(at.context(), descriptor, family, std::move(tls), *this);
  socket_->shake_hands();
}

connection::~connection() { nghttp2_session_del(session_); }

void connection::ready(const std::string &problem) {
  shakes_ = false;
  if (!problem.empty()) {
    end("TLS handshake failed: " + problem);
  } else if (!closed_) {
    auto with_names = std::make_shared<peer>(*by_);
    with_names->names = socket_->names();
    by_ = std::move(with_names);
    wants_flush();  // the server's settings do not wait for the client
    read_more();
  }
  at_.settle();
}

void connection::read_more() {
  if (reads_ || closed_) return;
  // Whoever asks much and takes no answers is not read from until it does.
  if (writes_ && nghttp2_session_get_outbound_queue_size(session_) > max_unsent_answers) return;
  reads_ = true;
  socket_->read(in_);
}

void connection::has_read(size_t count) {
  reads_ = false;
  if (count == 0) {
    close();
  } else if (!closed_) {
    heard_ = clock::now();
    const ssize_t used = nghttp2_session_mem_recv(session_, in_.data(), count);
    if (used < 0) {
      end(nghttp2_strerror(static_cast<int>(used)));
    } else if (frames_ > max_idle_frames) {
      refuse_all("more frames without a request than a client needs");
    } else if (held_ > max_held_bytes + at_.bounds().message) {
      refuse_all("more bytes of requests than the windows allow");
    }
    wants_flush();
    read_more();
  }
  at_.settle();
}

void connection::has_written(bool all) {
  writes_ = false;
  for (call *each : std::exchange(being_written_, {})) each->written(all);
  if (all) {
    wants_flush();
    read_more();
  } else {
    close();
  }
  at_.settle();
}

void connection::wants_flush() {
  if (!std::exchange(wants_flush_, true)) at_.will_flush(*this);
}

void connection::flush() {
  wants_flush_ = false;
  if (writes_ || shakes_ || closed_) return;
  out_.clear();
  ssize_t count = 0;
  const uint8_t *bytes = nullptr;
  while (out_.size() < max_write_bytes && (count = nghttp2_session_mem_send(session_, &bytes)) > 0) {
    out_.append(reinterpret_cast<const char *>(bytes), static_cast<size_t>(count));
  }
  if (count < 0) return end(nghttp2_strerror(static_cast<int>(count)));
  if (!out_.empty()) {
    writes_ = true;
    being_written_.swap(ends_written_);
    socket_->write({reinterpret_cast<const uint8_t *>(out_.data()), out_.size()});
  } else if (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0) {
    close();
  }
}

void connection::close() {
  if (std::exchange(closed_, true)) return;
  socket_->close();
  ends_written_.clear();
  being_written_.clear();
  want_room_.clear();
  for (call *each : std::exchange(calls_, {})) each->closed();
  at_.has_closed();
}

void connection::end(const std::string &why) {
  if (closed_) return;
  at_.log().say(by_->address + ": " + why);
  close();
}

void connection::refuse_all(const std::string &why) {
  at_.log().say(by_->address + ": " + why);
  nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
}

void connection::say_goodbye() {
  if (closed_) return;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                        NGHTTP2_NO_ERROR, nullptr, 0);
  wants_flush();
}

void connection::look(clock::time_point now, bool a_second_passed) {
  if (closed_) return;
  if (a_second_passed) frames_ = 0;
  if (!is_up_) {
    if (now - since_ > handshake_limit) end("no handshake for too long");
    return;
  }
  if (asks_ && heard_ >= asked_) asks_ = false;
  if (asks_ && now - asked_ > at_.bounds().keepalive_timeout) {
    end("no sign of life for too long");
  } else if (!asks_ && now - heard_ > at_.bounds().keepalive) {
    ask();
  }
}

void connection::ask() {
  if (asks_ || closed_) return;
  asks_ = true;
  asked_ = clock::now();
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
  wants_flush();
}

call *connection::call_of(int32_t stream) const {
  return static_cast<call *>(nghttp2_session_get_stream_user_data(session_, stream));
}

void connection::attach(call &one) {
  calls_.insert(&one);
  nghttp2_session_set_stream_user_data(session_, one.opened_->stream, &one);
}

void connection::open_call(int32_t stream, bool has_ended) {
  if (const int http = head_.http_status(); http != 200) return refuse_call(stream, http, {});
  const route *found = at_.find(head_.path);
  rpc_status why = at_.may_open();
  if (why.ok() && found == nullptr) {
    why = status_of(status_code::unimplemented, "want a method of this server, have \"" + head_.path + "\"");
  }
  if (why.ok() && !head_.encoding.empty() && head_.encoding != "identity" && !can_inflate(head_.encoding)) {
    why = status_of(status_code::unimplemented,
                    "want messages as they are, or by gzip or deflate, have \"" + head_.encoding + "\"");
  }
  if (!why.ok()) return refuse_call(stream, 200, why);
  found->make(std::make_unique<incoming>(incoming{at_, *this, stream, std::move(head_), by_, found->most}));
  if (call *made = call_of(stream); made != nullptr && has_ended) made->half_closed();
}

void connection::refuse_call(int32_t stream, int http_status, const rpc_status &why) {
  answer_fields fields;
  fields.begin(http_status);
  if (http_status == 200) fields.end(why);
  nghttp2_submit_response(session_, stream, fields.data(), fields.size(), nullptr);
  wants_flush();
}

void connection::begin_answer(call &one) {
  answer_fields fields;
  fields.begin(200);
  const nghttp2_data_provider body{{.ptr = &one}, read_of_call};
  nghttp2_submit_response(session_, one.opened_->stream, fields.data(), fields.size(), &body);
  wants_flush();
}

void connection::end_answer(call &one, const rpc_status &how) {
  answer_fields fields;
  fields.end(how);
  nghttp2_submit_trailer(session_, one.opened_->stream, fields.data(), fields.size());
  wants_flush();
}

void connection::answer_at_once(call &one, const rpc_status &how) { refuse_call(one.opened_->stream, 200, how); }

void connection::resume(call &one) {
  nghttp2_session_resume_data(session_, one.opened_->stream);
  wants_flush();
}

void connection::reset(call &one, uint32_t why) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, one.opened_->stream, why);
  wants_flush();
}

void connection::has_ended(call &one) {
  calls_.erase(&one);
  if (calls_.empty()) idle_since_ = clock::now();
  std::erase(ends_written_, &one);
  std::erase(being_written_, &one);
  one.closed();
}

void connection::windows_changed() {
  for (call *each : calls_) each->let_more_come();  // any order: each for itself
}

void connection::let_come(call &one, int64_t bytes) {
  nghttp2_submit_window_update(session_, NGHTTP2_FLAG_NONE, one.opened_->stream, static_cast<int32_t>(bytes));
  wants_flush();
}

int64_t connection::may_come(const call &one) const {
  const int32_t stream = one.opened_->stream;
  return int64_t{nghttp2_session_get_stream_effective_local_window_size(session_, stream)} -
         nghttp2_session_get_stream_effective_recv_data_length(session_, stream);
}

void connection::want_room(call &one, size_t bytes) {
  want_room_.emplace_back(&one, bytes);
  grant_room();
}

void connection::grant_room() {
  while (!want_room_.empty() && want_room_.front().second <= room_left_) {
    const auto [one, bytes] = want_room_.front();
    want_room_.pop_front();
    room_left_ -= bytes;
    one->got_room(bytes);
  }
}

void connection::give_back_room(call &one, size_t bytes) {
  std::erase_if(want_room_, [&](const auto &each) { return each.first == &one; });
  room_left_ += bytes;
  grant_room();
}

bool connection::take_wide() {
  if (wide_left_ == 0) return false;
  --wide_left_;
  return true;
}

}  // namespace tenon::grpc_transport
