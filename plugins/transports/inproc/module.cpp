// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs in this process: requests go through as they are, answers are callbacks.
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "tenon/abi/host_local.h"
#include "tenon/sdk/transport.hpp"

namespace {

using namespace tenon::sdk;
using tenon::sdk::internal::guarded;

template <class Message>
const Message *as(const tenon_rm_message *message) {
  return reinterpret_cast<const Message *>(message);
}

class inproc {
 public:
  static constexpr std::string_view name = "inproc";

  void init(host_services &host) {
    host_ = host.handle();
    rm_ = host.find<tenon_host_rm>(TENON_HOST_RM);
    local_ = host.find<tenon_host_local>(TENON_HOST_LOCAL);
  }

  void start(uint64_t transport) {
    if (rm_ == nullptr || local_ == nullptr)
      throw invalid_config("this program has no resource managers in its process: it does not offer " TENON_HOST_LOCAL);
    transport_ = transport;
    port_ = {sizeof port_, 0, this, enter, submit, leave, dump};
    local_->open(host_, &port_);
    open_ = true;
  }

  void stop(std::chrono::milliseconds) {
    if (std::exchange(open_, false)) local_->close(host_, &port_);
    const std::unique_lock lock(mutex_);
    sessions_.clear();
  }

  // One call of `answers` for each run of messages that have no callback of their own.
  tenon_status deliver(const tenon_transport_deliver_in &in, uint64_t &taken) {
    const tenon_rm_callbacks *to = find(in.session);
    // A session that is being entered is not known yet.
    if (to == nullptr) return entering_ != 0 ? TENON_RETRY : TENON_DECLINED;
    uint64_t first = 0;
    const auto flush = [&](uint64_t until) {
      if (until != first && to->answers != nullptr) {
        const tenon_rm_answers_in run{sizeof run, 0, in.messages + first, until - first};
        to->answers(to->context, &run);
      }
      first = until + 1;
    };
    for (uint64_t i = 0; i < in.message_count; ++i) {
      const tenon_rm_message *one = in.messages[i];
      if (one->type < TENON_RM_PREDICATE) continue;
      flush(i);
      call(*to, one);
    }
    flush(in.message_count);
    taken = in.message_count;
    const tenon_rm_acknowledge_in has{sizeof has, 0, in.session, in.partition, in.first_number + taken - 1};
    rm_->acknowledge(host_, &has);
    return TENON_OK;
  }

  void ended(tenon_rm_session session, uint32_t why) {
    const tenon_rm_callbacks *to = find(session);
    if (to != nullptr && to->ended != nullptr) {
      const tenon_rm_ended_in in{sizeof in, why};
      to->ended(to->context, &in);
    }
    const std::unique_lock lock(mutex_);
    sessions_.erase(session);
  }

  bool check(const tenon_transport_check_in &in) {
    const tenon_rm_callbacks *to = find(in.session);
    return to == nullptr || to->predicate == nullptr || to->predicate(to->context, in.question) == TENON_OK;
  }

 private:
  static void call(const tenon_rm_callbacks &to, const tenon_rm_message *one) {
    if (one->type == TENON_RM_ASSUMED_ALLOCATION && to.assumed != nullptr)
      to.assumed(to.context, as<tenon_rm_assumption>(one));
    else if (one->type == TENON_RM_FORGOTTEN_ALLOCATION && to.forgotten != nullptr)
      to.forgotten(to.context, as<tenon_rm_assumption>(one));
    else if (one->type == TENON_RM_SCHEDULING_STATE && to.scheduling_state != nullptr)
      to.scheduling_state(to.context, as<tenon_rm_scheduling_state>(one));
    else if (one->type == TENON_RM_CONFIGURATION_ANSWER && to.configuration != nullptr)
      to.configuration(to.context, as<tenon_rm_configuration_answer>(one));
    else if (one->type == TENON_RM_EVENT && to.event != nullptr)
      to.event(to.context, as<tenon_rm_event>(one));
  }

  const tenon_rm_callbacks *find(tenon_rm_session session) const {
    const std::shared_lock lock(mutex_);
    const auto found = sessions_.find(session);
    return found == sessions_.end() ? nullptr : found->second.get();
  }

  static uint32_t wants(const tenon_rm_callbacks &of) {
    uint32_t out = 0;
    if (of.scheduling_state != nullptr) out |= TENON_RM_WANTS_SCHEDULING_STATES;
    if (of.assumed != nullptr || of.forgotten != nullptr) out |= TENON_RM_WANTS_ASSUMPTIONS;
    if (of.predicate != nullptr) out |= TENON_RM_WANTS_CHECKS;
    if (of.event != nullptr) out |= TENON_RM_WANTS_EVENTS;
    return out;
  }

  static tenon_status enter(void *context, const tenon_local_enter_in *in, tenon_local_enter_out *out) {
    auto &self = *static_cast<inproc *>(context);
    return guarded(
        [&] {
          auto callbacks = std::make_unique<tenon_rm_callbacks>();
          std::memcpy(callbacks.get(), in->callbacks, std::min<size_t>(in->callbacks->size, sizeof *callbacks));
          ++self.entering_;
          const tenon_rm_enter_in what{sizeof what, 0, self.transport_, in->registration, wants(*callbacks), 0};
          tenon_rm_enter_out told{sizeof told, 0, 0, out->error};
          const tenon_status status = self.rm_->enter(self.host_, &what, &told);
          if (status == TENON_OK) {
            const std::unique_lock lock(self.mutex_);
            self.sessions_[told.session] = std::move(callbacks);
            out->session = told.session;
          }
          --self.entering_;
          return status;
        },
        [&](std::string_view why) { explain(out->error, why); });
  }

  static tenon_status submit(void *context, const tenon_rm_submit_in *in, tenon_rm_submit_out *out) {
    auto &self = *static_cast<inproc *>(context);
    return self.rm_->submit(self.host_, in, out);
  }

  static tenon_status leave(void *context, const tenon_local_leave_in *in) {
    auto &self = *static_cast<inproc *>(context);
    const tenon_rm_signal_in signal{sizeof signal, TENON_RM_SHUTDOWN, in->session};
    return self.rm_->signal(self.host_, &signal);
  }

  static tenon_status dump(void *context, void (*take)(void *, tenon_rm_session, tenon_text), void *taker) {
    auto &self = *static_cast<inproc *>(context);
    return guarded(
        [&] {
          const auto buffer = std::make_unique<char[]>(most_dumped);
          const std::shared_lock lock(self.mutex_);
          for (const auto &[session, to] : self.sessions_) {
            if (to->state_dump == nullptr) continue;
            tenon_message said{sizeof said, most_dumped, buffer.get(), 0};
            if (to->state_dump(to->context, &said) == TENON_OK) take(taker, session, {buffer.get(), said.length});
          }
          return TENON_OK;
        },
        [](std::string_view) {});
  }

  static constexpr uint32_t most_dumped = 1U << 20;

  const tenon_host *host_ = nullptr;
  const tenon_host_rm *rm_ = nullptr;
  const tenon_host_local *local_ = nullptr;
  uint64_t transport_ = 0;
  tenon_local_port port_{};
  bool open_ = false;  // the port
  std::atomic<uint32_t> entering_{0};
  mutable std::shared_mutex mutex_;
  std::map<tenon_rm_session, std::unique_ptr<tenon_rm_callbacks>> sessions_;
};

}  // namespace

TENON_MODULE(transport<inproc>)
