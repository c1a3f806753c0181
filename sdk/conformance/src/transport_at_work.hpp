// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// An instance of a transport between start and stop, with a made scheduler behind it.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "made_scheduler.hpp"
#include "subject.hpp"

namespace tenon::conformance {

// Beyond the time that stop is given for draining.
inline constexpr std::chrono::milliseconds stop_grace{2000};

// The words and the count of a `deliver`.
struct delivered {
  tenon_status status = TENON_OK;
  uint64_t taken = 0;
};

class transport_at_work {
 public:
  // Made, and active; not started.
  explicit transport_at_work(const opened_module &module, test_host::services given = test_host::services::all);
  // Stops it, unless it was.
  ~transport_at_work();
  transport_at_work(const transport_at_work &) = delete;
  transport_at_work &operator=(const transport_at_work &) = delete;

  // Fails the check where it gives anything but OK; skips it where the world lacks what the schema says it wants.
  void start();
  tenon_status try_start(std::string &why);
  // Fails the check where it gives anything but OK, or takes longer than `drain` and the grace.
  void stop(std::chrono::milliseconds drain = std::chrono::milliseconds(0));

  delivered deliver(const tenon_transport_deliver_in &in, uint32_t out_bytes = sizeof(tenon_transport_deliver_out));
  void ended(tenon_rm_session session, uint32_t why);

  // One call of deliver. The first answer has this number.
  delivered offer(tenon_rm_session session, std::string_view partition, uint64_t first,
                  const std::vector<made_message> &answers);
  // Delivers all of them, the rest again where only some are taken; fails the check where that does not end.
  void tell(tenon_rm_session session, std::string_view partition, uint64_t first,
            const std::vector<made_message> &answers);

  // Ends the instance too.
  void destroy();

  [[nodiscard]] made_scheduler &scheduler() { return scheduler_; }
  [[nodiscard]] instance &of() { return *one_; }
  // Fails the check where the transport called the host as it may not.
  void want_no_complaint();

 private:
  delivered offer_some(tenon_rm_session session, std::string_view partition, uint64_t first,
                       std::span<const made_message> answers);

  made_scheduler scheduler_;
  std::unique_ptr<instance> one_;
  bool started_ = false;
};

}  // namespace tenon::conformance
