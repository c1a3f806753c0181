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

void raise_open_files(spdlog::logger &log) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0)
    log.info("may open {} files, as the hard limit says; the soft one said {}", limit.rlim_max, before);
  else
    log.warn("may open {} files only: the soft limit cannot be raised", before);
}

}  // namespace tenon::cli
