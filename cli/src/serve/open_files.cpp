// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/open_files.hpp"

#include <sys/resource.h>

#include <filesystem>
#include <iterator>
#include <system_error>

namespace tenon::cli {
namespace {

constexpr rlim_t spared = 32;

}  // namespace

std::string files_run_out() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  std::error_code none_left;
  const std::filesystem::directory_iterator all("/proc/self/fd", none_left);
  const rlim_t open = none_left ? limit.rlim_cur : static_cast<rlim_t>(std::distance(begin(all), end(all)));
  if (open + spared < limit.rlim_cur) return {};
  return std::to_string(open) + " of at most " + std::to_string(limit.rlim_cur) +
         " files are open: connections are turned away; raise LimitNOFILE, or see who has so many";
}

}  // namespace tenon::cli
