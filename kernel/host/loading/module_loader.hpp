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

#include "deployment/fault_key.hpp"
#include "flight/lost_calls.hpp"
#include "guards/call_guard.hpp"
#include "guards/loaded_module.hpp"
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

  // Verifies, preflights, opens and compares a module once, or takes the build that open_build() opened; later the same
  // one. `use`: its deployment entry; `own`: it
  // is the project's.
  // `check_configuration` may refuse before any code of the module runs; it is asked each time.
  using configuration_check = std::function<std::optional<refusal>()>;
  [[nodiscard]] result<module_in_use> load(const module_manifest &manifest, const module_use *use, bool own,
                                           const configuration_check &check_configuration);

  // Opens another build of a module, beside the one that load() gives; where that was done before, nothing is. From any
  // thread.
  [[nodiscard]] std::optional<refusal> open_build(const module_manifest &manifest, const module_use *use, bool own);
  // One that was opened: the one in force included. From any thread.
  [[nodiscard]] bool has_build(const std::string &id, const std::string &digest) const;
  // From now on load() gives this build, which was opened. False: it was not. From any thread.
  bool use_build(const std::string &id, const std::string &digest);

  // For shadows of the module `of`: in processes in which nothing of the module's other instances is, or, of the
  // project's own, here. Verified and opened once; not among counters().
  [[nodiscard]] result<std::shared_ptr<loaded_module>> load_shadow(const std::string &of,
                                                                   const module_manifest &manifest,
                                                                   const module_use &use, bool own,
                                                                   const configuration_check &check_configuration);
  // Of the calls of one of them. `on_fault` alone is told their faults.
  [[nodiscard]] std::shared_ptr<module_tally> tally_of_shadow(const module_manifest &manifest, const module_use &use,
                                                              bool own, fault_handler on_fault) const;

  // Starts processes for the policies of the module in force, those included that failed, as loaded_module::stand_by()
  // does. From any thread but the cycle thread.
  [[nodiscard]] result<std::shared_ptr<void>> stand_by(const std::string &id, const std::function<bool()> &gives_up);
  // Notes that all policies of the module were bound again. Faults since `since_ns`, of the steady clock, are not
  // settled by that.
  void bound_again(const std::string &id, int64_t since_ns);
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

  [[nodiscard]] result<std::unique_ptr<loaded_module>> open(const module_manifest &manifest,
                                                            const verified_library &library, const module_use *use,
                                                            bool own);

  host_options options_;
  bool require_sandbox_;
  std::shared_ptr<lost_calls> lost_calls_;  // null: nobody keeps them
  const uint64_t host_number_;
  std::shared_ptr<service_registry> offered_ = std::make_shared<service_registry>();
  mutable std::mutex mutex_;                   // guards what follows against other threads
  std::vector<std::filesystem::path> opened_;  // companions of the next preflight
  std::map<std::string, module_in_use, std::less<>> loaded_;
  std::map<std::pair<std::string, std::string>, module_in_use> builds_;  // by id and digest; kept for going back
  std::map<std::string, std::shared_ptr<module_tally>, std::less<>> in_quarantine_;
  std::map<std::string, std::shared_ptr<loaded_module>, std::less<>> shadows_;  // by the module that they are of
};

}  // namespace tenon::host
