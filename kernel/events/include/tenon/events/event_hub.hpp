// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The hub: takes facts from the cycle thread, makes records of them on a thread of its own, and hands those to the
// deployment's sinks, each on a thread of its own, and to subscribers.
//
//   auto sinks = host->event_sinks();                       // result
//   auto hub = event_hub::start(std::move(*sinks), {});     // result
//   kernel.set_fact_listener(&(*hub)->listener());          // on the cycle thread from now on
//   (*hub)->offer_to(*host);                                // tenon.host.events for modules
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tenon/abi/event_sink.h"
#include "tenon/abi/host_events.h"
#include "tenon/host/module_host.hpp"
#include "tenon/kernel/facts.hpp"

namespace tenon::events {

struct hub_options {
  size_t input_bytes = size_t{16} << 20;  // facts that wait for the event thread
  size_t sink_records = 100'000;          // records that wait for one sink
  size_t subscriptions = 64;
  size_t most_restarts = 3;                        // of one sink within ten minutes; then it is stopped
  std::chrono::milliseconds retry_at_most{5'000};  // between two tries of a batch that a sink cannot take now
  std::chrono::milliseconds drain{5'000};          // what is under way may take so long at the end
  std::string run;                                 // names this run; empty: a random UUID
  std::function<void(const std::string &)> warn;   // a line for the log, from any thread; may be empty
};

struct sink_status {
  std::string module, name;
  enum class state : uint8_t { working, waiting, stopped } now = state::working;
  std::string message;        // why it waits or is stopped
  uint64_t kept = 0;          // records that it took
  uint64_t lost = 0;          // records that it never will
  uint64_t acknowledged = 0;  // it keeps everything up to this id that is not counted as lost
  uint64_t waiting = 0;       // records before it
  uint64_t restarts = 0;
  bool answers = false;  // queries
};

struct hub_counters {
  uint64_t created = 0;        // records, lost ones included
  uint64_t published = 0;      // records handed to sinks and subscribers
  uint64_t lost = 0;           // records that found no room on their way to the event thread
  uint64_t input_used = 0;     // bytes that wait there
  uint64_t subscriptions = 0;  // open ones
  uint64_t lost_by_subscribers = 0;
  std::vector<sink_status> sinks;
};

// What a person did to the scheduler, for the record.
struct audit_note {
  std::string who, action, object, message;
  std::string partition, application, queue, node;
};

class event_hub {
 public:
  // Makes the sinks; refused with the first one that cannot be made.
  [[nodiscard]] static result<std::unique_ptr<event_hub>> start(std::vector<host::listed_module> sinks,
                                                                hub_options options);
  // What was told goes out, as far as `drain` allows. The kernel must not tell anything any more.
  ~event_hub();
  event_hub(const event_hub &) = delete;
  event_hub &operator=(const event_hub &) = delete;

  // For kernels of one cycle thread. Never waits.
  [[nodiscard]] fact_listener &listener();
  // From any thread.
  void audit(const audit_note &note, int64_t now_ms);

  [[nodiscard]] const std::string &run() const;

  // As in tenon/abi/host_events.h; from any thread but the cycle's and the sinks' own.
  tenon_status query(const tenon_event_query_in &wanted, tenon_event_query_out &out);
  tenon_status range(tenon_events_range_out &out);
  tenon_status subscribe(const tenon_events_subscribe_in &in, tenon_events_subscribe_out &out);
  tenon_status take(const tenon_events_take_in &in, tenon_events_take_out &out);
  tenon_status unsubscribe(tenon_event_subscription subscription);

  // Waits until a query can give the id, or one beyond it, or it is given up: whoever sets the flag wakes those who
  // wait.
  bool wait_for(uint64_t id, std::chrono::steady_clock::time_point until, const std::atomic<bool> &given_up) const;
  void wake_waiting() const;

  // Waits until all that was told before the call is with every sink that works. False: it took longer.
  bool flush(std::chrono::milliseconds at_most);

  // From any thread.
  [[nodiscard]] hub_counters counters() const;
  // What a health check should say; empty: all is well.
  [[nodiscard]] std::vector<std::string> warnings() const;

  // tenon.host.events; the hub outlives the host's modules.
  void offer_to(host::module_host &host);

 private:
  struct impl;
  explicit event_hub(std::unique_ptr<impl> state);
  std::unique_ptr<impl> impl_;
};

}  // namespace tenon::events
