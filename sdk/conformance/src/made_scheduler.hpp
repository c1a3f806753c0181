// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The scheduler that a transport under test sees: it takes what RMs send and keeps all of it, as slowly as a check
// wants, and says what was wrong with how it was called.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rm_message.hpp"
#include "tenon/abi/host_local.h"
#include "tenon/abi/host_rm.h"
#include "test_host.hpp"

namespace tenon::conformance {

// Names the transport under test to the services.
inline constexpr uint64_t transport_name = 0x7A115;
// Sessions are numbered from here: no index of anything.
inline constexpr tenon_rm_session first_session = 0x5E551000;

// The services tenon.host.rm and tenon.host.local of every test_host while it lives. One at a time.
class made_scheduler {
 public:
  made_scheduler();
  ~made_scheduler();
  made_scheduler(const made_scheduler &) = delete;
  made_scheduler &operator=(const made_scheduler &) = delete;

  // Services may be called between start and stop.
  void may_be_called(bool may) { open_ = may; }

  // RMs that enter from now on get this; OK: they may.
  void refuse(tenon_status status, std::string words);
  // Each call of submit takes so long and so many requests at most; every third one takes none.
  void take_at_most(size_t count, std::chrono::milliseconds after);

  // What became of an RM: its registration as it arrived, and its latest session; 0: it never entered.
  [[nodiscard]] std::optional<read_message> registration_of(std::string_view rm);
  [[nodiscard]] tenon_rm_session session_of(std::string_view rm);
  // Requests and signals of a session; waits until there are so many.
  [[nodiscard]] std::vector<read_message> requests(tenon_rm_session session, size_t at_least,
                                                   std::chrono::milliseconds within);
  [[nodiscard]] std::vector<uint32_t> signals(tenon_rm_session session, size_t at_least,
                                              std::chrono::milliseconds within);

  // Answers of a session about a partition up to this number may be acknowledged.
  void offers(tenon_rm_session session, std::string_view partition, uint64_t last_number);

  // Up to which of them the transport acknowledged; waits until there is any.
  [[nodiscard]] uint64_t acknowledged(tenon_rm_session session, std::string_view partition,
                                      std::chrono::milliseconds within);

  // What the transport did wrong, with any of its hosts.
  [[nodiscard]] std::vector<std::string> complaints();
  [[nodiscard]] size_t calls() const { return calls_; }

  // The port that the transport opened; null: none is open.
  [[nodiscard]] const tenon_local_port *port();

 private:
  struct known_session {
    std::string rm;
    read_message registration;
    std::vector<read_message> requests;
    std::vector<uint32_t> signals;
  };

  static made_scheduler *called(const char *slot);
  static tenon_status enter(const tenon_host *, const tenon_rm_enter_in *, tenon_rm_enter_out *out);
  static tenon_status submit(const tenon_host *, const tenon_rm_submit_in *, tenon_rm_submit_out *out);
  static tenon_status signal(const tenon_host *, const tenon_rm_signal_in *);
  static tenon_status acknowledge(const tenon_host *, const tenon_rm_acknowledge_in *);
  static tenon_status sent(const tenon_host *, const tenon_rm_acknowledge_in *);
  static tenon_status open_port(const tenon_host *, const tenon_local_port *);
  static tenon_status close_port(const tenon_host *, const tenon_local_port *);

  void complain(std::string what);
  // With mutex_ held; null: there is no such session.
  known_session *find(tenon_rm_session id);
  void want_offered(const char *slot, const tenon_rm_acknowledge_in &in);

  std::atomic<bool> open_ = false;
  std::atomic<size_t> calls_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> wrongs_;
  const tenon_local_port *port_ = nullptr;
  std::map<tenon_rm_session, known_session> sessions_;
  // By session and partition: the number of the last answer that the transport was given.
  std::map<std::pair<tenon_rm_session, std::string>, uint64_t> offered_;
  // Of those, up to which it acknowledged.
  std::map<std::pair<tenon_rm_session, std::string>, uint64_t> acknowledged_;
  tenon_status refusal_ = TENON_OK;
  std::string refusal_words_;
  size_t most_taken_ = SIZE_MAX;
  uint64_t submits_ = 0;
  std::chrono::milliseconds submit_takes_{0};
};

}  // namespace tenon::conformance
