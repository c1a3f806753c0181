// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "catalogue.hpp"

#include <algorithm>

namespace tenon::conformance {

const std::vector<check> &catalogue() {
  static const std::vector<check> all = [] {
    std::vector<check> out;
    for (const checks list :
         {manifest_checks(), process_module_checks(), lifecycle_checks(), resource_module_checks(), slot_checks(),
          more_lifecycle_checks(), buffer_checks(), process_checks(), purity_checks(), device_checks(),
          predicate_checks(), placement_checks(), identity_checks(), event_sink_checks(), transport_checks(),
          transport_rm_checks(), resource_checks()}) {
      out.insert(out.end(), list.begin(), list.end());
    }
    return out;
  }();
  return all;
}

const check *find_check(std::string_view id) {
  const auto &all = catalogue();
  const auto found = std::find_if(all.begin(), all.end(), [&](const check &c) { return c.id == id; });
  return found == all.end() ? nullptr : &*found;
}

check_entry entry_of(const check &c) {
  std::string names;
  for (const kind_entry &kind : module_kinds) {
    if ((c.about & bit_of(kind.kind)) != 0) names += (names.empty() ? "" : ", ") + std::string(kind.name());
  }
  if ((c.about & about::module) != 0) names = "every module";
  if (c.about == about::policies) names = "every policy";
  if (c.about == about::asked) names = "every policy, identity";
  if (c.about == about::every_kind) names = "every kind";
  return {c.id, c.sentence, c.category, std::move(names), c.needs, c.long_run};
}

kind_name kind_of(std::string_view interface_id) {
  const kind_entry *kind = find_kind(interface_id);
  if (kind == nullptr || (bit_of(kind->kind) & about::every_kind) == 0) return {};
  return {bit_of(kind->kind), kind->name()};
}

}  // namespace tenon::conformance
