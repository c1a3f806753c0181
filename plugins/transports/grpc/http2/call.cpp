// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <algorithm>
#include <utility>

#include "endpoint.hpp"
#include "http2_connection.hpp"
#include "inflate.hpp"

namespace tenon::grpc_transport {

call::call(std::unique_ptr<incoming> in)
    : opened_(std::move(in)), from_(&opened_->from), in_(opened_->most, can_inflate(opened_->head.encoding)) {
  from_->attach(*this);
  opened_->at.add(*this);
}

template <class F>
void call::on_thread(F act) {
  if (opened_->at.is_here()) return act();
  opened_->at.post(std::move(act));
}

bool call::one_more() {
  int count = under_way_;
  do {
    if (count == 0) return false;
  } while (!under_way_.compare_exchange_weak(count, count + 1));
  return true;
}

void call::cancel() {
  if (!one_more()) return;
  on_thread([this] {
    if (from_ != nullptr) from_->reset(*this, NGHTTP2_CANCEL);
    one_less();
  });
}

void call::ask_for_life() {
  if (!one_more()) return;
  on_thread([this] {
    if (from_ != nullptr) from_->ask();
    one_less();
  });
}

void call::read(std::string *to) {
  ++under_way_;
  on_thread([this, to] { begin_read(to); });
}

void call::write(std::string what) {
  ++under_way_;
  on_thread([this, bytes = std::move(what)]() mutable { begin_write(std::move(bytes), true); });
}

void call::finish(rpc_status how) {
  on_thread([this, end = std::move(how)]() mutable { begin_finish(std::move(end)); });
}

void call::write_and_finish(std::string what, rpc_status how) {
  on_thread([this, bytes = std::move(what), end = std::move(how)]() mutable {
    begin_write(std::move(bytes), false);
    begin_finish(std::move(end));
  });
}

void call::is_known() {
  ++under_way_;
  on_thread([this] {
    opened_->at.is_known(*this);
    if (from_ != nullptr && window_ == narrow_window && from_->take_wide()) window_ = wide_window;
    let_more_come();
    one_less();
  });
}

void call::begin_read(std::string *to) {
  read_to_ = to;
  const size_t before = in_.held();
  in_.forget_last();
  if (from_ != nullptr) from_->let_go(before - in_.held());
  give_back_room();
  let_more_come();
  opened_->at.touch(*this);
}

void call::begin_write(std::string what, bool tell) {
  tells_ = tell;
  if (from_ == nullptr || refused_) return written(false);
  const size_t size = what.size();
  out_.assign(1, '\0');  // not compressed
  for (const int shift : {24, 16, 8, 0}) out_ += static_cast<char>(size >> shift & 0xff);
  out_ += what;
  out_at_ = 0;
  if (std::exchange(told_, told::messages) == told::nothing) {
    from_->begin_answer(*this);
  } else if (std::exchange(idle_, false)) {
    from_->resume(*this);
  }
}

void call::begin_finish(rpc_status how) {
  if (from_ != nullptr && !refused_) say_end(std::move(how));
  one_less();
}

void call::say_end(rpc_status how) {
  end_ = std::move(how);
  if (told_ == told::nothing) {
    told_ = told::all;
    from_->answer_at_once(*this, *end_);
  } else if (std::exchange(idle_, false)) {
    from_->resume(*this);
  }
}

ssize_t call::fill(std::span<uint8_t> out, uint32_t &flags) {
  const size_t count = std::min(out.size(), out_.size() - out_at_);
  std::copy_n(out_.begin() + static_cast<ptrdiff_t>(out_at_), count, out.begin());
  out_at_ += count;
  if (out_at_ < out_.size()) return static_cast<ssize_t>(count);
  if (count != 0 && tells_) from_->will_tell(*this);
  if (end_) {
    flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    told_ = told::all;
    from_->end_answer(*this, *end_);
  } else if (count == 0) {
    idle_ = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  return static_cast<ssize_t>(count);
}

void call::came(std::string_view bytes) {
  if (refused_ || end_) return;  // nobody reads it
  from_->hold(bytes.size());
  const rpc_status problem = in_.take(bytes);
  if (!problem.ok()) return refuse(problem);
  if (in_.has_message()) {
    from_->had_message();
    opened_->at.touch(*this);
  }
  let_more_come();
}

void call::half_closed() {
  no_more_ = true;
  opened_->at.touch(*this);
}

void call::closed() {
  if (!end_sent_ || refused_) cancelled_ = true;
  give_back_room();
  from_->let_go(in_.held());
  if (window_ == wide_window) from_->give_wide();
  from_ = nullptr;
  opened_->at.touch(*this);
}

void call::written(bool ok) {
  if (!tells_) return;
  written_ = ok;
  opened_->at.touch(*this);
}

void call::refuse(const rpc_status &why) {
  if (!can_be_refused()) return;
  refused_ = true;
  if (out_at_ < out_.size()) {  // the middle of a message: no status can follow
    from_->reset(*this, NGHTTP2_CANCEL);
  } else {
    say_end(why);
  }
  cancelled_ = true;
  opened_->at.touch(*this);
}

void call::react() {
  touched_ = false;
  ++under_way_;  // until all reactions of now are over
  const bool gone = from_ == nullptr || refused_;
  if (cancelled_ && !std::exchange(told_cancel_, true)) on_cancel();
  if (gone && tells_ && !written_) written_ = false;
  if (written_) {
    const bool ok = *std::exchange(written_, std::nullopt);
    tells_ = false;
    on_written(ok);
    one_less();
  }
  if (read_to_ != nullptr) {
    if (!gone && in_.has_message()) {
      deliver();
    } else if (gone || no_more_) {
      read_to_ = nullptr;
      on_read(false);
      one_less();
    }
  }
  if (from_ == nullptr && !std::exchange(told_end_, true)) one_less();
  one_less();
}

void call::deliver() {
  const rpc_status problem = in_.next(*read_to_);
  if (!problem.ok()) return refuse(problem);
  has_read_ = true;
  read_to_ = nullptr;
  on_read(true);
  one_less();
}

void call::one_less() {
  if (--under_way_ != 0) return;
  opened_->at.forget(*this);
  on_done();
}

void call::let_more_come() {
  if (from_ == nullptr || refused_ || no_more_) return;
  const auto of = [](size_t bytes) { return static_cast<int64_t>(bytes); };
  const int64_t target = std::max<int64_t>(0, of(window_ + room_) - of(in_.held()));
  const int64_t may_come = from_->may_come(*this);
  const int64_t lacks = of(in_.lacks());
  const bool stands = lacks > may_come && !in_.has_given();
  if (stands && lacks > target) return ask_for_room(in_.held() + in_.lacks() - window_);
  if (target > may_come && (target - may_come >= of(window_) / 2 || stands)) from_->let_come(*this, target - may_come);
}

void call::ask_for_room(size_t bytes) {
  if (asked_room_ != 0) return;
  if (stranger_) {
    if (!opened_->at.take_large_of_stranger(bytes)) {
      return refuse({status_code::resource_exhausted,
                     "want fewer large requests at one time from those who have not said who they are; try again"});
    }
    large_of_stranger_ = true;
  }
  asked_room_ = bytes;
  from_->want_room(*this, bytes);
}

void call::got_room(size_t bytes) {
  room_ = bytes;
  let_more_come();
}

void call::give_back_room() {
  if (asked_room_ == 0) return;
  if (std::exchange(large_of_stranger_, false)) opened_->at.give_large_of_stranger(asked_room_);
  asked_room_ = 0;
  if (from_ != nullptr) from_->give_back_room(*this, std::exchange(room_, 0));
}

}  // namespace tenon::grpc_transport
