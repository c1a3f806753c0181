// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/try_daemon.hpp"

#include "control/protocol.hpp"
#include "serve/audit_file.hpp"
#include "serve/control_socket.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/deployment.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/thread_role.hpp"
#include "tenon/kernel/kernel.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::cli {

std::filesystem::path records_path(const host::deployment &plan) {
  if (!plan.containment.records.empty()) return plan.containment.records;
  const std::filesystem::path state = state_directory();
  return state.empty() ? state : state / "module-faults";
}

std::filesystem::path audit_path(const host::deployment &plan) {
  return plan.audit_file.empty() ? default_audit_file() : plan.audit_file;
}

std::filesystem::path control_path(const host::deployment &plan, const std::filesystem::path &instead) {
  if (!instead.empty()) return instead;
  return plan.control_socket.empty() ? default_control_socket() : plan.control_socket;
}

std::optional<refusal> refusal_of_paths(const host::deployment &plan, const std::filesystem::path &control) {
  const std::filesystem::path audit = audit_path(plan);
  if (!audit.empty())
    if (auto why = audit_file::refusal_of(audit)) return why;
  return control_socket::refusal_of(control_path(plan, control));
}

std::optional<refusal> refusal_of_registering(service::scheduler &scheduler) {
  const host::role_guard cycle(host::thread_role::cycle);
  for (const auto &[group, text] : scheduler.policy_groups()) {
    config::parse_options how;
    how.known = scheduler.modules().known();
    const auto queues = config::parse_queues_yaml(text, group, how);
    if (!queues) return queues.why();
    kernel tried(scheduler.modules());
    tried.apply(0, register_rm{"check", {}, group, &*queues, 0});
    std::string no;
    tried.drain([&](const decision_view &d) {
      if (d.kind() == decision_kind::rm_rejected) no = text_of(d);
    });
    if (!no.empty())
      return refusal{"policy group '" + group + "'", "queues that a resource manager can register with", no,
                     "correct it; the daemon would refuse every resource manager of that group"};
  }
  return std::nullopt;
}

std::optional<refusal> refusal_of_a_daemon(const host::deployment &plan, std::unique_ptr<host::module_host> modules) {
  service::scheduler_options how;
  how.manual = plan.running.manual;
  const auto opened = service::scheduler::open(std::move(modules), std::move(how));
  if (!opened) return opened.why();
  auto why = refusal_of_registering(**opened);
  return why ? why : refusal_of_paths(plan);
}

}  // namespace tenon::cli
