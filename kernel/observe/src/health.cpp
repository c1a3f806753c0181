// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "health.hpp"

namespace tenon::observe {
namespace {

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void append(std::string &list, std::string_view separator, const std::string &one) {
  list += (list.empty() ? std::string_view{} : separator);
  list += one;
}

std::string after(std::string_view what, const std::string &list) {
  return list.empty() ? std::string{} : std::string(what) + list;
}

}  // namespace

health::health(door &to, host::module_host &modules, std::chrono::milliseconds memory)
    : door_(to), modules_(modules), memory_(memory) {}

void health::node_refused() { refused_node_ns_ = now_ns(); }

bool health::is_recent(int64_t at_ns) const { return at_ns != 0 && now_ns() - at_ns < memory_.count(); }

std::vector<health_check> health::look() const {
  std::string faulty, away, warned;
  for (const host::module_counters &m : modules_.counters()) {
    if (is_recent(m.last_fault_ns)) append(faulty, ", ", m.id + " (" + std::to_string(m.faults) + " so far)");
  }
  for (const rm_record &rm : door_.rms()) {
    if (!rm.connected) append(away, ", ", rm.id);
  }
  for (const std::string &one : door_.warnings()) append(warned, "; ", one);
  return {{"Scheduling errors", "Check for scheduling error entries in metrics",
           after("modules were at fault lately: ", faulty)},
          {"Failed nodes", "Check for failed nodes entries in metrics",
           is_recent(refused_node_ns_) ? "a node was refused lately" : ""},
          {"Resource managers", "Check that every resource manager is connected", after("away: ", away)},
          {"Warnings", "Check for warnings of event sinks and transports", warned}};
}

}  // namespace tenon::observe
