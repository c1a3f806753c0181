// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A module, in this process or in processes of its own: opened, initialised, and found to be what its manifest says.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "calls/call_place.hpp"
#include "guards/call_guard.hpp"
#include "isolation/isolated_module.hpp"
#include "services/host_services.hpp"
#include "tenon/abi/module.h"
#include "tenon/host/module_manifest.hpp"
#include "tenon/host/verified_library.hpp"

namespace tenon::host {

class module_library;

// One implementation as its module describes it.
struct implementation {
  const provided_interface *promised = nullptr;
  const tenon_factory *factory = nullptr;
  uint32_t index = 0;
  tenon_description description{};
};

class loaded_module {
 public:
  // Opens `library`. Refused where it changes process-wide state, where its init refuses, and where module and
  // manifest differ, in either direction. On the thread that loads modules. `subject` names calls that are the whole
  // module's.
  [[nodiscard]] static result<std::unique_ptr<loaded_module>> open(const module_manifest &manifest,
                                                                   const verified_library &library,
                                                                   const call_subject *subject,
                                                                   std::shared_ptr<spdlog::logger> log,
                                                                   std::shared_ptr<const service_registry> offered);

  // The same with the library opened in processes of its own alone: not a line of it runs in this one.
  [[nodiscard]] static result<std::unique_ptr<loaded_module>> isolate(const module_manifest &manifest,
                                                                      const verified_library &library,
                                                                      const isolation::isolation_plan &plan,
                                                                      std::shared_ptr<spdlog::logger> log,
                                                                      std::shared_ptr<const service_registry> offered);

  // Undoes the init. The library stays mapped: modules are retired, never unloaded.
  ~loaded_module();
  loaded_module(const loaded_module &) = delete;
  loaded_module &operator=(const loaded_module &) = delete;

  [[nodiscard]] const module_manifest &manifest() const { return manifest_; }
  [[nodiscard]] const tenon_host *host() const { return &services_; }
  [[nodiscard]] bool is_isolated() const { return isolated_ != nullptr; }
  // Of a module in processes of its own. From any thread.
  [[nodiscard]] process_usage usage() const { return isolated_ == nullptr ? process_usage{} : isolated_->usage(); }
  // Starts processes for the instances that are in use and for these, as isolation::isolated_module::stand_by() does.
  // They end with the result, unless a policy has taken them. Nothing for a module in this process.
  [[nodiscard]] result<std::shared_ptr<void>> stand_by(const std::vector<failed_order> &failed,
                                                       const std::function<bool()> &gives_up) const;
  // nullptr where the manifest does not promise it.
  [[nodiscard]] const implementation *find(std::string_view interface, std::string_view name) const;

 private:
  loaded_module(const module_manifest &manifest, const verified_library &library, std::shared_ptr<spdlog::logger> log,
                std::shared_ptr<const service_registry> offered);

  [[nodiscard]] std::optional<refusal> open_library();
  [[nodiscard]] std::optional<refusal> check_table() const;
  [[nodiscard]] std::optional<refusal> check_revision(uint32_t draft_rev) const;
  [[nodiscard]] std::optional<refusal> initialise();
  [[nodiscard]] std::optional<refusal> compare();
  tenon_status get_factory(std::string_view interface, tenon_get_factory_out &out) const;
  [[nodiscard]] std::optional<refusal> compare_interface(std::string_view interface);
  [[nodiscard]] std::optional<refusal> compare_one(const implementation &one, std::string_view interface) const;
  [[nodiscard]] refusal no(std::string want, std::string have, std::string fix) const;

  module_manifest manifest_;
  verified_library library_;
  const call_subject *subject_ = nullptr;
  uint32_t page_entry_ = 0;  // as call_guard has it
  host_services services_;
  std::unique_ptr<module_library> opened_;
  const tenon_module *table_ = nullptr;                   // of a library that is open in this process
  std::unique_ptr<isolation::isolated_module> isolated_;  // else
  bool initialised_ = false;
  std::vector<implementation> implementations_;
};

// A text of a module; empty where it breaks the rules of tenon_text.
[[nodiscard]] std::string_view view(const tenon_text &text);

}  // namespace tenon::host
