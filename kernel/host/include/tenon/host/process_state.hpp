// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a module must not change behind the scheduler's back: floating-point control, locale, signal handling. A library
// linked with -ffast-math sets flush-to-zero in a constructor, and changes every score after it.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <locale>
#include <string>
#include <vector>

namespace tenon::host {

// A picture of this process and thread.
//
//   process_state before;
//   dlopen(...);
//   auto changed = before.changes();  // {"floating-point control", "the handler of SIGUSR1"}
class process_state {
 public:
  process_state();

  // Returns the names of what differs now.
  [[nodiscard]] std::vector<std::string> changes() const;

 private:
  uint64_t floating_point_;
  std::string c_locale_;
  locale_t thread_locale_;
  std::locale cpp_locale_;
  sigset_t mask_;
  std::array<struct sigaction, NSIG> handlers_;
};

// "a", "a and b", "a, b and c".
[[nodiscard]] std::string joined(const std::vector<std::string> &parts);

}  // namespace tenon::host
