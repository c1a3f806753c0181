// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rm_stream.hpp"

#include <span>
#include <utility>

#include "grpc_session.hpp"
#include "http2/status.hpp"
#include "registry.hpp"
#include "tenon/wire/ignored_values.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr std::chrono::seconds goodbye{5};       // for an RM to read what it is told at the end
constexpr std::chrono::milliseconds grace{500};  // for streams that broke to be gone when the RM opens new ones
// Some clients close their half before they cancel, and say both in one breath: a goodbye is one when no more follows.
constexpr std::chrono::milliseconds last_word{100};
constexpr std::string_view resync = "\x08\x01";  // UpdateResponse { action: RESYNC }

bool is_register_again(const rpc_status &status) { return status.message == register_again().message; }

}  // namespace

stream::stream(registry &in, size_t method, std::unique_ptr<incoming> opened)
    : call(std::move(opened)), registry_(in), method_(method), pieces_(request_of(method)) {}

void stream::open() {
  self_ = shared_from_this();
  const rpc_status opened = registry_.opened(self_);
  if (!opened.ok()) {
    end(opened);
    return;
  }
  read(&request_);
}

void stream::end(const rpc_status &status, bool drain) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_ && !(drains_ && !drain)) return;  // a goodbye may still be overruled
    going_ = true;
    ending_ = status;
    ending_since_ = answers::clock::now();
    drains_ = drain;
  }
  advance();
}

void stream::belongs_to(std::shared_ptr<session> of) {
  const std::lock_guard lock(mutex_);
  session_ = std::move(of);
}

void stream::cut_if_late(answers::clock::time_point now) {
  {
    const std::lock_guard lock(mutex_);
    if (!ending_ || done_) return;
    if (now - ending_since_ > goodbye) cancel();
  }
  advance();
}

// Its session hears of it at once: what is under way here, such as a request that the host cannot take yet, would keep
// on_done() off for long, and an answer must not count as arrived because time passed.
void stream::on_cancel() {
  cancelled_ = true;
  std::shared_ptr<session> of;
  {
    const std::lock_guard lock(mutex_);
    of = session_;
  }
  if (of) of->detach(self_, false);
  advance();
}

bool stream::may_say_more() const {
  return half_closed_ && drains_ && !cancelled_ && !registry_.stopping() &&
         answers::clock::now() - ending_since_ < last_word;
}

void stream::advance() {
  enum class next : uint8_t { write, finish, finish_with_text };
  next step = next::finish;
  rpc_status status;
  std::string response;
  bool leaves = false;
  {
    const std::lock_guard lock(mutex_);
    if (writing_ || finished_) return;
    if ((!ending_ || drains_) && session_ && session_->next(*this, frame_)) {
      writing_ = true;
      wrote_ = true;
      step = next::write;
      response = std::move(frame_.bytes);
    } else if (half_closed_ && drains_ && !held_ && !probing_ && !cancelled_) {
      // gRPC says of a broken stream, too, that it was half-closed. Only one that the RM still reads takes a response.
      writing_ = probing_ = true;
      step = next::write;
    } else if (ending_ && !held_ && !may_say_more()) {
      finished_ = true;
      status = *ending_;
      leaves = said_goodbye_ && !cancelled_ && session_ && status.ok();
      if (stream_methods[method_].spoken == wire::dialect::first && is_register_again(status)) {
        step = next::finish_with_text;
        response = resync;
      }
    } else {
      return;
    }
  }
  // Without the lock: a reaction may run before these return. An RM that reads OK is gone: what it opens next is told
  // to register again.
  if (leaves) session_->detach(self_, true);
  switch (step) {
    case next::write:
      write(std::move(response));
      break;
    case next::finish:
      finish(std::move(status));
      break;
    case next::finish_with_text:
      write_and_finish(std::move(response), std::move(status));
      break;
  }
}

void stream::on_written(bool ok) {
  frame done;
  {
    const std::lock_guard lock(mutex_);
    done = std::move(frame_);
    frame_ = {};
  }
  if (ok && session_) {
    session_->written(*this, done);
  } else if (!ok) {
    cancelled_ = true;
    end({status_code::cancelled, "the connection is gone"});
  }
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    said_goodbye_ = ok && probing_;
  }
  advance();
}

void stream::on_read(bool ok) {
  if (!ok) {
    {
      const std::lock_guard lock(mutex_);
      half_closed_ = true;
    }
    end(rpc_status{}, true);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
    held_ = true;
  }
  const rpc_status taken = take_request();
  if (taken.ok()) {
    go_on();
  } else {
    refuse(taken);
  }
}

void stream::refuse(const rpc_status &status) {
  {
    const std::lock_guard lock(mutex_);
    held_ = false;
  }
  end(status);
  advance();
}

void stream::go_on() {
  if (!begun_) {
    const rpc_status status = registry_.begin(shared_from_this(), std::string(pieces_.rm()));
    const bool in_the_way =
        status.code == status_code::resource_exhausted || status.code == status_code::already_exists;
    if (in_the_way && !ends() && answers::clock::now() - begins_since_ < grace) {
      registry_.retry_later(shared_from_this());
      return;
    }
    if (!status.ok()) {
      refuse(status);
      return;
    }
    begun_ = true;
    is_known();
    advance();  // its answers may have waited for it
  }
  if (!checked_) {
    const rpc_status status = check_pieces();
    if (!status.ok()) {
      refuse(status);
      return;
    }
  }
  submit_rest();
}

rpc_status stream::take_request() {
  checked_ = false;
  std::string refusal;
  if (!pieces_.begin(request_, refusal)) return status_of(status_code::invalid_argument, refusal);
  const std::string rm(pieces_.rm());
  if (method_ == update_configuration && pieces_.has_parts()) {
    const std::string &of = begun_ ? session_->rm() : rm;
    const rpc_status fits = registry_.may_configure(*this, of, request_.size(), true);
    if (!fits.ok()) return fits;
    registry_.has_configured(*this, of, request_.size(), true);
  }
  if (!begun_) {
    begins_since_ = answers::clock::now();
    if (!rm.empty()) return rpc_status{};
    return {status_code::invalid_argument, "want the RM's name in the first request of a stream, have none; set rmID"};
  }
  if (!rm.empty() && rm != session_->rm()) {
    return status_of(status_code::invalid_argument, "want requests of RM \"" + session_->rm() +
                                                        "\" on its stream, have one of \"" + rm +
                                                        "\"; open a stream for each RM");
  }
  return rpc_status{};
}

// Before any of it is handed over, so that a request is refused as a whole. Leaves the first piece ready.
rpc_status stream::check_pieces() {
  std::string refusal;
  for (std::string_view piece; pieces_.next(piece);) {
    arena_.clear();
    if (!wire::read(request_of(method_), piece, arena_, batch_, refusal)) {
      return status_of(status_code::invalid_argument, refusal);
    }
    if (const std::string ignored = wire::ignored_values(batch_); !ignored.empty())
      registry_.log_ignored(session_->rm(), ignored);
  }
  checked_ = true;
  submitted_ = 0;
  if (pieces_.is_one()) return rpc_status{};
  pieces_.rewind();
  next_piece();
  return rpc_status{};
}

bool stream::next_piece() {
  std::string_view piece;
  if (!pieces_.next(piece)) return false;
  std::string refusal;
  arena_.clear();
  wire::read(request_of(method_), piece, arena_, batch_, refusal);  // as before
  submitted_ = 0;
  return true;
}

bool stream::ends() {
  const std::lock_guard lock(mutex_);
  return cancelled_ || ending_.has_value();
}

void stream::submit_rest() {
  outcome said;
  do {
    const std::span<const tenon_rm_message *const> all(batch_.messages);
    if (submitted_ == all.size()) continue;
    uint64_t accepted = 0;
    said = session_->host().submit(session_->id(), all.subspan(submitted_), accepted);
    submitted_ += accepted;
  } while (said.status == TENON_OK && next_piece());
  if (said.status == TENON_RETRY && !ends()) {
    registry_.retry_later(shared_from_this());
    return;
  }
  rpc_status status;
  if (said.status == TENON_DECLINED) {
    session_->ended_by_host();
    status = register_again();
  } else if (said.status == TENON_INVALID_CONFIG) {
    status = status_of(status_code::invalid_argument, said.message);
  } else if (said.status == TENON_EXHAUSTED) {
    status = status_of(status_code::resource_exhausted, said.message);
  } else if (said.status != TENON_OK && said.status != TENON_RETRY) {
    status = status_of(status_code::internal, "the scheduler could not take the request: " + said.message);
  }
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    held_ = false;
    more = status.ok() && !ending_;
  }
  if (!status.ok()) end(status);
  if (more) {
    read(&request_);
  } else {
    advance();
  }
}

void stream::on_done() {
  bool clean = !cancelled_ && !is_cancelled();
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
    clean = clean && said_goodbye_;
  }
  if (session_) session_->detach(self_, clean);
  registry_.closed(self_);
  const std::shared_ptr<stream> last = std::move(self_);  // may be the end of this
}

}  // namespace tenon::grpc_transport
