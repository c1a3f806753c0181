// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The tenon_host that one module of one module_host sees.
#pragma once

#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/host.h"
#include "tenon/host/offered_service.hpp"

namespace spdlog {
class logger;
}

namespace tenon::host {

// The services that were offered to one module_host. From any thread.
class service_registry {
 public:
  // The last offer of an id holds.
  void offer(const offered_service &service);
  [[nodiscard]] std::optional<offered_service> find(std::string_view id) const;

 private:
  mutable std::shared_mutex mutex_;
  std::vector<offered_service> offered_;
};

// A tenon_host: give &services to the module. Answers for the services that the manifest lists and this host
// has, UNSUPPORTED and NULL for all others. Stays where it is until the module's deinit.
class host_services : public tenon_host {
 public:
  host_services(std::string module_id, std::vector<std::string> allowed, std::shared_ptr<spdlog::logger> log,
                std::shared_ptr<const service_registry> offered);
  host_services(const host_services &) = delete;
  host_services &operator=(const host_services &) = delete;

  void write(uint32_t level, std::string_view line) const;
  [[nodiscard]] bool allows(std::string_view id) const;
  [[nodiscard]] const std::string &module_id() const { return module_id_; }
  [[nodiscard]] const service_registry &offered() const { return *offered_; }

 private:
  std::string module_id_;
  std::vector<std::string> allowed_;
  std::shared_ptr<spdlog::logger> log_;
  std::shared_ptr<const service_registry> offered_;
};

// `text` with control characters as blanks, at most `limit` bytes.
[[nodiscard]] std::string one_line(std::string_view text, size_t limit);

}  // namespace tenon::host
