// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "made_scheduler.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace tenon::conformance {
namespace {

// Services are found by the host alone, which is the same for every scheduler.
std::atomic<made_scheduler *> current = nullptr;

template <class In>
bool is_filled(const In *in) {
  return in != nullptr && in->size >= sizeof(In);
}

std::string copied(const tenon_text &text) {
  return text.length == 0 ? std::string() : std::string(text.data, text.length);
}

void say(tenon_message *to, std::string_view words) {
  if (to == nullptr || to->data == nullptr) return;
  to->length = std::min<uint64_t>(words.size(), to->capacity);
  std::memcpy(to->data, words.data(), to->length);
}

}  // namespace

made_scheduler::made_scheduler() {
  static constexpr tenon_host_rm rm{sizeof(tenon_host_rm), 0, enter, submit, signal, acknowledge, sent};
  static constexpr tenon_host_local local{sizeof(tenon_host_local), 0, open_port, close_port};
  current = this;
  test_host::offer(TENON_HOST_RM, &rm);
  test_host::offer(TENON_HOST_LOCAL, &local);
}

made_scheduler::~made_scheduler() {
  test_host::offer(TENON_HOST_RM, nullptr);
  test_host::offer(TENON_HOST_LOCAL, nullptr);
  current = nullptr;
}

void made_scheduler::refuse(tenon_status status, std::string words) {
  const std::scoped_lock lock(mutex_);
  refusal_ = status;
  refusal_words_ = std::move(words);
}

void made_scheduler::take_at_most(size_t count, std::chrono::milliseconds after) {
  const std::scoped_lock lock(mutex_);
  most_taken_ = count;
  submit_takes_ = after;
}

std::optional<read_message> made_scheduler::registration_of(std::string_view rm) {
  const tenon_rm_session id = session_of(rm);
  const std::scoped_lock lock(mutex_);
  const known_session *of = find(id);
  return of == nullptr ? std::nullopt : std::optional(of->registration);
}

tenon_rm_session made_scheduler::session_of(std::string_view rm) {
  const std::scoped_lock lock(mutex_);
  tenon_rm_session out = 0;
  for (const auto &[id, of] : sessions_) {
    if (of.rm == rm) out = id;
  }
  return out;
}

std::vector<read_message> made_scheduler::requests(tenon_rm_session session, size_t at_least,
                                                   std::chrono::milliseconds within) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, within,
                    [&] { return find(session) != nullptr && find(session)->requests.size() >= at_least; });
  return find(session) == nullptr ? std::vector<read_message>() : find(session)->requests;
}

std::vector<uint32_t> made_scheduler::signals(tenon_rm_session session, size_t at_least,
                                              std::chrono::milliseconds within) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, within,
                    [&] { return find(session) != nullptr && find(session)->signals.size() >= at_least; });
  return find(session) == nullptr ? std::vector<uint32_t>() : find(session)->signals;
}

void made_scheduler::offers(tenon_rm_session session, std::string_view partition, uint64_t last_number) {
  const std::scoped_lock lock(mutex_);
  uint64_t &offered = offered_[{session, std::string(partition)}];
  offered = std::max(offered, last_number);
}

std::vector<std::string> made_scheduler::complaints() {
  std::vector<std::string> out = test_host::complaints();
  const std::scoped_lock lock(mutex_);
  out.insert(out.end(), wrongs_.begin(), wrongs_.end());
  return out;
}

const tenon_local_port *made_scheduler::port() {
  const std::scoped_lock lock(mutex_);
  return port_;
}

void made_scheduler::complain(std::string what) {
  const std::scoped_lock lock(mutex_);
  if (wrongs_.size() < 8) wrongs_.push_back(std::move(what));
}

made_scheduler::known_session *made_scheduler::find(tenon_rm_session id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

made_scheduler *made_scheduler::called(const char *slot) {
  made_scheduler *self = current;
  if (self == nullptr) return nullptr;
  ++self->calls_;
  if (!self->open_) self->complain(std::string(slot) + " was called before start or after stop returned");
  return self;
}

tenon_status made_scheduler::enter(const tenon_host *, const tenon_rm_enter_in *in, tenon_rm_enter_out *out) {
  made_scheduler *self = called("enter");
  if (self == nullptr) return TENON_RETRY;
  if (!is_filled(in) || out == nullptr || in->registration == nullptr) {
    self->complain("enter was called without a registration");
    return TENON_UNSUPPORTED;
  }
  if (in->transport != transport_name) self->complain("enter was called with another transport than start named");
  const std::scoped_lock lock(self->mutex_);
  if (self->refusal_ != TENON_OK) {
    say(out->error, self->refusal_words_);
    return self->refusal_;
  }
  out->session = first_session + self->sessions_.size();
  known_session &fresh = self->sessions_[out->session];
  fresh.rm = copied(in->registration->rm);
  fresh.registration = read_values(reinterpret_cast<const tenon_rm_message *>(in->registration));
  return TENON_OK;
}

tenon_status made_scheduler::submit(const tenon_host *, const tenon_rm_submit_in *in, tenon_rm_submit_out *out) {
  made_scheduler *self = called("submit");
  if (self == nullptr) return TENON_DECLINED;
  if (!is_filled(in) || out == nullptr || (in->message_count != 0 && in->messages == nullptr)) {
    self->complain("submit was called without its input or output");
    return TENON_UNSUPPORTED;
  }
  std::unique_lock lock(self->mutex_);
  known_session *of = self->find(in->session);
  if (of == nullptr) return TENON_DECLINED;
  if (self->submit_takes_.count() != 0) {
    const auto time = self->submit_takes_;
    lock.unlock();
    std::this_thread::sleep_for(time);
    lock.lock();
  }
  const bool few = self->most_taken_ != SIZE_MAX;
  const size_t room = few && ++self->submits_ % 3 == 0 ? 0 : self->most_taken_;
  for (uint64_t i = 0; i < in->message_count && i < room; ++i) {
    of->requests.push_back(read_values(in->messages[i]));
    ++out->accepted;
  }
  self->changed_.notify_all();
  return out->accepted == in->message_count ? TENON_OK : TENON_RETRY;
}

tenon_status made_scheduler::signal(const tenon_host *, const tenon_rm_signal_in *in) {
  made_scheduler *self = called("signal");
  if (self == nullptr) return TENON_DECLINED;
  if (!is_filled(in)) {
    self->complain("signal was called without its input");
    return TENON_UNSUPPORTED;
  }
  if (in->signal < TENON_RM_LOST || in->signal > TENON_RM_SHUTDOWN)
    self->complain("signal was called with " + std::to_string(in->signal) + ", which is no signal");
  const std::scoped_lock lock(self->mutex_);
  known_session *of = self->find(in->session);
  if (of == nullptr) return TENON_DECLINED;
  of->signals.push_back(in->signal);
  self->changed_.notify_all();
  return TENON_OK;
}

void made_scheduler::want_offered(const char *slot, const tenon_rm_acknowledge_in &in) {
  uint64_t offered = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = offered_.find(std::pair(in.session, copied(in.partition)));
    if (found != offered_.end()) offered = found->second;
  }
  if (in.number > offered)
    complain(std::string(slot) + " was called with answer " + std::to_string(in.number) + " of partition '" +
             copied(in.partition) + "', of which the transport was given " + std::to_string(offered));
}

uint64_t made_scheduler::acknowledged(tenon_rm_session session, std::string_view partition,
                                      std::chrono::milliseconds within) {
  std::unique_lock lock(mutex_);
  const std::pair of(session, std::string(partition));
  const auto last = [&] {
    const auto found = acknowledged_.find(of);
    return found == acknowledged_.end() ? uint64_t{0} : found->second;
  };
  changed_.wait_for(lock, within, [&] { return last() != 0; });
  return last();
}

tenon_status made_scheduler::acknowledge(const tenon_host *, const tenon_rm_acknowledge_in *in) {
  made_scheduler *self = called("acknowledge");
  if (self == nullptr) return TENON_DECLINED;
  if (!is_filled(in)) {
    self->complain("acknowledge was called without its input");
    return TENON_UNSUPPORTED;
  }
  self->want_offered("acknowledge", *in);
  const std::scoped_lock lock(self->mutex_);
  uint64_t &last = self->acknowledged_[std::pair(in->session, copied(in->partition))];
  last = std::max(last, in->number);
  self->changed_.notify_all();
  return TENON_OK;
}

tenon_status made_scheduler::sent(const tenon_host *, const tenon_rm_acknowledge_in *in) {
  made_scheduler *self = called("sent");
  if (self == nullptr) return TENON_DECLINED;
  if (!is_filled(in)) {
    self->complain("sent was called without its input");
    return TENON_UNSUPPORTED;
  }
  self->want_offered("sent", *in);
  return TENON_OK;
}

tenon_status made_scheduler::open_port(const tenon_host *, const tenon_local_port *port) {
  made_scheduler *self = called("open");
  if (self == nullptr) return TENON_UNSUPPORTED;
  if (test_host::thread() != TENON_THREAD_IO) self->complain("open was called on another thread than start");
  const std::scoped_lock lock(self->mutex_);
  self->port_ = port;
  return TENON_OK;
}

tenon_status made_scheduler::close_port(const tenon_host *, const tenon_local_port *port) {
  made_scheduler *self = called("close");
  if (self == nullptr) return TENON_UNSUPPORTED;
  if (test_host::thread() != TENON_THREAD_IO) self->complain("close was called on another thread than stop");
  if (port != self->port()) self->complain("close was called with a port that is not open");
  const std::scoped_lock lock(self->mutex_);
  self->port_ = nullptr;
  return TENON_OK;
}

}  // namespace tenon::conformance
