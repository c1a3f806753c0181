// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The RMs that are known, between the broker and the scheduler. One thread enters RMs, which waits for the scheduler;
// another hands over what they say, each RM's in its order, and tells the scheduler of their connections.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "broker_link.hpp"
#include "manager.hpp"
#include "mqtt_settings.hpp"
#include "tenon/transports/rm_host.hpp"
#include "topics.hpp"

namespace tenon::mqtt {

class exchange final : public link_listener {
 public:
  // Throws sdk::unavailable where the host has no service for RMs.
  exchange(const settings &with, const sdk::host_services &host, uint64_t transport);
  ~exchange() override;
  exchange(const exchange &) = delete;
  exchange &operator=(const exchange &) = delete;

  // As broker_link::start.
  void start();
  void stop(std::chrono::milliseconds drain);
  // As those of tenon_transport_v1.
  tenon_status deliver(const tenon_transport_deliver_in &in, uint64_t &taken);
  void ended(tenon_rm_session id, uint32_t why);

  void is_up() override;
  void is_down(const std::string &why) override;
  void hear(std::string_view topic, std::string_view payload) override;
  void published(int number) override;

 private:
  using clock = std::chrono::steady_clock;
  using shared_manager = std::shared_ptr<manager>;

  struct registration {
    std::string rm;
    std::unique_ptr<v1::FromManager> message;
    uint64_t connection = 0;  // the RM's present one
    bool is_gone = false;     // it broke meanwhile
  };
  struct on_its_way {
    size_t bytes = 0;
    std::weak_ptr<manager> to;  // answers to it; none: something else
    std::string partition;
    uint64_t checks = 0;  // up to this one; 0: none is among them
  };

  // With mutex_ held.
  void hear_registration(const std::string &rm, std::unique_ptr<v1::FromManager> message);
  void hear_loss(const std::string &rm, uint64_t connection);
  shared_manager find(const std::string &rm, uint64_t session);
  void put(const shared_manager &to, occurrence one);
  void hear_present(const shared_manager &to, uint64_t connection);
  void put_lost(const shared_manager &to);
  void put_came_or_went(const shared_manager &to);
  void remove(const shared_manager &one);
  // False: it was not sent, and nothing is known of it.
  bool send(const std::string &topic, const std::string &bytes, on_its_way what, bool retained = false);
  static constexpr size_t of_all = 4;
  [[nodiscard]] bool is_broker_behind(size_t quarters) const;
  void say(const std::string &topic, const v1::ToManager &what, size_t quarters = of_all);
  void say_ended(const std::string &topic, uint64_t session, v1::Ended::Reason why, size_t quarters);
  void say_ended(const manager &to, v1::Ended::Reason why);
  void ask_the_silent(clock::time_point now);
  void warn(const std::string &line);

  void enter_all();
  void enter(registration &one);
  void refuse(const registration &one, const std::string &reason, bool later);

  void work();
  // False: the scheduler has no room for its request now.
  bool handle(const shared_manager &one, occurrence what);
  bool handle_said(const shared_manager &one, std::unique_ptr<v1::FromManager> message);
  bool begin_request(const shared_manager &one, kind what, std::unique_ptr<v1::FromManager> message,
                     const std::string &bytes);
  bool submit_rest(const shared_manager &one);
  void is_taken(const shared_manager &one, const std::string &refusal);
  void look_at_connection(const shared_manager &one);
  void is_present(const shared_manager &one);
  void take_arrived(const shared_manager &one, const v1::FromManager &message);
  void is_ended(const shared_manager &one, v1::Ended::Reason why);
  void tell_taken(const shared_manager &one, bool again);

  const settings &settings_;
  const transports::rm_host host_;
  const uint64_t transport_;
  const topics topics_;
  broker_link link_;
  std::thread entering_thread_, working_thread_;

  std::mutex mutex_;  // guards all below; the host is not called with it held
  std::condition_variable changed_;
  bool stopping_ = false;
  std::map<std::string, shared_manager, std::less<>> by_rm_;
  std::map<tenon_rm_session, shared_manager> by_id_;
  std::map<int, on_its_way> on_their_way_;  // what the broker does not have yet, by the number that the link gave it
  size_t bytes_on_their_way_ = 0;
  std::deque<std::shared_ptr<registration>> registrations_;  // the first one may be entering
  size_t registration_bytes_ = 0;
  bool is_entering_ = false;
  std::deque<shared_manager> ready_;
  std::deque<std::pair<clock::time_point, shared_manager>> to_retry_;
  clock::time_point last_warning_, asks_next_;
  size_t left_out_ = 0;
};

}  // namespace tenon::mqtt
