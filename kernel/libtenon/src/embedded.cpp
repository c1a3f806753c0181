// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "embedded.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "tenon/config/problems.hpp"
#include "tenon/host/offered_service.hpp"

namespace tenon::embedded {
namespace {

constexpr char transport_id[] = "tenon.inproc";

std::string_view view(const tenon_text &from) {
  return from.length == 0 ? std::string_view() : std::string_view(from.data, from.length);
}

// The folder of this library, not of the program: modules and programs are beside it.
std::filesystem::path library_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void *>(&local_port::table), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code failed;
  const auto real = std::filesystem::canonical(info.dli_fname, failed);
  return failed ? std::filesystem::path() : real.parent_path();
}

result<host::deployment> plan_of(std::string_view file) {
  host::deployment out = host::default_deployment();
  if (!file.empty()) {
    config::problems report{std::string(file)};
    auto read = host::read_deployment(std::string(file), report);
    if (!read) return report.refusals().front();
    out = std::move(*read);
  }
  const bool named = std::any_of(out.transports.begin(), out.transports.end(),
                                 [](const host::interface_use &use) { return use.use == transport_id; });
  if (!named) {
    host::interface_use use;
    use.use = transport_id;
    use.config.file = "libtenon";
    out.transports.push_back(std::move(use));
  }
  return out;
}

host::host_options host_options_of(const tenon_scheduler_options &options) {
  host::host_options out;
  const std::filesystem::path folder = library_folder();
  out.built_in_modules = folder / "tenon/modules";
  out.preflight_program = folder / "../bin/tenon-preflight";
  out.module_runner = folder / "../bin/tenon-module-runner";
  std::error_code failed;
  out.preflight = std::filesystem::exists(out.preflight_program, failed);
  if (options.module_path.length != 0) out.module_path.emplace_back(view(options.module_path));
  return out;
}

}  // namespace

const tenon_host_local &local_port::table() {
  static constexpr tenon_host_local out{sizeof(tenon_host_local), 0, open, close};
  return out;
}

const tenon_local_port *local_port::get() const {
  const std::lock_guard lock(mutex_);
  return port_;
}

tenon_status local_port::open(const tenon_host *host, const tenon_local_port *port) {
  auto *self = static_cast<local_port *>(host::service_context(host, TENON_HOST_LOCAL));
  if (self == nullptr) return TENON_UNSUPPORTED;
  const std::lock_guard lock(self->mutex_);
  self->port_ = port;
  return TENON_OK;
}

tenon_status local_port::close(const tenon_host *host, const tenon_local_port *port) {
  auto *self = static_cast<local_port *>(host::service_context(host, TENON_HOST_LOCAL));
  if (self == nullptr) return TENON_UNSUPPORTED;
  const std::lock_guard lock(self->mutex_);
  if (self->port_ == port) self->port_ = nullptr;
  return TENON_OK;
}

// Handed to the system at once: the disk says then whether it has room.
std::string instance::write_journal(std::string_view bytes) {
  const std::lock_guard lock(journal_mutex_);
  if (!journal_failure_.empty()) return {};
  if (std::fwrite(bytes.data(), 1, bytes.size(), journal.get()) == bytes.size() && std::fflush(journal.get()) == 0) {
    journal_bytes_ += bytes.size();
    return {};
  }
  journal_failure_ = std::generic_category().message(errno);
  static_cast<void>(::ftruncate(::fileno(journal.get()), static_cast<off_t>(journal_bytes_)));
  return journal_failure_;
}

std::string instance::journal_failure() {
  const std::lock_guard lock(journal_mutex_);
  return journal_failure_.empty() ? journal_failure_ : "the journal cannot be written: " + journal_failure_;
}

result<std::unique_ptr<instance>> open(const tenon_scheduler_options &options) {
  auto plan = plan_of(view(options.deployment));
  if (!plan) return plan.why();
  auto modules = host::open_host(std::move(*plan), host_options_of(options));
  if (!modules) return modules.why();
  std::unique_ptr<instance> out(new tenon_scheduler);
  (*modules)->offer({TENON_HOST_LOCAL, &local_port::table(), &out->port});

  service::scheduler_options how;
  how.manual = options.manual != 0;
  how.manual_start_ms = options.start_ms;
  if (options.queues.length != 0) how.policy_groups["default"] = view(options.queues);
  if (options.journal.length != 0) {
    const std::string name(view(options.journal));
    out->journal.reset(std::fopen(name.c_str(), "wbe"));
    if (out->journal == nullptr)
      return refusal{name, "a file that can be written", std::generic_category().message(errno), "name another one"};
    how.journal = [self = out.get(), name, log = modules->get()](std::string_view bytes) {
      if (const auto why = self->write_journal(bytes); !why.empty())
        log->warn("journal " + name + ": writing failed: " + why + "; it ends with the last whole record");
    };
  }
  auto made = service::scheduler::open(std::move(*modules), std::move(how));
  if (!made) return made.why();
  out->service = std::move(*made);
  observe::people_options of_people;
  out->people = observe::open_to_people(*out->service, std::move(of_people));
  out->people->all().health().add([self = out.get()] {
    return std::vector{observe::check_of("Recordings", "Check that the journal can be written",
                                         observe::health_check::state::fails, self->journal_failure())};
  });
  if (auto why = out->service->start()) return *why;
  return out;
}

}  // namespace tenon::embedded
