// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a module host has: its deployment, what lies on the module path, and what is loaded of that.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/fault_text.hpp"
#include "containment/call_watch.hpp"
#include "containment/quarantine.hpp"
#include "guards/guarded_policy.hpp"
#include "isolation/served_kinds.hpp"
#include "loading/module_loader.hpp"
#include "loading/retry_times.hpp"
#include "shadow/shadowed_policy.hpp"
#include "tenon/builtin/policy_source.hpp"
#include "tenon/host/module_host.hpp"

namespace tenon::host {

// "tenon.yaml:3:9", or the name of the built-in deployment.
inline std::string place(const deployment &plan, config::text_position at) {
  if (plan.file.empty()) return "the built-in deployment";
  return config::problems(plan.file).where(at);
}

// A loaded module and the complete configuration of an instance.
struct ready_module {
  module_in_use in_use;
  std::string configuration;
};

struct module_host::impl {
  impl(deployment p, host_options options)
      : plan(std::move(p)),
        held(options.fault_records, unix_now_ms()),
        // Longer than the outcome of an order that lets nothing go takes to be found.
        retries(plan.containment.retry, plan.containment.outcome + std::chrono::minutes(10)),
        loader(std::move(options), plan.require_sandbox) {
    if (loader.options().watch_calls)
      watch.emplace(loader.host_number(), loader.options().log,
                    call_limits{plan.containment.hang, plan.containment.io_hang}, loader.options().on_hang);
  }

  deployment plan;
  // Another one each time that another build of a module is in force; former ones stay, for whoever looks at them.
  std::vector<std::unique_ptr<const module_catalog>> catalogs;
  std::atomic<const module_catalog *> in_force{nullptr};
  [[nodiscard]] const module_catalog &catalog() const { return *in_force; }
  void use(module_catalog all) {
    catalogs.push_back(std::make_unique<const module_catalog>(std::move(all)));
    in_force = catalogs.back().get();
  }
  quarantine held;
  retry_times retries;              // of due_again() alone
  std::atomic<bool> stops{false};   // nobody waits for a module to start any more
  std::optional<call_watch> watch;  // outlives modules, which may not return from their last calls
  module_loader loader;
  builtin_policy_source fallbacks;
  std::vector<std::unique_ptr<host_services>> linked;
  mutable std::mutex shadow_mutex;                                                      // of what follows
  std::map<std::array<std::string, 3>, std::shared_ptr<shadow_record>> shadow_records;  // module, kind, name

  // Listed in the deployment or used by an entry of it.
  [[nodiscard]] bool is_named(std::string_view id) const {
    const auto used = [&](const std::vector<interface_use> &uses) {
      return std::any_of(uses.begin(), uses.end(), [&](const interface_use &use) { return use.use == id; });
    };
    return plan.find(id) != nullptr || used(plan.predicates) || used(plan.events) || used(plan.transports);
  }
  // Built-in modules serve every deployment; without a file so do all that are found.
  [[nodiscard]] bool is_available(const catalogued_module &module) const {
    return module.built_in || plan.file.empty() || is_named(module.manifest.id);
  }

  std::optional<refusal> scan();
  std::optional<refusal> check_unique() const;
  void warn_of_open(const std::vector<module_folder> &folders) const;
  [[nodiscard]] std::optional<refusal> check_locked(const catalogued_module &module) const {
    // Of a build that was opened, what could be against it was looked at then.
    if (!plan.lock || loader.has_build(module.manifest.id, module.manifest.digest)) return std::nullopt;
    return check_lock(*plan.lock, module.manifest, module.built_in);
  }
  // Why a module is not loaded, though the deployment wants it.
  [[nodiscard]] std::string quarantine_of(const catalogued_module &module) const;
  std::optional<refusal> load_named();
  std::optional<refusal> check_module(const module_use &use);
  [[nodiscard]] isolation_mode lane_of(const catalogued_module &module) const {
    return isolation::lane_of(module.manifest, plan.find(module.manifest.id), module.own);
  }
  // Whether a module can live where it is to.
  [[nodiscard]] std::optional<refusal> check_lane(const catalogued_module &module) const;
  std::optional<refusal> check_uses(const std::vector<interface_use> &uses, module_kind kind);
  [[nodiscard]] std::string providers_of(std::string_view interface) const;
  result<const provided_interface *> chosen(const interface_use &use, module_kind kind) const;
  std::vector<std::string> names(module_kind kind) const;
  [[nodiscard]] std::vector<locked_module> deciding() const;
  result<const catalogued_module *> provider(module_kind kind, std::string_view name) const;
  // Loads the module with what the deployment says of it below `given`.
  result<ready_module> prepare(const catalogued_module &module, configuration given);
  result<std::unique_ptr<bound_policy>> make(const catalogued_module &module, module_kind kind, std::string_view name,
                                             configuration given, uint32_t max_resource_types);
  // -- Builds of modules that take over from others (module_builds.cpp). --

  [[nodiscard]] std::vector<module_folder> folders() const;
  // What lies on the module path now, of that id.
  [[nodiscard]] result<catalogued_module> installed(std::string_view id) const;
  // Of that digest: installed, or kept among `builds` of a folder.
  [[nodiscard]] std::optional<catalogued_module> build_of(std::string_view id, std::string_view digest) const;
  [[nodiscard]] std::optional<refusal> check_beside(const catalogued_module &now, const catalogued_module &next) const;
  std::optional<refusal> open(const catalogued_module &module);
  void keep(const catalogued_module &module) const;
  mutable std::mutex builds_mutex;                                          // of what follows
  std::map<std::pair<std::string, std::string>, catalogued_module> opened;  // by id and digest
  std::map<std::string, catalogued_module> before;       // by id: what the one in force took over from
  std::map<std::string, uint64_t> swaps;                 // by id: how often
  std::set<std::pair<std::string, std::string>> missed;  // id and digest of builds that nobody has

  // -- Shadows. --

  // The shadow of a module's entry, as if it had an entry of its own.
  [[nodiscard]] module_use entry_of_shadow(const module_use &first) const;
  // Which of its implementations stands beside one of the first; nullptr: none.
  [[nodiscard]] static const provided_interface *beside(const provided_interface &first, const module_manifest &shadow,
                                                        const std::string &wanted);
  std::optional<refusal> check_shadow(const module_use &first, const module_manifest &manifest);
  // `given` is what the first is given by queues.yaml, or by its entry of predicates.
  [[nodiscard]] static configuration configuration_of_shadow(const module_manifest &shadow, const module_use &entry,
                                                             const call_shadow_use &use, const configuration &given);
  [[nodiscard]] std::shared_ptr<shadow_record> record_of(const module_use &first, const call_shadow_status &about);
  std::unique_ptr<bound_policy> with_shadow(std::unique_ptr<bound_policy> first, const catalogued_module &module,
                                            module_kind kind, const provided_interface &promised,
                                            const configuration &given, uint32_t max_resource_types);
  result<std::unique_ptr<bound_policy>> make_shadow(const module_use &first, const catalogued_module &shadow,
                                                    module_kind kind, const provided_interface &one,
                                                    const configuration &given, uint32_t max_resource_types,
                                                    const std::shared_ptr<shadow_record> &record);

  result<std::vector<listed_module>> listed(const std::vector<interface_use> &uses, module_kind kind);
};

}  // namespace tenon::host
