// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// libtenon in C++: the scheduler in the process of its resource managers. Header-only, on tenon.h.
//
//   tenon::rm::scheduler scheduler({.queues = queues_yaml});
//   tenon::rm::handlers on;
//   on.allocated = [](const tenon_rm_allocation &a) { run(a); };
//   tenon::rm::resource_manager rm(scheduler, {.name = "mine"}, std::move(on));
//   rm.submit(requests);
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/rm/tenon.h"

namespace tenon::rm {

// What a function of libtenon refused, in its words.
struct failed : std::runtime_error {
  failed(tenon_status why, const std::string &words) : std::runtime_error(words), status(why) {}
  tenon_status status;
};

[[nodiscard]] inline tenon_text text(std::string_view from) { return {from.data(), from.size()}; }
[[nodiscard]] inline std::string_view view(const tenon_text &from) {
  return from.length == 0 ? std::string_view() : std::string_view(from.data, from.length);
}

// A message with its size and type filled in: auto ask = message<tenon_rm_ask>(TENON_RM_ASK).
template <class Message>
[[nodiscard]] Message message(uint32_t type) {
  Message out{};
  out.size = sizeof out;
  out.type = type;
  return out;
}
template <class Message>
[[nodiscard]] const tenon_rm_message *header(const Message &of) {
  return reinterpret_cast<const tenon_rm_message *>(&of);
}

// Amounts by type; the types' names outlive it. Given in the order of their bytes.
class amounts {
 public:
  amounts(std::initializer_list<std::pair<std::string_view, int64_t>> of) {
    for (const auto &[type, value] : of) {
      types_.push_back(text(type));
      values_.push_back(value);
    }
  }
  [[nodiscard]] tenon_rm_amounts get() const {
    return {types_.data(), values_.data(), static_cast<uint32_t>(types_.size()), 1};
  }

 private:
  std::vector<tenon_text> types_;
  std::vector<int64_t> values_;
};

namespace internal {

struct words {
  std::string buffer = std::string(4096, '\0');
  tenon_message message{sizeof(tenon_message), 4096, buffer.data(), 0};
  void check(tenon_status status) const {
    if (status != TENON_OK) throw failed(status, buffer.substr(0, message.length));
  }
};

}  // namespace internal

// What an RM is called with. What is empty is not asked for. They throw nothing.
struct handlers {
  std::function<void(const tenon_rm_allocation &)> allocated;  // new ones: start it
  std::function<void(const tenon_rm_allocation &)> recovered;  // what the RM reported, and runs: nothing to start
  std::function<void(const tenon_rm_release &)> released;
  std::function<void(const tenon_rm_message &)> answered;   // every answer that has no handler of its own here
  std::function<bool(const tenon_rm_predicate &)> may_run;  // asked inside of a step
  std::function<void(const tenon_rm_assumption &)> assumed, forgotten;
  std::function<void(const tenon_rm_scheduling_state &)> scheduling_state;
  std::function<void(const tenon_rm_event &)> event;
  std::function<void(const tenon_rm_configuration_answer &)> configured;
  std::function<std::string()> state_dump;
  std::function<void(uint32_t why)> ended;
};

struct identity {
  std::string_view name = {}, version = {}, policy_group = {}, config = {};
  bool hold = false;  // nothing is placed before recovery_done()
};

namespace internal {

// Handlers that are called until `over`, and not after: whoever sets it waits for a call under way.
struct guarded_handlers {
  std::recursive_mutex in_use;
  bool over = false;
  handlers on;

  template <class Call>
  static tenon_status call(void *context, Call &&what) {
    auto &self = *static_cast<guarded_handlers *>(context);
    const std::lock_guard lock(self.in_use);
    return self.over ? TENON_DECLINED : what(self.on);
  }
};

}  // namespace internal

struct options {
  bool manual = false;  // nothing moves but by step()
  int64_t start_ms = 0;
  std::string deployment = {}, queues = {}, module_path = {}, journal = {};  // as in tenon.h
};

class scheduler {
 public:
  explicit scheduler(const options &how = {}) {
    tenon_scheduler_options c{};
    c.size = sizeof c;
    c.manual = how.manual ? 1 : 0;
    c.start_ms = how.start_ms;
    c.deployment = text(how.deployment);
    c.queues = text(how.queues);
    c.module_path = text(how.module_path);
    c.journal = text(how.journal);
    internal::words words;
    tenon_scheduler *made = nullptr;
    words.check(tenon_scheduler_open(&c, &made, &words.message));
    handle_.reset(made);
  }

  // Decisions made.
  uint32_t step(int64_t now_ms, uint32_t max_decisions = 1'000) {
    uint32_t made = 0;
    internal::words().check(tenon_scheduler_step(handle_.get(), now_ms, max_decisions, &made));
    return made;
  }
  void reload() {
    internal::words words;
    words.check(tenon_scheduler_reload(handle_.get(), nullptr, &words.message));
  }
  void reload(std::string_view queues) {
    internal::words words;
    const tenon_text given = text(queues);
    words.check(tenon_scheduler_reload(handle_.get(), &given, &words.message));
  }
  [[nodiscard]] std::string dump() {
    std::string out;
    const auto take = [](void *to, tenon_text json) { *static_cast<std::string *>(to) = view(json); };
    internal::words().check(tenon_scheduler_dump(handle_.get(), take, &out));
    return out;
  }
  // Question and answer in JSON: docs/what-if.md.
  [[nodiscard]] std::string what_if(std::string_view question, uint32_t timeout_ms = 0) {
    std::string out;
    const auto take = [](void *to, tenon_text json) { *static_cast<std::string *>(to) = view(json); };
    internal::words words;
    words.check(tenon_scheduler_what_if(handle_.get(), text(question), timeout_ms, take, &out, &words.message));
    return out;
  }
  void stop() { tenon_scheduler_stop(handle_.get()); }
  [[nodiscard]] tenon_scheduler *get() const { return handle_.get(); }

 private:
  friend class resource_manager;
  internal::guarded_handlers &keep(handlers on) {
    auto made = std::make_unique<internal::guarded_handlers>();
    made->on = std::move(on);
    const std::lock_guard lock(kept_->mutex);
    return *kept_->all.emplace_back(std::move(made));
  }

  struct closer {
    void operator()(tenon_scheduler *one) const { tenon_scheduler_close(one); }
  };
  struct kept {
    std::mutex mutex;
    std::vector<std::unique_ptr<internal::guarded_handlers>> all;
  };
  std::unique_ptr<kept> kept_ = std::make_unique<kept>();  // goes after the scheduler, which may call them
  std::unique_ptr<tenon_scheduler, closer> handle_;
};

// One registration. After its end no handler is called any more; the scheduler goes on without it, as if it were lost
// for good: leave() first to say goodbye. Does not outlive the scheduler.
class resource_manager {
 public:
  resource_manager(scheduler &with, const identity &who, handlers on) : kept_(with.keep(std::move(on))) {
    auto registration = message<tenon_rm_registration>(TENON_RM_REGISTRATION);
    registration.rm = text(who.name);
    registration.version = text(who.version);
    registration.policy_group = text(who.policy_group);
    registration.config = text(who.config);
    const tenon_text hold = text("recovery.hold"), yes = text("true");
    if (who.hold) registration.extra_config = {&hold, &yes, 1};
    const tenon_rm_callbacks callbacks = made_of(kept_);
    internal::words words;
    words.check(tenon_rm_register(with.get(), &registration, &callbacks, &handle_, &words.message));
  }
  ~resource_manager() {
    const std::lock_guard lock(kept_.in_use);
    kept_.over = true;
  }
  resource_manager(const resource_manager &) = delete;
  resource_manager &operator=(const resource_manager &) = delete;

  // The number taken: less than given where too much waits. Throws where one of them is malformed.
  size_t submit(std::span<const tenon_rm_message *const> messages) {
    uint64_t accepted = 0;
    internal::words words;
    const tenon_status status = tenon_rm_submit(handle_, messages.data(), messages.size(), &accepted, &words.message);
    if (status != TENON_RETRY) words.check(status);
    return accepted;
  }
  size_t submit(std::initializer_list<const tenon_rm_message *> messages) {
    return submit(std::span(messages.begin(), messages.size()));
  }
  // All that runs was submitted: scheduling begins. False: too much waits, say it again later.
  bool recovery_done() {
    auto report = message<tenon_rm_recovery_report>(TENON_RM_RECOVERY_REPORT);
    report.done = 1;
    return submit({header(report)}) == 1;
  }
  void leave() { tenon_rm_leave(handle_); }

 private:
  template <class Message>
  static const Message &as(const tenon_rm_message &from) {
    return reinterpret_cast<const Message &>(from);
  }
  static tenon_status answers(void *context, const tenon_rm_answers_in *in) {
    return internal::guarded_handlers::call(context, [in](const handlers &on) {
      for (uint64_t i = 0; i < in->message_count; ++i) {
        const tenon_rm_message &one = *in->messages[i];
        const bool allocation = one.type == TENON_RM_ALLOCATION;
        const auto &handler = allocation && as<tenon_rm_allocation>(one).recovered != 0 ? on.recovered : on.allocated;
        if (allocation && handler)
          handler(as<tenon_rm_allocation>(one));
        else if (one.type == TENON_RM_RELEASE && on.released)
          on.released(as<tenon_rm_release>(one));
        else if (on.answered)
          on.answered(one);
      }
      return TENON_OK;
    });
  }

  // A callback that hands one message to one handler.
  template <auto Handler, class Message>
  static tenon_status hand_over(void *context, const Message *one) {
    return internal::guarded_handlers::call(context, [one](const handlers &on) {
      (on.*Handler)(*one);
      return TENON_OK;
    });
  }

  static tenon_rm_callbacks made_of(internal::guarded_handlers &kept) {
    using internal::guarded_handlers;
    const handlers &on = kept.on;
    tenon_rm_callbacks out{};
    out.size = sizeof out;
    out.context = &kept;
    out.answers = answers;
    if (on.may_run)
      out.predicate = [](void *context, const tenon_rm_predicate *question) {
        return guarded_handlers::call(
            context, [question](const handlers &is) { return is.may_run(*question) ? TENON_OK : TENON_UNSCHEDULABLE; });
      };
    if (on.assumed) out.assumed = hand_over<&handlers::assumed, tenon_rm_assumption>;
    if (on.forgotten) out.forgotten = hand_over<&handlers::forgotten, tenon_rm_assumption>;
    if (on.scheduling_state) out.scheduling_state = hand_over<&handlers::scheduling_state, tenon_rm_scheduling_state>;
    if (on.event) out.event = hand_over<&handlers::event, tenon_rm_event>;
    if (on.configured) out.configuration = hand_over<&handlers::configured, tenon_rm_configuration_answer>;
    if (on.state_dump)
      out.state_dump = [](void *context, tenon_message *to) {
        return guarded_handlers::call(context, [to](const handlers &is) {
          const std::string said = is.state_dump();
          to->length = said.copy(to->data, to->capacity);
          return TENON_OK;
        });
      };
    if (on.ended)
      out.ended = [](void *context, const tenon_rm_ended_in *in) {
        return guarded_handlers::call(context, [in](const handlers &is) {
          is.ended(in->why);
          return TENON_OK;
        });
      };
    return out;
  }

  internal::guarded_handlers &kept_;
  tenon_rm *handle_ = nullptr;
};

}  // namespace tenon::rm
