// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "process_figures.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace tenon::observe {
namespace {

// Fields of /proc/self/stat behind the name, which may have blanks: number 3, the state, is the first.
std::vector<std::string> stat_fields() {
  std::ifstream in("/proc/self/stat");
  std::string line;
  std::getline(in, line);
  std::istringstream rest(line.substr(std::min(line.rfind(')') + 1, line.size())));
  std::vector<std::string> out;
  for (std::string field; rest >> field;) out.push_back(field);
  return out;
}

double boot_seconds() {
  std::ifstream in("/proc/stat");
  for (std::string key; in >> key;) {
    double value = 0;
    if (key == "btime" && in >> value) return value;
    in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

double limit_of(__rlimit_resource_t what) {
  rlimit out{};
  if (::getrlimit(what, &out) != 0 || out.rlim_cur == RLIM_INFINITY) return -1;
  return static_cast<double>(out.rlim_cur);
}

double open_files() {
  std::error_code problem;
  double out = 0;
  for (auto at = std::filesystem::directory_iterator("/proc/self/fd", problem);
       !problem && at != std::filesystem::directory_iterator(); at.increment(problem)) {
    ++out;
  }
  return out;
}

}  // namespace

std::vector<figure> process_figures() {
  const std::vector<std::string> fields = stat_fields();
  const auto field = [&](size_t number) {
    return number - 3 < fields.size() ? std::strtod(fields[number - 3].c_str(), nullptr) : 0.0;
  };
  const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK)), page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const auto gauge = [](const char *name, const char *help, double value) {
    return figure{name, help, false, {}, value};
  };
  return {
      {"process_cpu_seconds_total", "Processor time of the process.", true, {}, (field(14) + field(15)) / ticks},
      gauge("process_open_fds", "Files that are open.", open_files()),
      gauge("process_max_fds", "Files that may be open.", limit_of(RLIMIT_NOFILE)),
      gauge("process_virtual_memory_bytes", "Address space of the process.", field(23)),
      gauge("process_virtual_memory_max_bytes", "Address space that it may have; -1: unlimited.", limit_of(RLIMIT_AS)),
      gauge("process_resident_memory_bytes", "Memory of the process.", field(24) * page),
      gauge("process_start_time_seconds", "When it started, in Unix time.", boot_seconds() + field(22) / ticks)};
}

}  // namespace tenon::observe
