// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A scheduler with tenon.rest, and a client of it.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "fake_transport.hpp"
#include "requests.hpp"
#include "tenon/observe/scheduler_access.hpp"

namespace tenon::rest::testing {

struct reply {
  unsigned status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  [[nodiscard]] boost::json::value json() const;
};

// One request of its own connection.
reply send(uint16_t port, const std::string &method, const std::string &target, const std::string &body = {},
           const std::map<std::string, std::string> &headers = {});
// The same bytes, whatever they are; empty: the connection was closed without an answer.
reply send_raw(uint16_t port, const std::string &bytes);

class rest_case : public ::testing::Test {
 protected:
  // `config` are further keys of the module, one a line: "max_streams: 1".
  void open(const std::vector<std::string> &config = {}, service::scheduler_options options = {});
  void TearDown() override;
  // Before modules get their services.
  virtual void before_start(host::module_host &) {}

  uint64_t enter(const std::string &rm = "rm");
  void submit(uint64_t session, const interface::requests &batch);
  // Nodes, an application with asks, and what of them fits is placed.
  uint64_t small_cluster();

  reply get(const std::string &target, const std::map<std::string, std::string> &headers = {}) {
    return send(port_, "GET", target, {}, headers);
  }
  reply post(const std::string &target, const std::string &body = {}, const std::string &token = {});
  // Asks again and again until the answer is so; the last one.
  reply until(const std::string &target, const std::function<bool(const reply &)> &good);
  std::vector<std::string> audited();

  std::filesystem::path folder_;
  std::string queues_yaml_;  // empty: `queues`
  std::string events_ = "[{use: tenon.ring}]";
  uint16_t port_ = 0;
  std::chrono::milliseconds health_memory_ = std::chrono::minutes(5);
  uint64_t most_copied_ = observe::most_copied;
  std::unique_ptr<service::scheduler> service_;
  std::shared_ptr<observe::people_services> people_;
  service::testing::fake_transport rm_;

 private:
  std::mutex mutex_;
  std::vector<std::string> audited_;
};

inline constexpr const char *queues = R"(
partitions:
  - name: default
    placementrules: [{name: provided, create: false}]
    queues:
      - name: root
        submitacl: "*"
        adminacl: rita
        queues:
          - name: default
            properties: {application.sort.policy: fifo}
            limits: [{limit: everybody, users: ["*"], maxapplications: 50}]
          - name: small
            adminacl: "olga"
            resources: {max: {vcore: 2}, guaranteed: {vcore: 1}}
          - name: other
            childtemplate: {maxapplications: 3}
            parent: true
)";

}  // namespace tenon::rest::testing
