// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The tenon_host that one module of one module_host sees.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/host.h"

namespace spdlog {
class logger;
}

namespace tenon::host {

// A tenon_host: give &services to the module. Answers for the services that the manifest lists and this host
// has, UNSUPPORTED and NULL for all others. Stays where it is until the module's deinit.
class host_services : public tenon_host {
 public:
  host_services(std::string module_id, std::vector<std::string> allowed, std::shared_ptr<spdlog::logger> log);
  host_services(const host_services &) = delete;
  host_services &operator=(const host_services &) = delete;

  void write(uint32_t level, std::string_view line) const;
  [[nodiscard]] bool allows(std::string_view id) const;

 private:
  std::string module_id_;
  std::vector<std::string> allowed_;
  std::shared_ptr<spdlog::logger> log_;
};

// `text` with control characters as blanks, at most `limit` bytes.
[[nodiscard]] std::string one_line(std::string_view text, size_t limit);

}  // namespace tenon::host
