// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/service_notice.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace tenon::cli {

void tell_service_manager(std::string_view lines) {
  const char *given = std::getenv("NOTIFY_SOCKET");
  if (given == nullptr) return;
  const std::string_view name(given);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (name.size() < 2 || name.size() >= sizeof to.sun_path) return;
  std::memcpy(to.sun_path, name.data(), name.size());
  if (name.front() == '@') to.sun_path[0] = '\0';  // an abstract name
  const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  ::sendto(descriptor, lines.data(), lines.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr *>(&to), size);
  ::close(descriptor);
}

void tell_ready() { tell_service_manager("READY=1\nSTATUS=scheduling\n"); }

void tell_reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t microseconds = int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
  tell_service_manager("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds) + "\n");
}

void tell_stopping() { tell_service_manager("STOPPING=1\nSTATUS=answers go out\n"); }

std::optional<std::chrono::microseconds> watchdog_period() {
  const char *given = std::getenv("WATCHDOG_USEC");
  if (given == nullptr) return std::nullopt;
  const char *process = std::getenv("WATCHDOG_PID");
  if (process != nullptr && std::strtoll(process, nullptr, 10) != ::getpid()) return std::nullopt;
  const long long period = std::strtoll(given, nullptr, 10);
  if (period <= 0) return std::nullopt;
  return std::chrono::microseconds(period);
}

}  // namespace tenon::cli
