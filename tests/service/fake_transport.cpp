// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "fake_transport.hpp"

#include <algorithm>
#include <chrono>

namespace tenon::service::testing {
namespace {

constexpr tenon_text text(std::string_view from) { return {from.data(), from.size()}; }

struct text_buffer {
  char buffer[4096];
  tenon_message message{sizeof(tenon_message), sizeof buffer, buffer, 0};
  [[nodiscard]] std::string text() const { return {buffer, message.length}; }
};

}  // namespace

void fake_transport::attach_to(scheduler &to, const std::string &name) {
  static constexpr tenon_transport_v1 table{sizeof(tenon_transport_v1), 0, start, stop, deliver, session_ended, check};
  host_ = to.linked_host();
  to.attach(name, &table, reinterpret_cast<tenon_instance *>(this));
}

interface::outcome fake_transport::enter(const interface::registration_request &request, uint32_t wants,
                                         uint64_t &session) {
  tenon_rm_registration registration{};
  registration.size = sizeof registration;
  registration.type = TENON_RM_REGISTRATION;
  registration.rm = text(request.rm);
  registration.version = text(request.version);
  registration.policy_group = text(request.policy_group);
  registration.config = text(request.config);
  std::vector<tenon_text> names, values;
  for (const auto &[name, value] : request.extra_config) {
    names.push_back(text(name));
    values.push_back(text(value));
  }
  registration.extra_config = {names.data(), values.data(), names.size()};
  text_buffer error;
  uint64_t handle = 0;
  {
    const std::lock_guard lock(mutex_);
    handle = handle_;
  }
  const tenon_rm_enter_in in{sizeof in, 0, handle, &registration, wants, 0};
  tenon_rm_enter_out out{sizeof out, 0, 0, &error.message};
  const tenon_status status = scheduler::rm_service()->enter(host_, &in, &out);
  session = out.session;
  return {status == TENON_OK, status, error.text(), 0};
}

interface::outcome fake_transport::submit(uint64_t session, std::span<const tenon_rm_message *const> messages) {
  text_buffer error;
  const tenon_rm_submit_in in{sizeof in, 0, session, messages.data(), messages.size()};
  tenon_rm_submit_out out{sizeof out, 0, 0, &error.message};
  const tenon_status status = scheduler::rm_service()->submit(host_, &in, &out);
  return {status == TENON_OK, status, error.text(), out.accepted};
}

tenon_status fake_transport::signal(uint64_t session, uint32_t signal) {
  const tenon_rm_signal_in in{sizeof in, signal, session};
  return scheduler::rm_service()->signal(host_, &in);
}

tenon_status fake_transport::acknowledge(uint64_t session, const std::string &partition, uint64_t number) {
  const tenon_rm_acknowledge_in in{sizeof in, 0, session, text(partition), number};
  return scheduler::rm_service()->acknowledge(host_, &in);
}

tenon_status fake_transport::sent(uint64_t session, const std::string &partition, uint64_t number) {
  const tenon_rm_acknowledge_in in{sizeof in, 0, session, text(partition), number};
  return scheduler::rm_service()->sent(host_, &in);
}

void fake_transport::take_at_most(uint64_t session, uint64_t answers) {
  const std::lock_guard lock(mutex_);
  room_[session] = answers;
}

void fake_transport::take_all(uint64_t session) {
  const std::lock_guard lock(mutex_);
  room_.erase(session);
}

void fake_transport::acknowledge_at_once(bool yes) {
  const std::lock_guard lock(mutex_);
  acknowledges_ = yes;
}

void fake_transport::send_at_once(bool yes) {
  const std::lock_guard lock(mutex_);
  sends_ = yes;
}

void fake_transport::fail_next_deliver() {
  const std::lock_guard lock(mutex_);
  fails_next_ = true;
}

void fake_transport::refuse_node(const std::string &node) {
  const std::lock_guard lock(mutex_);
  refused_nodes_.insert(node);
}

std::vector<delivered> fake_transport::taken(uint64_t session) const {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(session);
  return found == taken_.end() ? std::vector<delivered>() : found->second;
}

size_t fake_transport::count_taken(uint64_t session, uint32_t type) const {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(session);
  if (found == taken_.end()) return 0;
  return static_cast<size_t>(std::count_if(found->second.begin(), found->second.end(),
                                           [&](const delivered &one) { return one.what.type == type; }));
}

std::map<uint64_t, uint32_t> fake_transport::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

uint64_t fake_transport::starts() const {
  const std::lock_guard lock(mutex_);
  return starts_;
}

bool fake_transport::wait(const std::function<bool()> &done) const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!done()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(10));
  }
  return true;
}

bool fake_transport::wait_for_answers(uint64_t session, size_t count) const {
  return wait([&] { return taken(session).size() >= count; });
}

tenon_status fake_transport::start(tenon_instance *self, const tenon_transport_start_in *in, tenon_message *) {
  fake_transport &fake = of(self);
  const std::lock_guard lock(fake.mutex_);
  fake.handle_ = in->transport;
  fake.running_ = true;
  ++fake.starts_;
  return TENON_OK;
}

tenon_status fake_transport::stop(tenon_instance *self, const tenon_transport_stop_in *, tenon_message *) {
  fake_transport &fake = of(self);
  const std::lock_guard lock(fake.mutex_);
  fake.running_ = false;
  return TENON_OK;
}

tenon_status fake_transport::deliver(tenon_instance *self, const tenon_transport_deliver_in *in,
                                     tenon_transport_deliver_out *out) {
  fake_transport &fake = of(self);
  bool acknowledges = false, sends = false;
  const std::string partition(in->partition.data, in->partition.length);
  {
    const std::lock_guard lock(fake.mutex_);
    if (std::exchange(fake.fails_next_, false)) return TENON_INTERNAL;
    uint64_t count = in->message_count;
    if (const auto limit = fake.room_.find(in->session); limit != fake.room_.end()) {
      count = std::min(count, limit->second);
      limit->second -= count;
    }
    for (uint64_t i = 0; i < count; ++i)
      fake.taken_[in->session].push_back({in->first_number + i, partition, interface::copy_of(*in->messages[i])});
    out->taken = count;
    acknowledges = fake.acknowledges_;
    sends = fake.sends_;
    fake.changed_.notify_all();
  }
  if (sends && out->taken != 0) fake.sent(in->session, partition, in->first_number + out->taken - 1);
  if (acknowledges && out->taken != 0) fake.acknowledge(in->session, partition, in->first_number + out->taken - 1);
  return out->taken == in->message_count ? TENON_OK : TENON_RETRY;
}

tenon_status fake_transport::session_ended(tenon_instance *self, const tenon_transport_ended_in *in) {
  fake_transport &fake = of(self);
  const std::lock_guard lock(fake.mutex_);
  fake.ended_[in->session] = in->why;
  fake.changed_.notify_all();
  return TENON_OK;
}

tenon_status fake_transport::check(tenon_instance *self, const tenon_transport_check_in *in,
                                   tenon_transport_check_out *out) {
  fake_transport &fake = of(self);
  const std::lock_guard lock(fake.mutex_);
  const std::string node(in->question->node.data, in->question->node.length);
  out->fits = fake.refused_nodes_.contains(node) ? 0 : 1;
  return TENON_OK;
}

}  // namespace tenon::service::testing
