// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "sink_runner.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>

#include "record_maker.hpp"
#include "tenon/host/thread_role.hpp"

namespace tenon::events {
namespace {

using namespace std::chrono_literals;

// Records of one call, at most: large transactions are cheap, and a query waits for no longer than one.
constexpr size_t most_at_once = 4096;
constexpr auto restart_window = 10min;
constexpr auto query_patience = 5s;

// Room for the message of one call.
struct call_text {
  std::array<char, 512> buffer{};
  tenon_message message{sizeof message, sizeof buffer, buffer.data(), 0};
  [[nodiscard]] std::string text() const { return {buffer.data(), std::min<size_t>(message.length, buffer.size())}; }
};

}  // namespace

sink_runner::sink_runner(host::listed_module from, std::unique_ptr<host::bound_module> sink, const hub_options &options)
    : from_(std::move(from)), options_(options), answers_(sink->sink->query != nullptr), sink_(std::move(sink)) {
  status_.module = from_.module;
  status_.name = from_.name;
  status_.answers = answers_;
  thread_ = std::thread([this] { work(); });
}

sink_runner::~sink_runner() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (waiting_records_ != 0 && status_.now != sink_status::state::stopped)
    warn(std::to_string(waiting_records_) + " records are lost: it did not take them before the stop");
}

void sink_runner::take(const shared_batch &batch) {
  const uint64_t first = batch->records().front().id, last = batch->records().back().last_id;
  {
    const std::lock_guard lock(mutex_);
    const uint64_t count = batch->records().size();
    const bool dead = status_.now == sink_status::state::stopped;
    if (dead || waiting_records_ + count > options_.sink_records) {
      status_.lost += count;
      if (!dead) say_loss(first, last);
      if (waiting_.empty()) passed_ = last;
      return;
    }
    if (unsaid_first_ != 0) line_up_loss(batch->records().front());
    waiting_.push_back(batch);
    waiting_records_ += count;
  }
  changed_.notify_all();
}

// The record about what was lost, with the run and time of another one; the lock is held.
void sink_runner::line_up_loss(const tenon_event_record &like) {
  auto loss = std::make_shared<record_batch>();
  const std::string_view run(like.run.data, like.run.length);
  add_loss(*loss, unsaid_first_, unsaid_last_, run, like.timestamp_ns, from_.module + " did not keep up");
  unsaid_first_ = 0;
  waiting_.push_back(std::move(loss));
  ++waiting_records_;
}

// Losses that follow each other are one; the lock is held.
void sink_runner::say_loss(uint64_t first, uint64_t last) {
  if (unsaid_first_ == 0) {
    unsaid_first_ = first;
    warn("records from " + std::to_string(first) + " on are lost: it does not keep up");
  }
  unsaid_last_ = last;
}

// What goes into the next call; it stays in line until it is done.
void sink_runner::gather(std::vector<tenon_event_record> &records, std::vector<shared_batch> &owners) {
  for (const shared_batch &batch : waiting_) {
    if (!owners.empty() && records.size() + batch->records().size() > most_at_once) break;
    records.insert(records.end(), batch->records().begin(), batch->records().end());
    owners.push_back(batch);
  }
}

tenon_status sink_runner::emit(const std::vector<tenon_event_record> &records, std::string &message) {
  const std::lock_guard alone(calls_);
  call_text said;
  const tenon_event_emit_in in{sizeof in, sizeof(tenon_event_record), records.data(), records.size()};
  tenon_event_emit_out out{sizeof out, 0, &said.message};
  const tenon_status status = sink_->sink->emit(sink_->instance, &in, &out);
  message = said.text();
  return status;
}

void sink_runner::work() {
  const host::role_guard role(host::thread_role::io);
  pthread_setname_np(pthread_self(), "tenon-sink");
  std::chrono::milliseconds pause = 20ms;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;  // it had its time: whoever stops it waits before
    if (status_.now == sink_status::state::stopped) {
      status_.lost += waiting_records_;
      passed_ = waiting_.back()->records().back().last_id;
      waiting_.clear();
      waiting_records_ = 0;
      changed_.notify_all();
      continue;
    }
    std::vector<tenon_event_record> records;
    std::vector<shared_batch> owners;
    gather(records, owners);
    lock.unlock();
    std::string message;
    const tenon_status status = emit(records, message);
    const bool alive = status != TENON_INTERNAL || make_anew(message);
    lock.lock();
    if (status == TENON_OK || status == TENON_DECLINED) {
      done(owners.size(), status, message);
      pause = 20ms;
      continue;
    }
    if (!alive) {
      stop_for_good(message);
      continue;
    }
    if (status_.now != sink_status::state::waiting) warn("cannot take records now: " + message);
    status_.now = sink_status::state::waiting;
    status_.message = message;
    changed_.wait_for(lock, pause, [&] { return stopping_; });
    pause = std::min(pause * 2, options_.retry_at_most);
  }
}

// The first batches are kept, or will never be.
void sink_runner::done(size_t batches, tenon_status status, const std::string &message) {
  if (status_.now == sink_status::state::waiting && status == TENON_OK) warn("takes records again");
  status_.now = sink_status::state::working;
  status_.message = status == TENON_OK ? std::string{} : message;
  for (size_t i = 0; i < batches; ++i) {
    const auto &records = waiting_.front()->records();
    waiting_records_ -= records.size();
    (status == TENON_OK ? status_.kept : status_.lost) += records.size();
    passed_ = records.back().last_id;
    if (status == TENON_OK) {
      status_.acknowledged = passed_;
    } else {
      say_loss(records.front().id, passed_);
    }
    const shared_batch last = std::move(waiting_.front());
    waiting_.pop_front();
    if (!waiting_.empty() || unsaid_first_ == 0) continue;
    if (status == TENON_OK) {
      line_up_loss(last->records().back());
    } else {
      passed_ = unsaid_last_;
    }
  }
  changed_.notify_all();
}

// After a fault. False: it had its chances.
bool sink_runner::make_anew(const std::string &message) {
  const auto now = clock::now();
  while (!restarts_.empty() && restarts_.front() + restart_window < now) restarts_.pop_front();
  if (restarts_.size() >= options_.most_restarts) return false;
  restarts_.push_back(now);
  warn("is made anew after a fault" + (message.empty() ? "" : ": " + message));
  const std::lock_guard alone(calls_);
  const host::role_guard role(host::thread_role::main);  // nothing else touches this instance
  sink_.reset();
  auto made = from_.make();
  {
    const std::lock_guard lock(mutex_);
    ++status_.restarts;
  }
  if (!made) {
    warn("cannot be made: " + made.why().text());
    return false;
  }
  sink_ = std::move(*made);
  return true;
}

void sink_runner::stop_for_good(const std::string &message) {
  status_.now = sink_status::state::stopped;
  status_.message = message.empty() ? "it failed too often" : message;
  warn("is stopped: " + status_.message);
}

tenon_status sink_runner::query(const tenon_event_query_in &wanted, tenon_event_query_out &out) {
  if (!calls_.try_lock_for(query_patience)) return TENON_RETRY;
  const std::lock_guard alone(calls_, std::adopt_lock);
  if (sink_ == nullptr) return TENON_RETRY;
  const host::role_guard role(host::thread_role::io);
  return sink_->sink->query(sink_->instance, &wanted, &out);
}

bool sink_runner::wait_for(uint64_t id, clock::time_point until) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, until, [&] { return passed_ >= id; });
}

bool sink_runner::wait_for(uint64_t id, clock::time_point until, const std::atomic<bool> &given_up) const {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [&] { return passed_ >= id || given_up; });
  return passed_ >= id;
}

void sink_runner::wake_waiting() const {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

sink_status sink_runner::status() const {
  const std::lock_guard lock(mutex_);
  sink_status out = status_;
  out.waiting = waiting_records_;
  return out;
}

void sink_runner::warn(const std::string &message) const {
  if (options_.warn) options_.warn("event sink " + from_.module + ": " + message);
}

}  // namespace tenon::events
