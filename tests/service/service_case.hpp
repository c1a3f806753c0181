// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A scheduler with a fake transport.
#pragma once

#include <gmock/gmock.h>

#include "fake_transport.hpp"
#include "requests.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::service::testing {

using interface::requests;

inline const std::string default_queues = R"(
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: default
)";

class service_case : public ::testing::Test {
 protected:
  // Makes and starts one. Again: ends the one before.
  void open(scheduler_options options = {});
  // Registers; its session.
  uint64_t enter(const std::string &rm = "rm-1", uint32_t wants = 0, const std::string &group = {});
  void submit(uint64_t session, const requests &batch);
  // In manual mode: steps until nothing is decided any more.
  void settle(int64_t now_ms = 0);
  [[nodiscard]] std::vector<interface::heard> heard(uint64_t session, uint32_t type) const;
  [[nodiscard]] rm_status status(const std::string &rm = "rm-1");
  // A cluster of `nodes` nodes with 10 cores, an application, and asks of one core.
  [[nodiscard]] static requests cluster(int nodes, int asks, const std::string &application = "app-1");

  fake_transport fake_;
  std::unique_ptr<scheduler> service_;
};

[[nodiscard]] scheduler_options manual(std::map<std::string, std::string> groups = {{"default", default_queues}});
[[nodiscard]] scheduler_options running(std::map<std::string, std::string> groups = {{"default", default_queues}});

}  // namespace tenon::service::testing
