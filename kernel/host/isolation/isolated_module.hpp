// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A module that is opened in processes of its own, one for each instance, as the rest of the host sees it: factories,
// instances and tables of the module ABI, whose slots go to the process and come back by a deadline.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isolation/isolation_plan.hpp"
#include "isolation/module_process.hpp"
#include "isolation/module_reports.hpp"
#include "services/host_services.hpp"
#include "tenon/host/module_manifest.hpp"
#include "tenon/host/verified_library.hpp"

namespace tenon::host::isolation {

class isolated_instance;
class standing_by;

class isolated_module {
 public:
  // Opens the library in a process, asks what it provides, and lets the process end. `services` outlives this. `lost`,
  // where it is refused: how the process was lost.
  [[nodiscard]] static result<std::unique_ptr<isolated_module>> open(const module_manifest &manifest,
                                                                     const verified_library &library,
                                                                     const isolation_plan &plan,
                                                                     const host_services &services,
                                                                     process_loss *lost = nullptr);
  ~isolated_module();
  isolated_module(const isolated_module &) = delete;
  isolated_module &operator=(const isolated_module &) = delete;

  [[nodiscard]] const module_report &report() const { return report_; }
  // As tenon_module's.
  tenon_status get_factory(std::string_view interface, tenon_get_factory_out &out) const;
  // Why the last call of an instance failed where its process is to blame, not what it answered; else empty.
  [[nodiscard]] static std::string cause(const tenon_instance *instance);
  // Whether the last call of an instance was the end of its process.
  [[nodiscard]] static bool has_lost_call(const tenon_instance *instance);
  // What a process makes an instance of.
  [[nodiscard]] static std::string instance_request(std::string_view interface, uint32_t index,
                                                    std::string_view configuration, uint32_t max_resource_types);
  // Starts an instance for each of these requests, and one more of each that is in use, and waits for them. From then
  // on create() takes them, as long as the result lives. Refused if one does not start or `gives_up` returns true. Not
  // from the cycle thread, which it would hold up.
  [[nodiscard]] result<std::shared_ptr<standing_by>> stand_by(std::vector<std::string> requests,
                                                              const std::function<bool()> &gives_up) const;
  // "a process of its own: seccomp, landlock 4, ...", for the log.
  [[nodiscard]] std::string in_force() const;
  // What the manifest asks for and nobody granted, each with the line that would.
  [[nodiscard]] std::vector<std::string> denied(const module_manifest &manifest) const;

  // Of all of its processes. From any thread.
  [[nodiscard]] process_usage usage() const { return accounts_.now(); }

  [[nodiscard]] const isolation_plan &plan() const { return plan_; }
  [[nodiscard]] result<std::unique_ptr<module_process>> start() const;
  void let_go(isolated_instance *instance) const;

 private:
  struct factory;

  isolated_module(const module_manifest &manifest, const verified_library &library, const isolation_plan &plan,
                  const host_services &services);
  [[nodiscard]] std::optional<refusal> ask_what_it_is(process_loss *lost);
  [[nodiscard]] std::optional<refusal> check_sandbox() const;
  [[nodiscard]] refusal no(std::string want, std::string have, std::string fix) const;

  // Returns one that stands by for this request, or starts one.
  [[nodiscard]] std::unique_ptr<isolated_instance> started(const std::string &request) const;
  static tenon_status describe(const tenon_factory *self, const tenon_describe_in *in, tenon_description *out);
  static tenon_status create(const tenon_factory *self, const tenon_create_in *in, tenon_create_out *out);

  std::string shown_as_;
  isolation_plan plan_;
  process_accounts accounts_;  // outlives the processes
  process_start how_;
  const host_services &services_;
  module_report report_;
  std::vector<std::unique_ptr<factory>> factories_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<isolated_instance>> instances_;
  mutable std::weak_ptr<standing_by> standing_by_;
};

}  // namespace tenon::host::isolation
