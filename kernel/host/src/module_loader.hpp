// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The loading pipeline of one host, and what it has loaded.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "call_guard.hpp"
#include "containment/fault_key.hpp"
#include "loaded_module.hpp"
#include "tenon/host/module_host.hpp"

namespace tenon::host {

struct module_in_use {
  std::shared_ptr<loaded_module> module;
  std::shared_ptr<module_tally> tally;
};

class module_loader {
 public:
  // Fills in the options that are left empty. `require_sandbox` is for modules in processes of their own.
  module_loader(host_options options, bool require_sandbox);

  // Verifies, preflights, opens and compares a module once; later the same one. `use`: its deployment entry; `own`: it
  // is the project's.
  // `check_configuration` may refuse before any code of the module runs; it is asked each time.
  using configuration_check = std::function<std::optional<refusal>()>;
  [[nodiscard]] result<module_in_use> load(const module_manifest &manifest, const module_use *use, bool own,
                                           const configuration_check &check_configuration);

  // Of a module that is not loaded, in these words; of the same one again. Forgotten once it is lifted.
  [[nodiscard]] std::shared_ptr<module_tally> in_quarantine(const module_manifest &manifest, const module_use *use,
                                                            const std::string &why);
  void lift(const std::string &id);

  // To modules loaded and to be loaded.
  void offer(const offered_service &service) { offered_->offer(service); }
  [[nodiscard]] std::shared_ptr<const service_registry> offered() const { return offered_; }

  [[nodiscard]] const host_options &options() const { return options_; }
  [[nodiscard]] std::vector<module_counters> counters() const;
  // Differs from that of every other host of the process.
  [[nodiscard]] uint64_t host_number() const { return host_number_; }

 private:
  [[nodiscard]] std::shared_ptr<module_tally> tally_for(const module_manifest &manifest, const module_use *use,
                                                        bool own) const;
  [[nodiscard]] call_budget budget_of(const module_use *use, bool own) const;

  [[nodiscard]] result<std::unique_ptr<loaded_module>> open(const module_manifest &manifest,
                                                            const verified_library &library, const module_use *use,
                                                            bool own);

  host_options options_;
  bool require_sandbox_;
  const uint64_t host_number_;
  std::shared_ptr<service_registry> offered_ = std::make_shared<service_registry>();
  std::vector<std::filesystem::path> opened_;  // companions of the next preflight
  mutable std::mutex mutex_;                   // guards what follows against counters() from other threads
  std::map<std::string, module_in_use, std::less<>> loaded_;
  std::map<std::string, std::shared_ptr<module_tally>, std::less<>> in_quarantine_;
};

}  // namespace tenon::host
