// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A host that says yes: it accepts applications and nodes, and places every ask on the node that came last. It keeps
// answers, numbered, until they are acknowledged, as the contract of transports wants it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tenon/abi/transport.h"

namespace tenon::testing {

class loaded_transport;

class fake_scheduler {
 public:
  fake_scheduler();
  ~fake_scheduler();
  fake_scheduler(const fake_scheduler &) = delete;
  fake_scheduler &operator=(const fake_scheduler &) = delete;

  // The host service; answers are delivered through `to` from now on.
  const tenon_host_rm *service() const { return &table_; }
  void deliver_through(loaded_transport *to);

  // How it behaves; set before it is used.
  std::function<tenon_status(const tenon_rm_registration &, std::string &why)> on_enter;
  std::atomic<bool> retry_submits = false;  // takes one message at a time
  std::atomic<bool> take_nothing = false;   // "not now", each time
  bool answer_asks = true;

  // What happened, as lines: "enter a", "lost a", "back a", "shutdown a", "sent 1 a", "application app", "ask key" ...
  std::vector<std::string> seen();
  bool wait_for(const std::string &line, size_t times = 1);

  void end_session(const std::string &rm);  // as the host does when an RM stayed away too long
  void tell(const std::string &rm, uint32_t type, const std::string &key);
  size_t unacknowledged(const std::string &rm);
  size_t sessions();

 private:
  struct answer {
    uint32_t type;
    std::string id, application, node, partition;
  };
  struct session {
    std::string rm;
    bool ended = false;
    bool connected = true;
    uint64_t first = 1;  // number of answers.front()
    size_t delivered = 0;
    uint64_t rewinds = 0;  // how often nothing counted as delivered any more
    std::string node = "none";
    std::deque<answer> answers;
  };

  static tenon_status enter(const tenon_host *, const tenon_rm_enter_in *, tenon_rm_enter_out *out);
  static tenon_status submit(const tenon_host *, const tenon_rm_submit_in *, tenon_rm_submit_out *out);
  static tenon_status signal(const tenon_host *, const tenon_rm_signal_in *);
  static tenon_status acknowledge(const tenon_host *, const tenon_rm_acknowledge_in *);
  static tenon_status sent(const tenon_host *, const tenon_rm_acknowledge_in *);

  void note(const std::string &line);
  void take(session &from, const tenon_rm_message *message);
  void run();
  bool deliver_some();
  session *alive(tenon_rm_session id);

  tenon_host_rm table_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> seen_;
  std::map<tenon_rm_session, session> sessions_;
  loaded_transport *to_ = nullptr;
  bool delivering_ = false;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace tenon::testing
