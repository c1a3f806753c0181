// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a call of a module must leave as it was, of its thread and of the process: how numbers are rounded, the locale,
// which signals are blocked, the working directory, limits.
#pragma once

#include <clocale>
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

namespace tenon::host {

class call_surroundings {
 public:
  // `all`: the working directory and limits as well, which cost a dozen system calls to look at.
  explicit call_surroundings(bool all);

  // Puts back what differs and names it; empty: nothing. The working directory and limits are compared with those that
  // were found first in this process.
  [[nodiscard]] std::string put_back() const;

 private:
  void put_back_of_process(std::vector<std::string> &changed) const;

  const bool all_;
  const uint64_t floating_point_;
  const locale_t thread_locale_;
  const std::string c_locale_;
  sigset_t mask_;
};

}  // namespace tenon::host
