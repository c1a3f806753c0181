// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The host's services as a module sees them. A service that the manifest does not list is silent.
#pragma once

#include <string_view>

#include "tenon/abi/host.h"
#include "tenon/sdk/error.hpp"

namespace tenon::sdk {

class host_services {
 public:
  host_services() = default;
  explicit host_services(const tenon_host *host) : host_(host) {}

  // Looks the services up; before it they are all silent. Not before the instance's init.
  void open() noexcept {
    log_ = find<tenon_host_log>(TENON_HOST_LOG);
    thread_ = find<tenon_host_thread>(TENON_HOST_THREAD);
  }

  // The table of a service, or nullptr.
  template <class Table>
  [[nodiscard]] const Table *find(std::string_view id) const noexcept {
    if (host_ == nullptr || host_->get_service == nullptr) return nullptr;
    const tenon_get_service_in in{sizeof in, 0, text(id)};
    tenon_get_service_out out{sizeof out, 0, nullptr};
    return host_->get_service(host_, &in, &out) == TENON_OK ? static_cast<const Table *>(out.service) : nullptr;
  }

  // What a service's functions want first; nullptr in an instance that has no host.
  [[nodiscard]] const tenon_host *handle() const noexcept { return host_; }

  // One line in the host's log. `level` is TENON_LOG_*.
  void log(uint32_t level, std::string_view line) const noexcept {
    if (log_ == nullptr || log_->write == nullptr) return;
    const tenon_log_in in{sizeof in, level, text(line)};
    log_->write(host_, &in);
  }

  // TENON_THREAD_*, or 0 where the host does not say.
  [[nodiscard]] uint32_t thread() const noexcept {
    tenon_thread_out out{sizeof out, 0};
    if (thread_ == nullptr || thread_->current == nullptr || thread_->current(host_, &out) != TENON_OK) return 0;
    return out.thread;
  }

 private:
  const tenon_host *host_ = nullptr;
  const tenon_host_log *log_ = nullptr;
  const tenon_host_thread *thread_ = nullptr;
};

}  // namespace tenon::sdk
