// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The host services for people and their tools: tenon.host.read, .explain, .metrics and .admin.
//
//   tenon::observe::services all(door);
//   all.offer_to(host);                  // before instances are made that use them
#pragma once

#include <chrono>
#include <memory>
#include <span>

#include "tenon/host/module_host.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/observe/administration.hpp"
#include "tenon/observe/door.hpp"
#include "tenon/observe/health.hpp"

namespace tenon::observe {

class services {
 public:
  // Both outlive it; it outlives every module that has its services. Health is bad for `memory` after a fault.
  services(door &to, host::module_host &modules, std::chrono::milliseconds memory = std::chrono::minutes(5));
  ~services();
  services(const services &) = delete;
  services &operator=(const services &) = delete;

  void offer();
  void close();  // the scheduler stops: no thread of theirs asks for anything any more
  [[nodiscard]] administration &admin();
  [[nodiscard]] health_checks &health();

  // On the kernel's thread, while decisions are handed over: they are counted.
  void count(std::span<const decision_view> decisions, const kernel &k);
  // On the kernel's thread: a turn that scheduled took so long, with so many decisions.
  void cycle_took(double seconds, uint64_t decisions);

  struct impl;

 private:
  std::unique_ptr<impl> impl_;
};

}  // namespace tenon::observe
