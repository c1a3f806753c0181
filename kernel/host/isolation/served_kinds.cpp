// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/served_kinds.hpp"

#include <algorithm>

#include "tenon/abi/host.h"
#include "tenon/kernel/module_kinds.hpp"

namespace tenon::host::isolation {
namespace {

// A transport calls back from threads of its own, for as long as it lives.
bool is_served(module_kind kind) { return kind != module_kind::transport; }

}  // namespace

isolation_mode lane_of(const module_manifest &manifest, const module_use *use, bool own) {
  if (use != nullptr && use->isolation) return *use->isolation;
  return own || manifest.provides_kind(module_kind::transport) ? isolation_mode::none : isolation_mode::process;
}

std::optional<refusal> check_served(const module_manifest &manifest, const module_use *use, const std::string &where) {
  const std::string fix = use != nullptr
                              ? "write isolation: none in its entry"
                              : "write `- { id: " + manifest.id + ", isolation: none }` in modules of the deployment";
  for (const provided_interface &one : manifest.provides) {
    const kind_entry *kind = find_kind(one.interface);
    if (kind != nullptr && is_served(kind->kind)) continue;
    return refusal{where, "isolation: process for modules of all kinds but transport",
                   "module '" + manifest.id + "', which provides " + one.interface, fix};
  }
  for (const std::string &service : manifest.services) {
    if (service == TENON_HOST_LOG || service == TENON_HOST_THREAD) continue;
    return refusal{where,
                   "isolation: process for modules that use " TENON_HOST_LOG " and " TENON_HOST_THREAD " at most",
                   "module '" + manifest.id + "', which uses " + service, fix};
  }
  return std::nullopt;
}

std::optional<refusal> check_granted(const module_manifest &manifest, const granted_permissions &granted,
                                     const std::string &where) {
  for (const std::string_view each : permission_words()) {
    const auto &asked = manifest.permissions;
    if (!granted.has(each) || std::find(asked.begin(), asked.end(), each) != asked.end()) continue;
    return refusal{where, "permissions that its manifest asks for",
                   std::string(each) + " for module '" + manifest.id + "', which does not ask for it",
                   "leave it out, or ask the module's vendor to list it in permissions"};
  }
  return std::nullopt;
}

}  // namespace tenon::host::isolation
