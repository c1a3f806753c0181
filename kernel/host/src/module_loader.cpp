// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "module_loader.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "private_directory.hpp"
#include "repeated_faults.hpp"
#include "tenon/host/preflight.hpp"
#include "tenon/host/verified_library.hpp"

namespace tenon::host {
namespace {

std::filesystem::path beside_executable(const char *name) {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::filesystem::path(name) : program.parent_path() / name;
}

// To a list of words, once.
void add_word(std::string &to, std::string_view word) {
  if (word.empty() || (", " + to + ",").find(", " + std::string(word) + ",") != std::string::npos) return;
  to += (to.empty() ? "" : ", ") + std::string(word);
}

// Of modules that are not the project's own, for slots of the cycle. An order of a hundred thousand asks takes less.
constexpr call_budget usual_budget{200'000, 3};

uint64_t next_host_number() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

[[noreturn]] void abort_over(const thread_violation &violation) {
  std::fprintf(stderr, "tenon: %s\n", violation.text().c_str());
  std::abort();
}

}  // namespace

module_loader::module_loader(host_options options, bool require_sandbox)
    : options_(std::move(options)), require_sandbox_(require_sandbox), host_number_(next_host_number()) {
  if (options_.built_in_modules.empty()) options_.built_in_modules = default_module_folder();
  if (options_.preflight_program.empty()) options_.preflight_program = beside_executable("tenon-preflight");
  if (options_.module_runner.empty()) options_.module_runner = beside_executable("tenon-module-runner");
  if (!options_.use_cache)
    options_.cache_directory.clear();
  else if (options_.cache_directory.empty())
    options_.cache_directory = default_cache_directory();
  // Not registered with spdlog: two hosts must not meet there.
  if (!options_.log)
    options_.log = std::make_shared<spdlog::logger>("tenon", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  if (!options_.on_violation) options_.on_violation = abort_over;
}

result<module_in_use> module_loader::load(const module_manifest &manifest, const module_use *use, bool own,
                                          const configuration_check &check_configuration) {
  if (const auto found = loaded_.find(manifest.id); found != loaded_.end()) {
    if (auto no = check_configuration()) return *no;
    return found->second;
  }
  const auto library = verify_library(manifest, use == nullptr ? std::nullopt : use->digest, options_.cache_directory);
  if (!library) return library.why();
  if (auto no = check_configuration()) return *no;
  auto module = open(manifest, *library, use, own);
  if (!module) return module.why();
  module_in_use out{std::move(*module), tally_for(manifest, use, own)};
  const std::scoped_lock lock(mutex_);
  loaded_.emplace(manifest.id, out);
  return out;
}

result<std::unique_ptr<loaded_module>> module_loader::open(const module_manifest &manifest,
                                                           const verified_library &library, const module_use *use,
                                                           bool own) {
  // Its process is its preflight.
  if (use != nullptr && use->isolation == isolation_mode::process)
    return loaded_module::isolate(manifest, library, {options_.module_runner, use->process, require_sandbox_},
                                  options_.log, offered_);
  if (options_.preflight) {
    const preflight_subject subject{library.open_path, library.digest, library.shown_as, opened_};
    if (auto no =
            preflight(subject, {options_.preflight_program, options_.preflight_timeout, options_.cache_directory}))
      return *no;
  }
  const call_subject *subject = kept_subject(
      {host_number_, own, manifest.id, manifest.version, library.digest, fault_key(manifest.digest, use), {}, {}});
  auto module = loaded_module::open(manifest, library, subject, options_.log, offered_);
  // Opened is opened, even when it is refused after that: the next preflight must know.
  opened_.push_back(library.open_path);
  return module;
}

std::shared_ptr<module_tally> module_loader::in_quarantine(const module_manifest &manifest, const module_use *use,
                                                           const std::string &why) {
  const std::scoped_lock lock(mutex_);
  auto &tally = in_quarantine_[manifest.id];
  if (tally == nullptr) {
    tally = tally_for(manifest, use, false);
    tally->quarantine = why;
  }
  return tally;
}

void module_loader::lift(const std::string &id) {
  const std::scoped_lock lock(mutex_);
  in_quarantine_.erase(id);
}

std::vector<module_counters> module_loader::counters() const {
  const std::scoped_lock lock(mutex_);
  std::vector<module_counters> out;
  for (const auto &[id, module] : loaded_) out.push_back(module.tally->counters());
  for (const auto &[id, tally] : in_quarantine_) out.push_back(tally->counters());
  return out;
}

call_budget module_loader::budget_of(const module_use *use, bool own) const {
  if (!options_.budgets) return {};
  if (use != nullptr && use->budget.call_us != 0) return use->budget;
  // A process of its own has a deadline for each call.
  if (own || (use != nullptr && use->isolation == isolation_mode::process)) return {};
  return {usual_budget.call_us, use == nullptr ? usual_budget.overruns : use->budget.overruns};
}

std::shared_ptr<module_tally> module_loader::tally_for(const module_manifest &manifest, const module_use *use,
                                                       bool own) const {
  auto tally = std::make_shared<module_tally>();
  tally->id = manifest.id;
  tally->version = manifest.version;
  for (const provided_interface &one : manifest.provides) {
    add_word(tally->kind, kind_in(one.interface));
    add_word(tally->name, one.name);
  }
  if (use != nullptr) tally->action = use->on_fault;
  tally->digest = manifest.digest;
  tally->key = fault_key(manifest.digest, use);
  tally->own = own;
  tally->host = host_number_;
  tally->budget = budget_of(use, own);
  tally->only_on_cycle = use == nullptr || use->budget.call_us == 0;
  tally->times_all_calls = !own;
  tally->guards_process = !own && (use == nullptr || use->isolation == isolation_mode::none);
  tally->guards_folder = options_.own_process;
  tally->check_calls = options_.check_calls;
  tally->on_fault = [log = options_.log, then = options_.on_fault,
                     repeated = std::make_shared<repeated_faults>()](const module_fault &fault) {
    const std::string what = fault.interface + " '" + fault.name + "': " + fault.slot + " " + fault.text;
    if (const auto untold = repeated->tell(what))
      log->error("{}: {} (on_fault: {}){}", fault.module, what, action_name(fault.action),
                 *untold == 0 ? "" : "; " + std::to_string(*untold) + " more like it");
    if (then) then(fault);
  };
  tally->on_violation = options_.on_violation;
  return tally;
}

}  // namespace tenon::host
