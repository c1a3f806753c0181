// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/try_daemon.hpp"

#include "control/protocol.hpp"
#include "serve/audit_file.hpp"
#include "serve/control_socket.hpp"
#include "tenon/host/deployment.hpp"
#include "tenon/host/module_host.hpp"
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

std::optional<refusal> refusal_of_a_daemon(const host::deployment &plan, std::unique_ptr<host::module_host> modules) {
  service::scheduler_options how;
  how.manual = plan.running.manual;
  const auto opened = service::scheduler::open(std::move(modules), std::move(how));
  return opened ? refusal_of_paths(plan) : opened.why();
}

}  // namespace tenon::cli
