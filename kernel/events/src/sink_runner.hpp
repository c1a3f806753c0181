// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One sink at work: its thread, the records before it, and what becomes of it when it cannot take them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "tenon/events/event_hub.hpp"
#include "tenon/events/record_batch.hpp"
#include "tenon/events/turn_lock.hpp"

namespace tenon::events {

class sink_runner {
 public:
  // `sink` was made by `from`.
  sink_runner(host::listed_module from, std::unique_ptr<host::bound_module> sink, const hub_options &options);
  ~sink_runner();  // what is left is lost; see drain()
  sink_runner(const sink_runner &) = delete;
  sink_runner &operator=(const sink_runner &) = delete;

  // By the event thread; never waits for the sink.
  void take(const shared_batch &batch);

  [[nodiscard]] bool answers() const { return answers_; }
  // By any thread; waits for the sink to end what it does. RETRY when that takes too long.
  tenon_status query(const tenon_event_query_in &wanted, tenon_event_query_out &out);
  // Waits until everything up to the id is kept or lost. False: it took longer, or the sink is stopped.
  bool wait_for(uint64_t id, std::chrono::steady_clock::time_point until) const;

  // The same, until it is given up as well: whoever sets the flag wakes those who wait.
  bool wait_for(uint64_t id, std::chrono::steady_clock::time_point until, const std::atomic<bool> &given_up) const;
  void wake_waiting() const;

  [[nodiscard]] sink_status status() const;

 private:
  using clock = std::chrono::steady_clock;

  void work();
  void line_up_loss(const tenon_event_record &like);
  void say_loss(uint64_t first, uint64_t last);
  void gather(std::vector<tenon_event_record> &records, std::vector<shared_batch> &owners);
  tenon_status emit(const std::vector<tenon_event_record> &records, std::string &message);
  void done(size_t batches, tenon_status status, const std::string &message);
  bool make_anew(const std::string &message);
  void stop_for_good(const std::string &message);
  void warn(const std::string &message) const;

  const host::listed_module from_;
  const hub_options options_;
  bool answers_ = false;

  turn_lock calls_;  // held around every call of the instance
  std::unique_ptr<host::bound_module> sink_;
  std::deque<clock::time_point> restarts_;

  mutable std::mutex mutex_;  // of all that follows
  mutable std::condition_variable changed_;
  std::deque<shared_batch> waiting_;
  uint64_t waiting_records_ = 0;
  uint64_t unsaid_first_ = 0, unsaid_last_ = 0;  // lost, and not in a record yet; 0: nothing is
  uint64_t passed_ = 0;                          // everything up to this id is kept or lost
  sink_status status_;
  bool stopping_ = false;
  std::thread thread_;  // after all that it uses
};

}  // namespace tenon::events
