// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The policies that a run uses: the modules of a deployment, or of the default one.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tenon/config/queues.hpp"
#include "tenon/kernel/policies.hpp"

namespace tenon::host {
class module_host;
struct module_fault;
}  // namespace tenon::host

namespace tenon::cli {

// Values of keys of modules' configurations, by the module's id.
using module_settings = std::map<std::string, boost::json::object>;

struct policy_choice {
  std::string deployment;         // file; empty: every module on the path
  std::string module_path;        // a folder that is searched besides; empty: none
  module_settings settings = {};  // in place of what the deployment says of these keys
  bool shadows = false;           // whether policies get those that the deployment gives them
  bool keeps_calls = true;        // records of calls that ended a process, where the deployment has its records
  std::function<void(const host::module_fault &)> on_fault = {};  // on the thread of the call
};

struct opened_policies {
  std::unique_ptr<policy_source> source;
  host::module_host *modules = nullptr;  // behind the source
  config::known_policies known;          // what configurations may name

  // The same where users are not looked up, so that a configuration of a daemon with other modules can be tried.
  [[nodiscard]] config::known_policies known_without_users() const {
    config::known_policies out = known;
    out[module_kind::identity].reset();
    return out;
  }
};

// Budgets are off: what is decided depends on the journal, not on the machine.
[[nodiscard]] result<opened_policies> open_policies(const policy_choice &choice);

}  // namespace tenon::cli
