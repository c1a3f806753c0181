// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The host that a module under test sees: polite in what it gives, strict about what it is asked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/host.h"

namespace tenon::conformance {

// A tenon_host: give &host to the module. Stays where it is.
class test_host : public tenon_host {
 public:
  enum class services : uint8_t { all, none };
  explicit test_host(services given = services::all, uint32_t extra_bytes = 0);
  test_host(const test_host &) = delete;
  test_host &operator=(const test_host &) = delete;

  // The thread that services name; a thread that it was not set on is TENON_THREAD_OTHER.
  static void be(uint32_t thread);
  [[nodiscard]] static uint32_t thread();

  // Every host that has services has this one too; null: no longer.
  static void offer(std::string_view id, const void *service);

  // From here on nothing may be asked of it.
  void retire() { retired_ = true; }
  // What the module did wrong with any host, in the order in which it did.
  [[nodiscard]] static std::vector<std::string> complaints();

  // A host that nobody deletes: it is there for a module that still calls it. The last few thousand are.
  static test_host *lasting(services given = services::all);

 private:
  static tenon_status find(const tenon_host *, const tenon_get_service_in *, tenon_get_service_out *);
  static tenon_status write(const tenon_host *, const tenon_log_in *);
  static tenon_status current(const tenon_host *, tenon_thread_out *);
  static test_host *of(const tenon_host *host, const char *asked);

  uint64_t mark_;
  services given_;
  bool retired_ = false;
};

}  // namespace tenon::conformance
