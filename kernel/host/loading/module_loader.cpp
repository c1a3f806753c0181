// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "loading/module_loader.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/beside_executable.hpp"
#include "base/private_directory.hpp"
#include "isolation/served_kinds.hpp"
#include "loading/repeated_faults.hpp"
#include "tenon/host/preflight.hpp"
#include "tenon/host/verified_library.hpp"

namespace tenon::host {
namespace {

// To a list of words, once.
void add_word(std::string &to, std::string_view word) {
  if (word.empty() || (", " + to + ",").find(", " + std::string(word) + ",") != std::string::npos) return;
  to += (to.empty() ? "" : ", ") + std::string(word);
}

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
  if (!options_.call_records.empty()) lost_calls_ = std::make_shared<lost_calls>(options_.call_records, options_.log);
}

result<module_in_use> module_loader::load(const module_manifest &manifest, const module_use *use, bool own,
                                          const configuration_check &check_configuration) {
  const auto known = [&]() -> std::optional<module_in_use> {
    const std::scoped_lock lock(mutex_);
    if (const auto found = loaded_.find(manifest.id); found != loaded_.end()) return found->second;
    const auto build = builds_.find({manifest.id, manifest.digest});
    if (build == builds_.end()) return std::nullopt;
    return loaded_.emplace(manifest.id, build->second).first->second;
  };
  if (const auto found = known()) {
    if (auto no = check_configuration()) return *no;
    return *found;
  }
  const bool isolated = isolation::lane_of(manifest, use, own) == isolation_mode::process;
  const auto library = verify_library(manifest, use == nullptr ? std::nullopt : use->digest, options_.cache_directory,
                                      isolated ? opened_by::another : opened_by::this_process);
  if (!library) return library.why();
  if (auto no = check_configuration()) return *no;
  auto module = open(manifest, *library, use, own);
  if (!module) return module.why();
  module_in_use out{std::move(*module), tally_for(manifest, use, own)};
  const std::scoped_lock lock(mutex_);
  builds_.emplace(std::pair(manifest.id, manifest.digest), out);
  return loaded_.emplace(manifest.id, out).first->second;
}

std::optional<refusal> module_loader::open_build(const module_manifest &manifest, const module_use *use, bool own) {
  if (has_build(manifest.id, manifest.digest)) return std::nullopt;
  const bool isolated = isolation::lane_of(manifest, use, own) == isolation_mode::process;
  const auto library = verify_library(manifest, std::nullopt, options_.cache_directory,
                                      isolated ? opened_by::another : opened_by::this_process);
  if (!library) return library.why();
  auto module = open(manifest, *library, use, own);
  if (!module) return module.why();
  module_in_use out{std::move(*module), tally_for(manifest, use, own)};
  const std::scoped_lock lock(mutex_);
  builds_.emplace(std::pair(manifest.id, manifest.digest), std::move(out));
  return std::nullopt;
}

bool module_loader::has_build(const std::string &id, const std::string &digest) const {
  const std::scoped_lock lock(mutex_);
  return builds_.contains({id, digest});
}

bool module_loader::use_build(const std::string &id, const std::string &digest) {
  const std::scoped_lock lock(mutex_);
  const auto found = builds_.find({id, digest});
  if (found == builds_.end()) return false;
  loaded_.insert_or_assign(id, found->second);
  in_quarantine_.erase(id);
  return true;
}

result<std::shared_ptr<loaded_module>> module_loader::load_shadow(const std::string &of,
                                                                  const module_manifest &manifest,
                                                                  const module_use &use, bool own,
                                                                  const configuration_check &check_configuration) {
  if (auto no = check_configuration()) return *no;
  if (const auto found = shadows_.find(of); found != shadows_.end()) return found->second;
  const bool isolated = isolation::lane_of(manifest, &use, own) == isolation_mode::process;
  const auto library = verify_library(manifest, use.digest, options_.cache_directory,
                                      isolated ? opened_by::another : opened_by::this_process);
  if (!library) return library.why();
  auto module = open(manifest, *library, &use, own);
  if (!module) return module.why();
  return shadows_.emplace(of, std::move(*module)).first->second;
}

std::shared_ptr<module_tally> module_loader::tally_of_shadow(const module_manifest &manifest, const module_use &use,
                                                             bool own, fault_handler on_fault) const {
  auto tally = tally_for(manifest, &use, own);
  tally->budget = {};
  tally->has_share = false;
  tally->on_fault = std::move(on_fault);
  return tally;
}

result<std::unique_ptr<loaded_module>> module_loader::open(const module_manifest &manifest,
                                                           const verified_library &library, const module_use *use,
                                                           bool own) {
  // Its process is its preflight.
  if (isolation::lane_of(manifest, use, own) == isolation_mode::process) {
    const module_use written = use == nullptr ? module_use{} : *use;
    return loaded_module::isolate(manifest, library,
                                  {options_.module_runner, written.process, written.granted, require_sandbox_},
                                  options_.log, offered_);
  }
  if (options_.preflight) {
    std::vector<std::filesystem::path> before = [&] {
      const std::scoped_lock lock(mutex_);
      return opened_;
    }();
    before.insert(before.end(), library.beside.begin(), library.beside.end());
    const preflight_subject subject{library.open_path, library.digest, library.shown_as, before};
    if (auto no =
            preflight(subject, {options_.preflight_program, options_.preflight_timeout, options_.cache_directory}))
      return *no;
  }
  const call_subject *subject = kept_subject({host_number_,
                                              own,
                                              manifest.id,
                                              manifest.version,
                                              library.digest,
                                              fault_key(manifest.digest, use),
                                              {},
                                              {},
                                              false,
                                              std::filesystem::absolute(manifest.file).string()});
  auto module = loaded_module::open(manifest, library, subject, options_.log, offered_);
  // Opened is opened, even when it is refused after that: the next preflight must know.
  const std::scoped_lock lock(mutex_);
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

void module_loader::bound_again(const std::string &id, int64_t since_ns) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = loaded_.find(id); found != loaded_.end()) found->second.tally->forget_failed_orders(since_ns);
}

result<std::shared_ptr<void>> module_loader::stand_by(const std::string &id, const std::function<bool()> &gives_up) {
  module_in_use of;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = loaded_.find(id);
    if (found == loaded_.end()) return std::shared_ptr<void>{};
    of = found->second;
  }
  auto out = of.module->stand_by(of.tally->failed_orders(), gives_up);
  if (!out) return out.why();
  // Their module outlives them.
  using kept = std::pair<std::shared_ptr<loaded_module>, std::shared_ptr<void>>;
  return std::shared_ptr<void>(std::make_shared<kept>(of.module, std::move(*out)));
}

void module_loader::lift(const std::string &id) {
  const std::scoped_lock lock(mutex_);
  in_quarantine_.erase(id);
}

std::vector<module_counters> module_loader::counters() const {
  const std::scoped_lock lock(mutex_);
  std::vector<module_counters> out;
  for (const auto &[id, module] : loaded_) {
    if (in_quarantine_.contains(id)) continue;  // opened, and none of its policies is bound
    module_counters &one = out.emplace_back(module.tally->counters());
    one.isolated = module.module->is_isolated();
    one.usage = module.module->usage();
  }
  for (const auto &[id, tally] : in_quarantine_) out.push_back(tally->counters());
  return out;
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
  tally->manifest = std::filesystem::absolute(manifest.file).string();
  tally->own = own;
  tally->host = host_number_;
  tally->isolated = isolation::lane_of(manifest, use, own) == isolation_mode::process;
  if (options_.budgets && use != nullptr) tally->budget = use->budget;
  tally->has_share = options_.budgets && tally->isolated && tally->budget.call_us == 0;
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
  if (lost_calls_ != nullptr && tally->isolated)
    tally->on_lost_call = [to = lost_calls_](const call_subject &of, const char *slot, uint32_t items,
                                             const call_input &input,
                                             const std::string &why) { to->keep(of, slot, items, input, why); };
  return tally;
}

}  // namespace tenon::host
