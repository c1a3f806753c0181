// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/served_kinds.hpp"

#include "tenon/abi/host.h"
#include "tenon/kernel/module_kinds.hpp"

namespace tenon::host::isolation {
namespace {

bool is_served(module_kind kind) { return is_sort(kind) || kind == module_kind::predicate; }

}  // namespace

std::optional<refusal> check_served(const module_manifest &manifest, const std::string &where) {
  const std::string fix = "write isolation: none for it";
  for (const provided_interface &one : manifest.provides) {
    const kind_entry *kind = find_kind(one.interface);
    if (kind != nullptr && is_served(kind->kind)) continue;
    return refusal{where, "isolation: process for modules of queue-sort, app-sort, node-sort and predicate",
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

}  // namespace tenon::host::isolation
