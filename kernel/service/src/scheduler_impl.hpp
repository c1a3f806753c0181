// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The threads of a scheduler: who calls the cycle, and when.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "configuration_store.hpp"
#include "cycle_thread.hpp"
#include "fact_relay.hpp"
#include "handler_memory.hpp"
#include "rm_events.hpp"
#include "rm_service.hpp"
#include "service_state.hpp"
#include "tenon/service/scheduler.hpp"
#include "translate.hpp"
#include "transport_runner.hpp"

namespace tenon::service {

struct scheduler::impl final : rm_calls {
  impl(std::unique_ptr<host::module_host> host, scheduler_options given);
  ~impl() override;

  using work = std::function<void(cycle &)>;

  std::optional<refusal> start();
  void stop();
  uint32_t step(uint32_t max_decisions, std::optional<int64_t> now_ms, std::optional<partition_id> only);
  // Before start(): reads the policy groups' texts, and what people sent in their place.
  std::optional<refusal> open_configurations();
  configured configure(const people_configuration &sent);
  configured reload_files(const reload_wish &wish);
  std::optional<refusal> reload_texts(const std::map<std::string, std::string> &texts);
  [[nodiscard]] result<scheduler::configuration_source> source_of(const std::string &policy_group) const;
  [[nodiscard]] std::vector<configuration_revision> revisions() const;
  result<module_swap_outcome> swap_module(const module_swap_wish &wish);
  void post(work what);
  // Of whoever must have it done: waits for as long as it takes.
  bool call(const work &what);
  // Of readers and people: does not wait for a module that holds the cycle thread up.
  bool call_unless_held_up(const work &what);
  const tenon_host *linked_host();
  service_counters counters() const;
  std::vector<rm_status> rms();

  tenon_status enter(const tenon_rm_enter_in &in, tenon_rm_enter_out &out) override;
  tenon_status submit(const tenon_rm_submit_in &in, tenon_rm_submit_out &out) override;
  tenon_status signal(const tenon_rm_signal_in &in) override;
  tenon_status acknowledge(const tenon_rm_acknowledge_in &in) override;
  tenon_status sent(const tenon_rm_acknowledge_in &in) override;

  struct linked_transport {
    std::string name;
    const tenon_transport_v1 *table;
    tenon_instance *instance;
  };

  std::unique_ptr<host::module_host> modules;  // goes last
  const scheduler_options options;
  service_state shared;
  std::vector<decision_listener> listeners;
  std::vector<turn_listener> turn_listeners;
  std::vector<std::function<void()>> end_listeners;
  fact_listener *fact_taker = nullptr;
  fact_relay facts;
  std::unique_ptr<events::event_hub> hub;  // outlives whoever asks it
  std::vector<linked_transport> attached;
  std::vector<std::unique_ptr<transport_runner>> runners;

 private:
  using groups_by_name = std::map<std::string, group_config>;
  [[nodiscard]] std::vector<std::string> group_names() const;  // that have a source
  [[nodiscard]] std::string place_of(const std::string &policy_group) const;
  result<group_config> read_source(const std::string &policy_group) const;
  std::optional<refusal> use_kept(const std::vector<stored_configuration> &kept, groups_by_name &groups);
  configured configure_group(const people_configuration &sent, group_config config);
  configured configure_rm(const people_configuration &sent, group_config config);
  void keep(const group_config &one, const std::string &policy_group, const std::string &rm, configured &told);
  // Puts groups in force for all RMs that use them, or for none; RMs that are named lose what people sent for them.
  std::optional<refusal> put_in_force(groups_by_name groups, const std::set<std::string> &dropped_rms, bool only_tried);
  void tell_of_start();
  void clean_store();
  tenon_status refuse_registration(const std::string &rm, tenon_status status, const std::string &why,
                                   tenon_rm_enter_out &out);
  void forget_sent_for(const std::string &rm);  // it has a configuration of its own
  result<group_config> configuration_of(std::string_view rm, const tenon_rm_registration &from) const;
  std::optional<refusal> make_hub();
  std::optional<refusal> make_runners();
  std::optional<refusal> start_runners();
  void run_cycle_thread();
  void turn();
  void turn_later(int64_t now_ms, int64_t at_ms);
  void wake();
  int64_t now_ms();  // not in manual mode
  void drain_requests();
  void run_manual(const work *what);
  bool call(const work &what, const std::function<bool()> &gives_up);
  void copy_kernel_counters();
  void send_events();

  configuration_reader read_configuration_;
  std::mutex swapping_;             // one module at a time
  mutable std::mutex configuring_;  // of what follows, and of whatever changes groups
  std::optional<configuration_store> store_;
  uint64_t last_revision_ = 0;
  std::vector<std::string> found_at_start_;  // what became of what was kept, to be told once there are events
  std::unique_ptr<cycle> cycle_;
  const tenon_host *linked_host_ = nullptr;
  bool started_ = false;
  std::mutex refusing_;  // of the log's lines about refused registrations
  uint64_t untold_refusals_ = 0;
  std::optional<std::chrono::steady_clock::time_point> last_told_refusal_;
  std::atomic<bool> stopped_{false};
  std::mutex stop_mutex_;

  // Manual mode: whoever calls is the cycle thread for so long.
  std::recursive_mutex manual_mutex_;
  uint32_t manual_depth_ = 0;
  std::vector<work> manual_later_;

  // Else: the cycle thread.
  handler_memory wake_memory_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> stay_{io_.get_executor()};
  boost::asio::steady_timer timer_{io_};
  running_clock clock_;                 // of the cycle thread
  std::optional<int64_t> timer_at_ms_;  // when it looks for work by itself
  std::atomic<bool> awake_{false};      // a turn comes that sees what is submitted now
  bool turn_posted_ = false;
  std::thread thread_;
  std::atomic<bool> cycle_over_{false};

  // For RMs that want events: of the deployment's hub, or of one without sinks. Begun with the first of them.
  std::mutex rm_events_mutex_;
  std::unique_ptr<events::event_hub> own_hub_;
  std::unique_ptr<rm_events> rm_events_;
  events::event_hub *noted_ = nullptr;  // of the two, which takes what the cycle thread notes; null: there is none

  mutable std::mutex counters_mutex_;
  kernel_counters kernel_counters_;

  std::mutex rms_mutex_;
  std::vector<rm_status> last_rms_;  // as whoever asked last was told
};

}  // namespace tenon::service
