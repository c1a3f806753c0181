// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "lifecycle/resource_intake.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/ask_class.hpp"
#include "model/node_table.hpp"
#include "policies/call_contexts.hpp"
#include "policies/node_sorting.hpp"
#include "queueing/change_dispatcher.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

std::string resource_intake::check_amounts(std::initializer_list<named_amounts> lists) {
  for (const named_amounts &list : lists) {
    for (const named_amount &item : list.from) {
      if (item.amount < 0) return messages::negative_amount(item.type, item.amount);
      if (item.amount > largest_sum) return messages::amount_too_large(item.type, item.amount);
    }
  }
  for (const named_amounts &list : lists) {
    for (const named_amount &item : list.from) {
      const type_index type = item.amount == 0 ? types.find(item.type) : bring(item.type);
      if (type != no_type) {
        list.to.set(type, item.amount);
      } else if (item.amount != 0) {
        return messages::too_many_resource_types(item.type, types.limit());
      }
    }
  }
  return {};
}

std::string resource_intake::check_need(amounts from, resources &out) {
  const auto zero = [](const named_amount &item) { return item.amount == 0; };
  if (std::all_of(from.begin(), from.end(), zero)) return messages::no_resources();
  for (const named_amount &item : from) {
    if (item.amount < 0) return messages::negative_resources(item.type, item.amount);
  }
  std::string problem = check_amounts({{from, out}});
  out.prune();
  return problem;
}

int64_t resource_intake::asked_and_used(type_index t) const {
  return add_saturating(model.root->pending[t], model.root->allocated[t]);
}

type_index resource_intake::bring(std::string_view name) {
  const uint64_t before = types.version();
  type_index type = types.intern(name);
  if (type == no_type) {
    forget_types(~(types_in_use() | named_));
    type = types.intern(name);
  }
  if (type == no_type) return no_type;
  named_ |= uint64_t{1} << type;
  if (types.version() != before) types_grew();
  return type;
}

bool resource_intake::bring_all(const amount_map &from) {
  return std::all_of(from.begin(), from.end(), [&](const auto &item) { return bring(item.first) != no_type; });
}

void resource_intake::forget_types(uint64_t mask) {
  types.keep_only(~mask);
  const auto forget_in = [&](application &app) {
    app.past.forget(mask);
    if (app.ended != 0) app.placeholder_ask.erase_all(mask);
    changes.apply(application_types_forgotten{app});
  };
  for (application *app : model.ended) forget_in(*app);
  for (const auto &[app_id, app] : model.active) forget_in(*app);
}

// Looks at everything: it is asked when all indices have a name, and another type comes.
uint64_t resource_intake::types_in_use() const {
  uint64_t out = 0;
  const auto add = [&](const resources &r) { out |= r.present(); };
  const auto add_positive = [&](const resources &r) {
    for_each_type(r, [&](type_index t, int64_t amount) { out |= uint64_t{amount > 0} << t; });
  };
  const auto add_named = [&](const amount_map &amounts) {
    for (const auto &[type, amount] : amounts) {
      if (const type_index t = types.find(type); t != no_type) out |= uint64_t{1} << t;
    }
  };
  for (const auto &[node_id, n] : nodes.by_id()) {
    add_positive(n->capacity);
    add_positive(n->occupied);
    for (const device_group &group : nodes.devices().of(n->slot)) out |= uint64_t{1} << group.type;
  }
  // What is gone is in decisions until these are drained.
  for (uint32_t i = 0; i < model.asks.extent(); ++i) {
    if (model.asks[i].owner != nullptr) out |= model.classes[model.asks[i].class_id].types;
  }
  for (uint32_t i = 0; i < model.allocations.extent(); ++i) {
    const allocation &a = model.allocations[i];
    if (a.owner != nullptr || a.foreign) out |= model.classes[a.class_id].types;
  }
  for (const auto &[app_id, app] : model.active) {
    add(app->placeholder_ask);
    for (const decayed_usage &d : app->decayed) add(d.at(now_ms));
  }
  out |= model.shapes.types();
  if (model.root == nullptr) return out;
  for_each_queue(*model.root, [&](const queue &q) {
    add(q.guaranteed);
    add(q.max);
    add_named(q.child_template.guaranteed);
    add_named(q.child_template.max);
    for (const limit_config &limit : q.limits.all()) add_named(limit.max_resources);
    for (const decayed_usage &d : q.decayed) add(d.at(now_ms));
  });
  return out;
}

resources resource_intake::configured_amounts(const amount_map &from) {
  resources out;
  bool some = false;
  for (const auto &[type, amount] : from) {
    out.set(bring(type), amount);
    some |= amount > 0;
  }
  if (!some) out.clear();
  return out;
}

void resource_intake::types_grew() {
  contexts.name_types(types);
  for (const auto &[node_id, n] : nodes.by_id()) changes.apply(node_stored{*n});
  if (sortings.own.order != nullptr) sortings.touch_all();
}

}  // namespace tenon::internal
