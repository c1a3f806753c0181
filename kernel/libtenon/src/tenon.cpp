// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/rm/tenon.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>

#include "embedded.hpp"
#include "tenon/observe/what_if_json.hpp"

namespace {

using tenon::embedded::instance;

void say(tenon_message *to, std::string_view words) {
  if (to == nullptr || to->data == nullptr) return;
  to->length = std::min<uint64_t>(words.size(), to->capacity);
  std::memcpy(to->data, words.data(), to->length);
}

// No exception leaves a function of libtenon.
template <class Body>
tenon_status guarded(tenon_message *error, Body &&body) {
  try {
    return body();
  } catch (const std::exception &failed) {
    say(error, failed.what());
  } catch (...) {
    say(error, "an exception of an unknown type");
  }
  return TENON_INTERNAL;
}

tenon_status closed(tenon_message *error) {
  say(error, "the scheduler stops");
  return TENON_RETRY;
}

}  // namespace

tenon_status tenon_scheduler_open(const tenon_scheduler_options *options, tenon_scheduler **out, tenon_message *error) {
  if (options == nullptr || out == nullptr || !TENON_COVERS(options, tenon_scheduler_options, journal))
    return TENON_UNSUPPORTED;
  *out = nullptr;
  return guarded(error, [&] {
    auto made = tenon::embedded::open(*options);
    if (!made) {
      say(error, made.why().text());
      return TENON_INVALID_CONFIG;
    }
    *out = static_cast<tenon_scheduler *>(made->release());
    return TENON_OK;
  });
}

tenon_status tenon_scheduler_step(tenon_scheduler *self, int64_t now_ms, uint32_t max_decisions, uint32_t *made) {
  return guarded(nullptr, [&] {
    if (!self->service->is_manual()) return TENON_UNSUPPORTED;
    const uint32_t count = self->service->step(max_decisions, now_ms);
    if (made != nullptr) *made = count;
    return TENON_OK;
  });
}

tenon_status tenon_scheduler_reload(tenon_scheduler *self, const tenon_text *queues, tenon_message *error) {
  return guarded(error, [&] {
    const auto why = queues == nullptr
                         ? self->service->reload()
                         : self->service->reload({{"default", std::string(queues->data, queues->length)}});
    if (!why) return TENON_OK;
    say(error, why->text());
    return TENON_INVALID_CONFIG;
  });
}

tenon_status tenon_scheduler_dump(tenon_scheduler *self, void (*take)(void *context, tenon_text json), void *context) {
  return guarded(nullptr, [&] {
    std::map<uint64_t, std::string> said;
    const auto keep = [](void *to, tenon_rm_session session, tenon_text words) {
      (*static_cast<std::map<uint64_t, std::string> *>(to))[session] = std::string(words.data, words.length);
    };
    if (const tenon_local_port *port = self->port.get()) port->dump(port->context, keep, &said);
    std::shared_ptr<const tenon::frozen_state> state;
    if (!self->service->call([&](tenon::service::cycle_access &on) { state = on.state().freeze(); }))
      return closed(nullptr);
    const std::string json = tenon::embedded::dump(state->plain(), self->service->rms(), said, self->journal_failure());
    take(context, {json.data(), json.size()});
    return TENON_OK;
  });
}

tenon_status tenon_scheduler_what_if(tenon_scheduler *self, tenon_text question, uint32_t timeout_ms,
                                     void (*take)(void *context, tenon_text json), void *context,
                                     tenon_message *error) {
  return guarded(error, [&] {
    const auto asked = tenon::observe::parse_question({question.data, question.length}, "question");
    if (!asked) {
      say(error, asked.why().text());
      return TENON_INVALID_CONFIG;
    }
    using cost = tenon::observe::services::what_if_cost;
    const std::chrono::milliseconds within(timeout_ms == 0 ? 10'000 : timeout_ms);
    const tenon::observe::what_if_said said =
        self->people->all().what_if(*asked, {}, within, self->service->is_manual() ? cost::own : cost::in_turn);
    if (said.status != TENON_OK) {
      say(error, said.why.text());
      return said.status;
    }
    const std::string json = boost::json::serialize(said.answer);
    take(context, {json.data(), json.size()});
    return TENON_OK;
  });
}

void tenon_scheduler_stop(tenon_scheduler *self) {
  static_cast<void>(guarded(nullptr, [&] { return self->service->stop(), TENON_OK; }));
}

void tenon_scheduler_close(tenon_scheduler *self) {
  if (self == nullptr) return;
  static_cast<void>(guarded(nullptr, [&] { return delete self, TENON_OK; }));
}

tenon_status tenon_rm_register(tenon_scheduler *self, const tenon_rm_registration *registration,
                               const tenon_rm_callbacks *callbacks, tenon_rm **out, tenon_message *error) {
  if (self == nullptr || registration == nullptr || callbacks == nullptr || out == nullptr) return TENON_UNSUPPORTED;
  *out = nullptr;
  return guarded(error, [&] {
    const tenon_local_port *port = self->port.get();
    if (port == nullptr) return closed(error);
    auto rm = std::make_unique<tenon_rm>(tenon_rm{self, 0});
    const tenon_local_enter_in in{sizeof in, 0, registration, callbacks};
    char unread[1];
    tenon_message nowhere{sizeof nowhere, sizeof unread, unread, 0};
    tenon_local_enter_out told{sizeof told, 0, 0, error == nullptr ? &nowhere : error};
    const tenon_status status = port->enter(port->context, &in, &told);
    if (status != TENON_OK) return status;
    rm->session = told.session;
    const std::lock_guard lock(self->rms_mutex);
    *out = self->rms.emplace_back(std::move(rm)).get();
    return TENON_OK;
  });
}

tenon_status tenon_rm_submit(tenon_rm *self, const tenon_rm_message *const *messages, uint64_t message_count,
                             uint64_t *accepted, tenon_message *error) {
  const tenon_local_port *port = self->of->port.get();
  if (accepted != nullptr) *accepted = 0;
  if (port == nullptr) return closed(error);
  const tenon_rm_submit_in in{sizeof in, 0, self->session, messages, message_count};
  char unread[1];
  tenon_message nowhere{sizeof nowhere, sizeof unread, unread, 0};
  tenon_rm_submit_out out{sizeof out, 0, 0, error == nullptr ? &nowhere : error};
  const tenon_status status = port->submit(port->context, &in, &out);
  if (accepted != nullptr) *accepted = out.accepted;
  return status;
}

tenon_status tenon_rm_leave(tenon_rm *self) {
  const tenon_local_port *port = self->of->port.get();
  if (port == nullptr) return TENON_DECLINED;
  const tenon_local_leave_in in{sizeof in, 0, self->session};
  return port->leave(port->context, &in);
}
