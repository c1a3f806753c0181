// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The host services for people and their tools: tenon.host.read, .explain, .metrics and .admin.
//
//   tenon::observe::services all(kernel_access);
//   all.offer_to(host);                  // before instances are made that use them
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "tenon/host/module_host.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/explain.hpp"
#include "tenon/kernel/snapshot.hpp"
#include "tenon/observe/administration.hpp"
#include "tenon/observe/health.hpp"
#include "tenon/observe/kernel_access.hpp"

namespace tenon::observe {

class services {
 public:
  // Both outlive it; it outlives every module that has its services. Health is bad for `memory` after a fault.
  services(kernel_access &to, host::module_host &modules, std::chrono::milliseconds memory = std::chrono::minutes(5));
  ~services();
  services(const services &) = delete;
  services &operator=(const services &) = delete;

  void offer();
  void close();  // the scheduler stops: no thread of theirs asks for anything any more
  [[nodiscard]] administration &admin();
  [[nodiscard]] health_checks &health();

  // For readers in the host, from any thread but the kernel's. Both share what takes time there with all other readers.
  // The parts of the state as of one moment, TENON_READ_* or more; null: the scheduler stops, or there was none in
  // time.
  [[nodiscard]] std::shared_ptr<const kernel_snapshot> look(uint32_t wanted, std::string_view partition,
                                                            std::chrono::milliseconds within);
  // The names of what runs there, beside TENON_READ_*: of nodes.
  static constexpr uint32_t read_contents = 1U << 31;
  // kernel::explain(). False: it was not asked in time.
  bool explain(std::string_view partition, std::string_view application, std::string_view key,
               std::chrono::milliseconds within, std::optional<explanation> &out);

  // On the kernel's thread, while decisions are handed over: they are counted.
  void count(std::span<const decision_view> decisions, const kernel &k);
  // On the kernel's thread: a turn that scheduled took so long, with so many decisions.
  void cycle_took(double seconds, uint64_t decisions);

  struct impl;

 private:
  std::unique_ptr<impl> impl_;
};

}  // namespace tenon::observe
