// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The connection to the broker: one thread that reads and writes it, and makes it again when it breaks.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "mqtt_settings.hpp"

struct mosquitto;

namespace tenon::mqtt {

// What becomes of the connection; called on the link's thread, or before start() returned.
class link_listener {
 public:
  virtual ~link_listener() = default;
  // What is published from here on arrives after the subscription.
  virtual void is_up() = 0;
  virtual void is_down(const std::string &why) = 0;
  virtual void hear(std::string_view topic, std::string_view payload) = 0;
  // The broker has a message.
  virtual void published(int number) = 0;
};

class broker_link {
 public:
  // `subscription`: what is heard. `state`: a retained topic, which the broker empties when the link is lost.
  broker_link(const settings &with, link_listener &listener, std::string subscription, std::string state);
  ~broker_link();
  broker_link(const broker_link &) = delete;
  broker_link &operator=(const broker_link &) = delete;

  // Waits for the broker as long as the settings say. Throws sdk::unavailable, and sdk::invalid_config for files.
  void start();
  // Lets what was published go out for so long, then closes the connection and ends the thread.
  void stop(std::chrono::milliseconds drain);

  // To the broker: `number` names the message, which is sent once more on each connection until the broker has it.
  // False: there is no connection, and it will not be sent.
  bool publish(const std::string &topic, std::string_view payload, int &number, bool retained = false);

 private:
  static broker_link &of(void *self) { return *static_cast<broker_link *>(self); }
  void connected(int code);
  void subscribed(bool is_granted);
  void disconnected(int code);
  void refuse(std::string why);  // with mutex_ held
  void set_up();
  void run();
  void wait_to_retry();

  const settings &settings_;
  link_listener &listener_;
  const std::string subscription_, state_;
  std::unique_ptr<mosquitto, void (*)(mosquitto *)> client_;
  std::thread thread_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  bool stopping_ = false, ends_ = false;
  bool up_ = false;
  size_t unpublished_ = 0;
  std::string refusal_;      // why there is no connection: of the last try that has ended
  bool is_refused_ = false;  // the present try, in words of the broker, which say more than that it ended
};

}  // namespace tenon::mqtt
