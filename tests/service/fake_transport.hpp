// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A transport in the test itself: what it is given is kept, and it takes as much as it is told to.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "rm_client.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::service::testing {

struct delivered {
  uint64_t number = 0;
  std::string partition;
  interface::heard what;
};

class fake_transport {
 public:
  void attach_to(scheduler &to, const std::string &name = "fake");

  // As an RM's side of the transport.
  interface::outcome enter(const interface::registration_request &request, uint32_t wants, uint64_t &session);
  interface::outcome submit(uint64_t session, std::span<const tenon_rm_message *const> messages);
  tenon_status signal(uint64_t session, uint32_t signal);
  tenon_status acknowledge(uint64_t session, const std::string &partition, uint64_t number);
  tenon_status sent(uint64_t session, const std::string &partition, uint64_t number);

  // How many answers of a session are taken before RETRY; without an entry all.
  void take_at_most(uint64_t session, uint64_t answers);
  void take_all(uint64_t session);
  void acknowledge_at_once(bool yes);
  // Whether what is taken is on the RM's connection at once.
  void send_at_once(bool yes);
  void fail_next_deliver();
  // Answers to checks by node; without an entry yes.
  void refuse_node(const std::string &node);

  [[nodiscard]] std::vector<delivered> taken(uint64_t session) const;
  [[nodiscard]] size_t count_taken(uint64_t session, uint32_t type) const;
  [[nodiscard]] std::map<uint64_t, uint32_t> ended() const;
  [[nodiscard]] uint64_t starts() const;
  // Waits until `done` holds; false when it does not within half a minute.
  bool wait(const std::function<bool()> &done) const;
  bool wait_for_answers(uint64_t session, size_t count) const;

 private:
  static fake_transport &of(tenon_instance *self) { return *reinterpret_cast<fake_transport *>(self); }
  static tenon_status start(tenon_instance *, const tenon_transport_start_in *, tenon_message *);
  static tenon_status stop(tenon_instance *, const tenon_transport_stop_in *, tenon_message *);
  static tenon_status deliver(tenon_instance *, const tenon_transport_deliver_in *, tenon_transport_deliver_out *);
  static tenon_status session_ended(tenon_instance *, const tenon_transport_ended_in *);
  static tenon_status check(tenon_instance *, const tenon_transport_check_in *, tenon_transport_check_out *);

  const tenon_host *host_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  uint64_t handle_ = 0, starts_ = 0;
  bool running_ = false, acknowledges_ = true, sends_ = true, fails_next_ = false;
  std::map<uint64_t, uint64_t> room_;
  std::map<uint64_t, std::vector<delivered>> taken_;
  std::map<uint64_t, uint32_t> ended_;
  std::set<std::string> refused_nodes_;
};

}  // namespace tenon::service::testing
