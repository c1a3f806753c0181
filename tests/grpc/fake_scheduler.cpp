// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "fake_scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "loaded_transport.hpp"
#include "tenon/sdk/error.hpp"

namespace tenon::testing {
namespace {

// The one that is at work; the service's functions have no other way to it.
fake_scheduler *current = nullptr;

std::string copy(const tenon_text &text) { return std::string(sdk::view(text)); }

}  // namespace

fake_scheduler::fake_scheduler() : table_{sizeof table_, 0, enter, submit, signal, acknowledge, sent} {
  current = this;
  thread_ = std::thread([this] { run(); });
}

fake_scheduler::~fake_scheduler() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
  current = nullptr;
}

void fake_scheduler::deliver_through(loaded_transport *to) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !delivering_; });
  to_ = to;
  changed_.notify_all();
}

void fake_scheduler::note(const std::string &line) {
  seen_.push_back(line);
  changed_.notify_all();
}

std::vector<std::string> fake_scheduler::seen() {
  const std::lock_guard lock(mutex_);
  return seen_;
}

bool fake_scheduler::wait_for(const std::string &line, size_t times) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(30),
                           [&] { return static_cast<size_t>(std::count(seen_.begin(), seen_.end(), line)) >= times; });
}

fake_scheduler::session *fake_scheduler::alive(tenon_rm_session id) {
  const auto at = sessions_.find(id);
  return at == sessions_.end() || at->second.ended ? nullptr : &at->second;
}

tenon_status fake_scheduler::enter(const tenon_host *, const tenon_rm_enter_in *in, tenon_rm_enter_out *out) {
  std::string why;
  const tenon_status status = current->on_enter ? current->on_enter(*in->registration, why) : TENON_OK;
  sdk::explain(out->error, why);
  if (status != TENON_OK) return status;
  const std::lock_guard lock(current->mutex_);
  const std::string rm = copy(in->registration->rm);
  for (auto &[id, each] : current->sessions_) each.ended |= each.rm == rm;
  out->session = current->sessions_.size() + 1;
  current->sessions_[out->session].rm = rm;
  current->note("enter " + rm);
  return TENON_OK;
}

tenon_status fake_scheduler::submit(const tenon_host *, const tenon_rm_submit_in *in, tenon_rm_submit_out *out) {
  const std::lock_guard lock(current->mutex_);
  session *of = current->alive(in->session);
  if (of == nullptr) return TENON_DECLINED;
  if (current->take_nothing && in->message_count > 0) {
    current->note("not now");
    return TENON_RETRY;
  }
  if (current->retry_submits) {
    if (in->message_count > 0) current->take(*of, in->messages[0]);
    out->accepted = std::min<uint64_t>(in->message_count, 1);
    return out->accepted == in->message_count ? TENON_OK : TENON_RETRY;
  }
  for (uint64_t i = 0; i < in->message_count; ++i) {
    if (in->messages[i]->type == TENON_RM_ASK &&
        copy(reinterpret_cast<const tenon_rm_ask *>(in->messages[i])->key) == "malformed") {
      sdk::explain(out->error, "ask 'malformed': want another key");
      return TENON_INVALID_CONFIG;
    }
    current->take(*of, in->messages[i]);
    ++out->accepted;
  }
  current->changed_.notify_all();
  return TENON_OK;
}

void fake_scheduler::take(session &from, const tenon_rm_message *message) {
  switch (message->type) {
    case TENON_RM_APPLICATION: {
      const auto &sent = *reinterpret_cast<const tenon_rm_application *>(message);
      note("application " + copy(sent.application));
      from.answers.push_back({TENON_RM_ACCEPTED_APPLICATION, copy(sent.application), "", "", ""});
      break;
    }
    case TENON_RM_NODE: {
      const auto &sent = *reinterpret_cast<const tenon_rm_node *>(message);
      note("node " + copy(sent.node));
      from.node = copy(sent.node);
      from.answers.push_back({TENON_RM_ACCEPTED_NODE, from.node, "", "", ""});
      break;
    }
    case TENON_RM_ASK:
    case TENON_RM_ALLOCATION: {
      const bool ask = message->type == TENON_RM_ASK;
      const auto &as_ask = *reinterpret_cast<const tenon_rm_ask *>(message);
      const auto &as_allocation = *reinterpret_cast<const tenon_rm_allocation *>(message);
      const std::string key = copy(ask ? as_ask.key : as_allocation.key);
      if (answer_asks) {
        from.answers.push_back(
            {TENON_RM_ALLOCATION, key, copy(ask ? as_ask.application : as_allocation.application), from.node, ""});
      } else {
        note("ask " + key);
      }
      break;
    }
    case TENON_RM_RELEASE: {
      const auto &sent = *reinterpret_cast<const tenon_rm_release *>(message);
      from.answers.push_back({TENON_RM_RELEASE, copy(sent.uuid), copy(sent.application), "", ""});
      break;
    }
    default:
      note("message of type " + std::to_string(message->type));
  }
}

tenon_status fake_scheduler::signal(const tenon_host *, const tenon_rm_signal_in *in) {
  const std::lock_guard lock(current->mutex_);
  session *of = current->alive(in->session);
  if (of == nullptr) return TENON_DECLINED;
  of->connected = in->signal == TENON_RM_BACK;
  of->delivered = 0;
  ++of->rewinds;
  of->ended = in->signal == TENON_RM_SHUTDOWN;
  current->note((in->signal == TENON_RM_LOST ? "lost " : in->signal == TENON_RM_BACK ? "back " : "shutdown ") + of->rm);
  return TENON_OK;
}

tenon_status fake_scheduler::acknowledge(const tenon_host *, const tenon_rm_acknowledge_in *in) {
  const std::lock_guard lock(current->mutex_);
  session *of = current->alive(in->session);
  if (of == nullptr) return TENON_DECLINED;
  while (of->first <= in->number && !of->answers.empty() && of->delivered > 0) {
    of->answers.pop_front();
    ++of->first;
    --of->delivered;
  }
  current->changed_.notify_all();
  return TENON_OK;
}

tenon_status fake_scheduler::sent(const tenon_host *, const tenon_rm_acknowledge_in *in) {
  const std::lock_guard lock(current->mutex_);
  const session *of = current->alive(in->session);
  if (of == nullptr) return TENON_DECLINED;
  current->note("sent " + std::to_string(in->number) + " " + of->rm);
  return TENON_OK;
}

void fake_scheduler::end_session(const std::string &rm) {
  const std::lock_guard lock(mutex_);
  for (auto &[id, each] : sessions_) each.ended |= each.rm == rm;
}

void fake_scheduler::tell(const std::string &rm, uint32_t type, const std::string &key) {
  const std::lock_guard lock(mutex_);
  for (auto &[id, each] : sessions_) {
    if (each.rm == rm && !each.ended) each.answers.push_back({type, key, "app", "node", ""});
  }
  changed_.notify_all();
}

size_t fake_scheduler::unacknowledged(const std::string &rm) {
  const std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto &[id, each] : sessions_) count += each.rm == rm && !each.ended ? each.answers.size() : 0;
  return count;
}

size_t fake_scheduler::sessions() {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(
      std::count_if(sessions_.begin(), sessions_.end(), [](const auto &each) { return !each.second.ended; }));
}

void fake_scheduler::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    lock.unlock();
    const bool busy = deliver_some();
    lock.lock();
    if (!busy) changed_.wait_for(lock, std::chrono::milliseconds(1));
  }
}

bool fake_scheduler::deliver_some() {
  bool any = false;
  std::vector<tenon_rm_session> ids;
  {
    const std::lock_guard lock(mutex_);
    if (to_ == nullptr) return false;
    delivering_ = true;
    for (const auto &[id, each] : sessions_) {
      if (!each.ended && each.connected && each.delivered < each.answers.size()) ids.push_back(id);
    }
  }
  for (const tenon_rm_session id : ids) {
    std::vector<answer> batch;
    uint64_t first = 0, rewinds = 0;
    {
      const std::lock_guard lock(mutex_);
      session *of = alive(id);
      if (of == nullptr || !of->connected) continue;
      first = of->first + of->delivered;
      rewinds = of->rewinds;
      for (size_t i = of->delivered; i < of->answers.size() && batch.size() < 256; ++i) batch.push_back(of->answers[i]);
    }
    std::vector<tenon_rm_allocation> allocations(batch.size());
    std::vector<tenon_rm_verdict> verdicts(batch.size());
    std::vector<tenon_rm_release> releases(batch.size());
    std::vector<tenon_rm_check> checks(batch.size());
    std::vector<tenon_rm_recovery_state> states(batch.size());
    std::vector<const tenon_rm_message *> messages;
    for (size_t i = 0; i < batch.size(); ++i) {
      const answer &one = batch[i];
      if (one.type == TENON_RM_ALLOCATION) {
        tenon_rm_allocation &out = allocations[i];
        out.size = sizeof out;
        out.type = one.type;
        out.key = out.uuid = sdk::text(one.id);
        out.application = sdk::text(one.application);
        out.node = sdk::text(one.node);
        messages.push_back(reinterpret_cast<const tenon_rm_message *>(&out));
      } else if (one.type == TENON_RM_RELEASE) {
        tenon_rm_release &out = releases[i];
        out.size = sizeof out;
        out.type = one.type;
        out.uuid = sdk::text(one.id);
        out.application = sdk::text(one.application);
        out.termination = TENON_TERMINATION_STOPPED_BY_RM;
        messages.push_back(reinterpret_cast<const tenon_rm_message *>(&out));
      } else if (one.type == TENON_RM_CHECK) {
        tenon_rm_check &out = checks[i];
        out.size = sizeof out;
        out.type = one.type;
        out.key = sdk::text(one.id);
        out.application = sdk::text(one.application);
        out.node = sdk::text(one.node);
        messages.push_back(reinterpret_cast<const tenon_rm_message *>(&out));
      } else if (one.type == TENON_RM_RECOVERY_STATE) {
        tenon_rm_recovery_state &out = states[i];
        out.size = sizeof out;
        out.type = one.type;
        messages.push_back(reinterpret_cast<const tenon_rm_message *>(&out));
      } else {
        tenon_rm_verdict &out = verdicts[i];
        out.size = sizeof out;
        out.type = one.type;
        out.id = sdk::text(one.id);
        messages.push_back(reinterpret_cast<const tenon_rm_message *>(&out));
      }
    }
    const tenon_transport_deliver_in in{sizeof in, 0, id, {}, first, messages.data(), messages.size()};
    uint64_t taken = 0;
    if (!messages.empty()) to_->deliver(in, taken);
    const std::lock_guard lock(mutex_);
    if (session *of = alive(id); of != nullptr && of->first + of->delivered == first && of->rewinds == rewinds) {
      of->delivered += taken;
    }
    any |= taken > 0;
  }
  const std::lock_guard lock(mutex_);
  delivering_ = false;
  changed_.notify_all();
  return any;
}

}  // namespace tenon::testing
