// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The configuration of tenon.mqtt.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "tenon/sdk/config.hpp"

namespace tenon::mqtt {

struct settings {
  // Throws sdk::invalid_config, with the key.
  explicit settings(const sdk::config &from);

  std::string host;
  int port = 0;
  std::string topics;  // before all of them
  std::string client_id;
  std::string user, password_file;
  std::string ca, certificate, key;  // files; empty: none
  std::chrono::milliseconds connect_timeout, retry, ask_again, keepalive;
  size_t rms;
  size_t message_bytes;  // of one message of an RM
  size_t queue_bytes;    // of an RM: messages that wait for the scheduler, and answers that the RM does not have
};

}  // namespace tenon::mqtt
