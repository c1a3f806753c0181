// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "transport_runner.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tenon/host/thread_role.hpp"

namespace tenon::service {
namespace {

constexpr auto retry_after = std::chrono::milliseconds(2);

struct said_text {
  char buffer[1024];
  tenon_message message{sizeof(tenon_message), sizeof buffer, buffer, 0};
  [[nodiscard]] std::string text() const { return {buffer, std::min<size_t>(message.length, sizeof buffer)}; }
};

}  // namespace

transport_runner::transport_runner(runner_options options, const session_table &sessions,
                                   std::unique_ptr<host::bound_module> policy, const tenon_transport_v1 *table,
                                   tenon_instance *instance)
    : options_(std::move(options)), sessions_(sessions), policy_(std::move(policy)), instance_(instance) {
  if (table != nullptr) std::memcpy(&table_, table, std::min<size_t>(table->size, sizeof table_));
  has_check_ = table_.check != nullptr;
  status_.name = options_.name;
  status_.module = policy_ ? policy_->provider : "linked";
}

transport_runner::~transport_runner() { stop(); }

std::optional<std::string> transport_runner::start() {
  if (table_.start == nullptr || table_.stop == nullptr || table_.deliver == nullptr)
    return "its table has no start, stop or deliver";
  if (auto why = start_once()) return why;
  if (options_.threaded) thread_ = std::thread([this] { run(); });
  return std::nullopt;
}

std::optional<std::string> transport_runner::start_once() {
  const host::role_guard io(host::thread_role::io);
  const std::lock_guard lock(use_);
  said_text said;
  const tenon_transport_start_in in{sizeof in, 0, options_.handle};
  const tenon_status status = table_.start(instance_, &in, &said.message);
  if (status != TENON_OK) return said.text().empty() ? "start gave " + std::to_string(status) : said.text();
  running_ = true;
  const std::lock_guard seen(mutex_);
  status_.running = true;
  return std::nullopt;
}

void transport_runner::stop_once() {
  const host::role_guard io(host::thread_role::io);
  const std::lock_guard lock(use_);
  if (!running_) return;
  running_ = false;
  said_text said;
  const tenon_transport_stop_in in{sizeof in, static_cast<uint32_t>(options_.drain_ms)};
  const tenon_status status = table_.stop(instance_, &in, &said.message);
  if (status != TENON_OK) options_.log(options_.name + ": stop: " + said.text());
  const std::lock_guard seen(mutex_);
  status_.running = false;
}

void transport_runner::drain() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    something_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  const host::role_guard io(host::thread_role::io);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.drain_ms);
  while (deliver_all() == work_left::retry && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(retry_after);
}

void transport_runner::stop() {
  drain();
  {
    const host::role_guard io(host::thread_role::io);
    tell_all_ended();
  }
  stop_once();
}

void transport_runner::notify() {
  {
    const std::lock_guard lock(mutex_);
    if (notified_) return;
    notified_ = true;
  }
  something_.notify_one();  // without the lock, which the thread would find taken
}

void transport_runner::tell_ended(uint64_t session, uint32_t why) {
  const std::lock_guard lock(mutex_);
  ended_.emplace_back(session, why);
  notified_ = true;
  something_.notify_one();
}

void transport_runner::pump() {
  const host::role_guard io(host::thread_role::io);
  tell_all_ended();
  deliver_all();
}

void transport_runner::run() {
  const host::role_guard io(host::thread_role::io);
  pthread_setname_np(pthread_self(), "tenon-transport");
  bool again = false;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const auto wake = [&] { return notified_ || stopping_; };
      if (again)
        something_.wait_for(lock, retry_after, wake);
      else
        something_.wait(lock, wake);
      if (stopping_) return;
      notified_ = false;
    }
    tell_all_ended();
    again = deliver_all() == work_left::retry;
  }
}

transport_runner::work_left transport_runner::deliver_all() {
  const std::lock_guard lock(use_);
  if (!running_) return work_left::none;
  if (const uint64_t version = sessions_.version(); version != mine_version_) {
    mine_ = sessions_.all();
    std::erase_if(mine_, [&](const auto &one) { return one->transport != this; });
    mine_version_ = version;
  }
  auto out = work_left::none;
  for (const auto &session : mine_) {
    if (session->ended || !session->presence.is_here()) continue;
    if (deliver_to(*session) == work_left::retry) out = work_left::retry;
    if (!running_) return work_left::none;
  }
  return out;
}

transport_runner::work_left transport_runner::deliver_to(rm_session &session) {
  auto out = work_left::none;
  session.each_answer_queue([&](answer_queue &one) {
    const uint64_t seen = session.presence.seen();
    if (!running_ || session.ended || !rm_presence::is_here(seen)) return;
    tenon_status status = TENON_OK;
    const uint64_t taken = one.deliver([&](uint64_t first, std::span<const tenon_rm_message *const> messages) {
      const tenon_transport_deliver_in in{
          sizeof in,      0, session.who.id, {one.name().data(), one.name().size()}, first, messages.data(),
          messages.size()};
      tenon_transport_deliver_out told{sizeof told, 0, 0};
      status = table_.deliver(instance_, &in, &told);
      return status == TENON_OK ? messages.size() : status == TENON_RETRY ? told.taken : 0;
    });
    *options_.delivered += taken;
    if (status == TENON_RETRY) out = work_left::retry;
    if (status == TENON_DECLINED) session.presence.go_if(seen);  // until it says that the RM is back
    if (status != TENON_OK && status != TENON_RETRY && status != TENON_DECLINED) fault("deliver", status);
  });
  return out;
}

void transport_runner::tell_all_ended() {
  std::vector<std::pair<uint64_t, uint32_t>> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(ended_);
  }
  const std::lock_guard lock(use_);
  if (!running_ || table_.ended == nullptr) return;
  for (const auto &[session, why] : ended) {
    const tenon_transport_ended_in in{sizeof in, why, session};
    table_.ended(instance_, &in);
  }
}

// With `use_` held. Restarted, then stopped.
void transport_runner::fault(std::string_view slot, tenon_status status) {
  uint64_t restarts = 0;
  {
    const std::lock_guard lock(mutex_);
    ++status_.faults;
    status_.message = std::string(slot) + " gave status " + std::to_string(status);
    restarts = status_.restarts;
    status_.running = false;
  }
  running_ = false;
  said_text said;
  const tenon_transport_stop_in stop{sizeof stop, 0};
  table_.stop(instance_, &stop, &said.message);
  options_.log(options_.name + ": " + std::string(slot) + " gave status " + std::to_string(status) +
               (restarts < most_restarts ? "; it is restarted" : "; it is stopped"));
  give_up();
  if (restarts >= most_restarts) return;
  const tenon_transport_start_in start{sizeof start, 0, options_.handle};
  running_ = table_.start(instance_, &start, &said.message) == TENON_OK;
  const std::lock_guard lock(mutex_);
  ++status_.restarts;
  status_.running = running_;
}

void transport_runner::give_up() {
  for (const auto &session : mine_)
    if (!session->ended) options_.on_lost(*session);
}

bool transport_runner::check(const rm_session &of, std::string_view partition, std::string_view application,
                             std::string_view key, std::string_view node, bool allocate) {
  const auto text = [](std::string_view from) { return tenon_text{from.data(), from.size()}; };
  tenon_rm_predicate question{};
  question.size = sizeof question;
  question.type = TENON_RM_PREDICATE;
  question.key = text(key);
  question.node = text(node);
  question.allocate = allocate ? 1 : 0;
  const tenon_transport_check_in in{sizeof in, 0, of.who.id, text(partition), text(application), &question};
  tenon_transport_check_out out{sizeof out, 0};
  return table_.check(instance_, &in, &out) == TENON_OK && out.fits == 1;
}

transport_status transport_runner::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

}  // namespace tenon::service
