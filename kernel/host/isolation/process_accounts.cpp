// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/process_accounts.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace tenon::host::isolation {
namespace {

struct process_figures {
  uint64_t threads = 0, memory_bytes = 0, processor_ns = 0;
};

// Nothing of a process that is gone.
process_figures figures_of(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  process_figures out;
  std::string line;
  std::getline(std::ifstream(folder + "/stat"), line);
  // Behind the name, which may have anything in it: state, then the fields from the fourth on.
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return out;
  std::istringstream fields(line.substr(name_end + 2));
  constexpr int user_time = 14, system_time = 15, threads = 20;
  std::string field;
  for (int number = 3; number <= threads && fields >> field; ++number) {
    if (number == user_time || number == system_time)
      out.processor_ns += std::stoull(field) * 1'000'000'000 / static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
    if (number == threads) out.threads = std::stoull(field);
  }
  uint64_t all = 0, resident = 0, shared = 0;
  if (std::ifstream(folder + "/statm") >> all >> resident >> shared)
    out.memory_bytes = (resident - std::min(shared, resident)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return out;
}

}  // namespace

void process_accounts::open(pid_t process) {
  const std::scoped_lock lock(mutex_);
  processes_.push_back(process);
}

void process_accounts::close(pid_t process) {
  const std::scoped_lock lock(mutex_);
  if (std::erase(processes_, process) != 0) ended_ns_ += figures_of(process).processor_ns;
}

process_usage process_accounts::now() const {
  process_usage out;
  out.waited_ns = waited_ns_.load(std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  out.processor_ns = ended_ns_;
  out.processes = processes_.size();
  for (const pid_t process : processes_) {
    const process_figures one = figures_of(process);
    out.threads += one.threads;
    out.memory_bytes += one.memory_bytes;
    out.processor_ns += one.processor_ns;
  }
  return out;
}

}  // namespace tenon::host::isolation
