// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs that speak to a transport: through the port that it opened in this process, or through the client that was named.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rm_message.hpp"
#include "tenon/conformance/client.h"
#include "transport_at_work.hpp"

namespace tenon::conformance {

// How RMs reach the transport under test.
class client_side {
 public:
  // Skips the check where there is no way.
  explicit client_side(probe &p);

  // By the transport's own port in this process: nothing is between it and the RM.
  [[nodiscard]] bool is_local() const { return library_ == nullptr; }
  // Whether a message has a place in the transport's protocol.
  [[nodiscard]] bool carries(uint32_t type) const { return !lacks_.has(message_name(type)); }
  [[nodiscard]] const member_list &lacks() const { return lacks_; }
  // Bytes that a message may have as `detail`; empty: it has no place for them.
  [[nodiscard]] const std::string &detail() const { return detail_; }

  // Fails the check where no connection comes about.
  [[nodiscard]] const tenon_local_port *connect(transport_at_work &to) const;
  void close(const tenon_local_port *port) const;

 private:
  probe &probe_;
  const tenon_conformance_client *library_ = nullptr;  // null: the transport's own port
  member_list lacks_;
  std::string detail_;
};

// One RM. Its destructor closes its connection.
class made_rm {
 public:
  made_rm(const client_side &by, transport_at_work &to);
  ~made_rm();
  made_rm(const made_rm &) = delete;
  made_rm &operator=(const made_rm &) = delete;

  // Fails the check where it is refused.
  void enter(const made_message &registration);
  tenon_status try_enter(const made_message &registration, std::string &why);
  // Sends all of them, the rest again where only some are taken; fails the check where that does not end.
  void submit(const std::vector<made_message> &messages);
  // Sends them once.
  tenon_status try_submit(const std::vector<made_message> &messages);
  // From now on whatever it is told waits, or goes on.
  void hold(bool held);
  tenon_status leave();

  // What it was told; waits until there is so much of it.
  [[nodiscard]] std::vector<read_message> told(size_t at_least, std::chrono::milliseconds within);
  [[nodiscard]] size_t told_count();
  // Why its session ended, as it was told.
  [[nodiscard]] std::optional<uint32_t> ended(std::chrono::milliseconds within);
  [[nodiscard]] tenon_rm_session session() const { return session_; }
  // Two callbacks ran at the same time.
  [[nodiscard]] bool overlapped();

 private:
  class in_callback;
  void take(const tenon_rm_message *message);
  template <class Message>
  static tenon_status take_one(void *context, const Message *one);
  static tenon_status take_answers(void *context, const tenon_rm_answers_in *in);
  static tenon_status take_ended(void *context, const tenon_rm_ended_in *in);

  const client_side &by_;
  probe &probe_;
  const tenon_local_port *port_;
  tenon_rm_callbacks callbacks_{};
  tenon_rm_session session_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<read_message> told_;
  std::optional<uint32_t> ended_;
  int inside_ = 0;
  bool overlapped_ = false, held_ = false;
};

}  // namespace tenon::conformance
