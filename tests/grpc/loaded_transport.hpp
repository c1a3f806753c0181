// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The module tenon.grpc, opened and bound by hand to host services of a test.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/module.h"
#include "tenon/abi/transport.h"

namespace tenon::testing {

class loaded_transport {
 public:
  // `services`: by id. Must outlive this.
  loaded_transport(const std::string &configuration, std::map<std::string, const void *, std::less<>> services);
  ~loaded_transport();
  loaded_transport(const loaded_transport &) = delete;
  loaded_transport &operator=(const loaded_transport &) = delete;

  // Empty, or the words of a refusal: of create, or of start.
  [[nodiscard]] const std::string &refusal() const { return refusal_; }

  std::string start(uint64_t transport = 1);
  void stop(uint32_t drain_ms = 2'000);
  tenon_status deliver(const tenon_transport_deliver_in &in, uint64_t &taken);

  // What the module logged.
  std::vector<std::string> log();

  // The addresses that it said it listens on, with their ports.
  std::vector<std::string> addresses();

 private:
  struct host : tenon_host {
    loaded_transport *owner;
  };
  static tenon_status get_service(const tenon_host *self, const tenon_get_service_in *in, tenon_get_service_out *out);
  static tenon_status write_log(const tenon_host *self, const tenon_log_in *in);

  std::map<std::string, const void *, std::less<>> services_;
  tenon_host_log log_service_{};
  host host_{};
  std::mutex mutex_;
  std::vector<std::string> log_;
  std::string refusal_;
  tenon_create_out made_{};
  const tenon_module *module_ = nullptr;
  const tenon_transport_v1 *slots_ = nullptr;
  bool started_ = false;
};

}  // namespace tenon::testing
