// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "lifecycle/resource_intake.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/node_table.hpp"
#include "policies/call_contexts.hpp"
#include "policies/node_sorting.hpp"
#include "ready/change_dispatcher.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

std::string resource_intake::check_amounts(std::initializer_list<named_amounts> lists, type_lookup &by_name) {
  for (const named_amounts &list : lists) {
    for (const named_amount &item : list.from) {
      if (item.amount < 0) return messages::negative_amount(item.type);
    }
  }
  const size_t before = by_name.fresh().size();
  for (const named_amounts &list : lists) {
    for (const named_amount &item : list.from) {
      const type_index type = by_name.bring(item.type);
      if (type == no_type) {
        by_name.keep_fresh(before);
        return messages::too_many_resource_types(item.type, by_name.limit());
      }
      list.to.set(type, item.amount);
    }
  }
  return {};
}

std::string resource_intake::check_need(amounts from, resources &out, type_lookup &by_name) {
  const auto zero = [](const named_amount &item) { return item.amount == 0; };
  if (std::all_of(from.begin(), from.end(), zero)) return messages::no_resources();
  if (std::any_of(from.begin(), from.end(), [](const named_amount &item) { return item.amount < 0; })) {
    return messages::negative_resources();
  }
  std::string problem = check_amounts({{from, out}}, by_name);
  out.prune();
  return problem;
}

void resource_intake::intern_fresh(const type_lookup &by_name) {
  for (const std::string_view name : by_name.fresh()) types.intern(name);
  types_grew();
}

resources resource_intake::configured_amounts(const amount_map &from) {
  resources out;
  const uint32_t before = types.count();
  bool some = false;
  for (const auto &[type, amount] : from) {
    out.set(types.intern(type), amount);
    some |= amount > 0;
  }
  if (types.count() != before) types_grew();
  if (!some) out.clear();
  return out;
}

void resource_intake::types_grew() {
  contexts.name_types(types);
  for (const auto &[node_id, n] : nodes.by_id()) changes.apply(node_stored{*n});
  if (sortings.own.order != nullptr) sortings.touch_all();
}

}  // namespace tenon::internal
