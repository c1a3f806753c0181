// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "catalogue.hpp"

#include <algorithm>
#include <array>

#include "tenon/abi/app_sort.h"
#include "tenon/abi/event_sink.h"
#include "tenon/abi/node_sort.h"
#include "tenon/abi/placement_rule.h"
#include "tenon/abi/predicate.h"
#include "tenon/abi/queue_sort.h"

namespace tenon::conformance {
namespace {

struct kind_row {
  std::string_view interface;
  kind_name is;
};
constexpr std::array kinds{
    kind_row{TENON_QUEUE_SORT, {about::queue_sort, "queue-sort"}},
    kind_row{TENON_APP_SORT, {about::app_sort, "app-sort"}},
    kind_row{TENON_NODE_SORT, {about::node_sort, "node-sort"}},
    kind_row{TENON_PREDICATE, {about::predicate, "predicate"}},
    kind_row{TENON_PLACEMENT_RULE, {about::placement_rule, "placement-rule"}},
    kind_row{TENON_EVENT_SINK, {about::event_sink, "event-sink"}},
};

}  // namespace

const std::vector<check> &catalogue() {
  static const std::vector<check> all = [] {
    std::vector<check> out;
    for (const checks list :
         {manifest_checks(), process_module_checks(), lifecycle_checks(), resource_module_checks(), slot_checks(),
          more_lifecycle_checks(), buffer_checks(), process_checks(), purity_checks(), predicate_checks(),
          placement_checks(), event_sink_checks(), resource_checks()}) {
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
  for (const kind_row &row : kinds) {
    if ((c.about & row.is.kind) != 0) names += (names.empty() ? "" : ", ") + std::string(row.is.name);
  }
  if ((c.about & about::module) != 0) names = "every module";
  if (c.about == about::policies) names = "every policy";
  if (c.about == about::every_kind) names = "every kind";
  return {c.id, c.sentence, c.category, std::move(names), c.needs, c.long_run};
}

kind_name kind_of(std::string_view interface_id) {
  for (const kind_row &row : kinds) {
    if (row.interface == interface_id) return row.is;
  }
  return {};
}

}  // namespace tenon::conformance
