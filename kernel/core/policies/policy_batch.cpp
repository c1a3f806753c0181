// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/policy_batch.hpp"

#include "policies/batch_builder.hpp"

namespace tenon::internal {
namespace {

int64_t abi_state(application_state state) {
  switch (state) {
    case application_state::accepted:
      return TENON_APP_ACCEPTED;
    case application_state::starting:
      return TENON_APP_STARTING;
    case application_state::running:
      return TENON_APP_RUNNING;
    case application_state::completing:
      return TENON_APP_COMPLETING;
    case application_state::resuming:
      return TENON_APP_RESUMING;
    default:
      return TENON_APP_NEW;
  }
}

tenon_text tag_text(const tag_list &tags, std::string_view key) {
  for (const auto &[name, value] : tags) {
    if (name == key) return text_of(value);
  }
  return {nullptr, 0};
}

resources decayed(const std::vector<decayed_usage> &of, const column_binding &c, int64_t now_ms) {
  const auto found =
      std::find_if(of.begin(), of.end(), [&](const decayed_usage &one) { return one.half_life() == c.number; });
  return found == of.end() ? resources{} : found->at(now_ms);
}

void add_queue_column(batch_builder &b, const column_binding &c, const queue &parent, std::span<queue *const> items,
                      const call_context &context) {
  const auto types = static_cast<uint32_t>(context.types.size());
  switch (c.source) {
    case column_source::queue_allocated:
      return b.resources_of(
          items, types, [](const queue &q) -> auto & { return q.allocated; });
    case column_source::queue_pending:
      return b.resources_of(
          items, types, [](const queue &q) -> auto & { return q.pending; });
    case column_source::queue_guaranteed:
      return b.resources_of(
          items, types, [](const queue &q) -> auto & { return q.guaranteed; });
    case column_source::queue_max:
      return b.resources_of(
          items, types, [](const queue &q) -> auto & { return q.max; });
    case column_source::queue_fair_max:
      return b.resources_of(
          items, types, [](const queue &q) -> auto & { return q.fair_max; });
    case column_source::queue_priority:
      return b.numbers_of(items, [](const queue &q) { return int64_t{q.priority}; });
    case column_source::queue_decayed:
      return b.made_resources_of(items, types, [&](const queue &q) { return decayed(q.decayed, c, context.now_ms); });
    case column_source::queue_property:
      return b.texts_of(items, [&](const queue &q) {
        const auto found = q.properties.find(c.argument);
        return found == q.properties.end() ? tenon_text{nullptr, 0} : text_of(found->second);
      });
    case column_source::queue_properties:
      return b.maps_of(
          items, [](const queue &q) -> auto & { return q.properties; });
    case column_source::parent_priority_sort:
      return b.one_number(parent.priority_sort ? 1 : 0);
    case column_source::item_prepared:
      return b.words_of(items, [](const queue &q) { return q.prepared; });
    case column_source::item_name:
      return b.texts_of(items, [](const queue &q) { return text_of(q.path); });
    case column_source::parent_name:
      return b.one_text(text_of(parent.path));
    default:
      return b.one_text({nullptr, 0});  // a column of another kind: nothing to see
  }
}

const application *next_to_start(const queue &leaf) {
  if (leaf.starts != nullptr) return leaf.starts->next();
  start_line all;
  for (application *app : leaf.apps) all.file(*app, true);
  return all.next();
}

void add_app_column(batch_builder &b, const column_binding &c, const queue &leaf, std::span<application *const> items,
                    const call_context &context) {
  const auto types = static_cast<uint32_t>(context.types.size());
  switch (c.source) {
    case column_source::app_allocated:
      return b.resources_of(
          items, types, [](const application &a) -> auto & { return a.allocated; });
    case column_source::app_decayed:
      return b.made_resources_of(items, types,
                                 [&](const application &a) { return decayed(a.decayed, c, context.now_ms); });
    case column_source::app_placeholders:
      return b.resources_of(
          items, types, [](const application &a) -> auto & { return a.placeholders; });
    case column_source::app_pending:
      return b.resources_of(
          items, types, [](const application &a) -> auto & { return a.pending; });
    case column_source::app_submitted:
      return b.numbers_of(items, [](const application &a) { return a.submitted_ms; });
    case column_source::app_submission:
      return b.numbers_of(items, [](const application &a) { return static_cast<int64_t>(a.submission); });
    case column_source::app_priority:
      return b.numbers_of(items, [](const application &a) { return int64_t{a.priority}; });
    case column_source::app_state:
      return b.numbers_of(items, [](const application &a) { return abi_state(a.state); });
    case column_source::app_starts_next:
      return b.numbers_of(items, [next = next_to_start(leaf)](const application &a) { return int64_t{&a == next}; });
    case column_source::app_user:
      return b.texts_of(items, [](const application &a) { return text_of(a.user); });
    case column_source::app_tag:
      return b.texts_of(items, [&](const application &a) { return tag_text(a.tags, c.argument); });
    case column_source::app_tags:
      return b.maps_of(
          items, [](const application &a) -> auto & { return a.tags; });
    case column_source::queue_guaranteed:
      return b.resources_in_place(leaf.guaranteed);
    case column_source::queue_max:
      return b.resources_in_place(leaf.max);
    case column_source::queue_allocated:
      return b.resources_in_place(leaf.allocated);
    case column_source::parent_priority_sort:
      return b.one_number(leaf.priority_sort ? 1 : 0);
    case column_source::item_prepared:
      return b.words_of(items, [](const application &a) { return a.prepared; });
    case column_source::item_name:
      return b.texts_of(items, [](const application &a) { return text_of(a.id); });
    case column_source::parent_name:
      return b.one_text(text_of(leaf.path));
    default:
      return b.one_text({nullptr, 0});
  }
}

int64_t devices_wanted(const ask_facts &ask, std::span<const tenon_text> types, std::string_view type) {
  if (ask.devices == nullptr) return 0;
  for (const class_devices &wanted : *ask.devices) {
    if (std::string_view(types[wanted.type].data, types[wanted.type].length) == type) return wanted.count;
  }
  return 0;
}

tenon_column one_list(const tenon_numbers *numbers) {
  return {sizeof(tenon_column), TENON_COLUMN_NUMBERS, numbers, nullptr, 0, 0, 0};
}
tenon_column one_list(const tenon_texts *list) {
  return {sizeof(tenon_column), TENON_COLUMN_TEXTS, list, nullptr, 0, 0, 0};
}

void add_node_column(batch_builder &b, const column_binding &c, node_table &nodes, const call_context &context,
                     const ask_facts *asks, std::span<const uint32_t> slots = {}) {
  // Those that every order of nodes reads go before what only asks need.
  if (c.source == column_source::node_free || c.source == column_source::node_total) {
    const int64_t *amounts = c.source == column_source::node_free ? nodes.free(0) : nodes.total(0);
    return b.raw({sizeof(tenon_column), TENON_COLUMN_RESOURCES, amounts, nodes.present(),
                  nodes.stride() * sizeof(int64_t), sizeof(int64_t), sizeof(uint64_t)});
  }
  static const resources no_need;
  static const tag_list no_tags;
  static const ask_facts no_ask{no_need, 0, no_tags};
  const ask_facts &ask = asks != nullptr ? *asks : no_ask;
  switch (c.source) {
    case column_source::node_schedulable:
      return b.raw({sizeof(tenon_column), TENON_COLUMN_I64, nodes.usable_column(), nullptr, sizeof(int64_t), 0, 0});
    case column_source::node_id:
      return b.raw({sizeof(tenon_column), TENON_COLUMN_TEXT, nodes.id_column(), nullptr, sizeof(tenon_text), 0, 0});
    case column_source::node_attr:
      return b.raw({sizeof(tenon_column), TENON_COLUMN_TEXT, nodes.attribute_column(c.argument), nullptr,
                    sizeof(tenon_text), 0, 0});
    case column_source::node_attrs:
      return b.raw({sizeof(tenon_column), TENON_COLUMN_TEXT_MAP, nodes.attributes_column(), nullptr,
                    sizeof(tenon_text_map), 0, 0});
    case column_source::app_count_by: {
      if (ask.counts == nullptr) return b.one_text({nullptr, 0});
      const std::vector<uint32_t> &groups = nodes.groups_by(c.argument).of;
      const std::vector<int64_t> &counts = (*ask.counts)[c.number];
      return b.numbers_at(slots, nodes.slots(), [&](uint32_t slot) { return counts[groups[slot]]; });
    }
    case column_source::score_devices:
      return asks == nullptr ? b.one_text({nullptr, 0}) : b.one_number(1);
    case column_source::node_devices:
      return b.raw({sizeof(tenon_column), TENON_COLUMN_NUMBERS, nodes.devices().free_column(c.argument, nodes.slots()),
                    nullptr, sizeof(tenon_numbers), 0, 0});
    case column_source::node_device_size:
      return b.raw({sizeof(tenon_column), TENON_COLUMN_I64, nodes.devices().size_column(c.argument, nodes.slots()),
                    nullptr, sizeof(int64_t), 0, 0});
    case column_source::ask_resources:
      return b.resources_in_place(ask.need);
    case column_source::ask_priority:
      return b.one_number(ask.priority);
    case column_source::ask_devices:
      return b.one_number(devices_wanted(ask, context.types, c.argument));
    case column_source::ask_tag:
      return b.one_text(tag_text(ask.tags, c.argument));
    case column_source::ask_tags:
      return b.one_map(ask.tags);
    case column_source::shapes_counts:
      return b.raw(one_list(context.shapes->counts.column()));
    case column_source::shapes_amounts:
      return b.raw(one_list(context.shapes->amounts.column()));
    case column_source::shapes_tags:
      return b.raw(one_list(context.shapes->tags_of(c.argument)));
    case column_source::groups_values:
      return b.raw(one_list(context.shapes->values_of(c.argument)));
    case column_source::groups_totals:
      return b.raw(one_list(context.shapes->totals_of(c.argument)));
    default:
      return b.one_text({nullptr, 0});
  }
}

inline bool call_keys(sort_policy &policy,
                      tenon_status (*slot)(tenon_instance *, const tenon_batch *, tenon_keys_out *),
                      const call_context &context, std::span<const uint32_t> items, key_batch &into) {
  const tenon_batch batch =
      context.batches.batch(context.types, policy.time_of(context.now_ms), items.data(), items.size());
  into.start(items.size(), policy.key_words());
  tenon_keys_out out{sizeof(tenon_keys_out), policy.key_words(), into.words.data(), into.not_before_ms.data(),
                     into.valid_until_ms.data()};
  ++policy.calls;
  if (slot(policy.bound->instance, &batch, &out) == TENON_OK) return true;
  ++policy.faults;
  return false;
}

}  // namespace

bool queue_keys(sort_policy &policy, const call_context &context, const queue &parent, std::span<queue *const> items,
                key_batch &out) {
  batch_builder &b = context.batches;
  b.start(policy.columns.size());
  for (const column_binding &c : policy.columns) {
    add_queue_column(b, c, parent, items, context);
  }
  return call_keys(policy, policy.bound->sort->keys, context, {b.identity(items.size()), items.size()}, out);
}

bool app_keys(sort_policy &policy, const call_context &context, const queue &leaf, std::span<application *const> items,
              key_batch &out) {
  batch_builder &b = context.batches;
  b.start(policy.columns.size());
  for (const column_binding &c : policy.columns) {
    add_app_column(b, c, leaf, items, context);
  }
  return call_keys(policy, policy.bound->sort->keys, context, {b.identity(items.size()), items.size()}, out);
}

bool node_keys(sort_policy &policy, const call_context &context, node_table &nodes, std::span<const uint32_t> slots,
               key_batch &out) {
  batch_builder &b = context.batches;
  b.start(policy.columns.size());
  for (const column_binding &c : policy.columns) add_node_column(b, c, nodes, context, nullptr);
  return call_keys(policy, policy.bound->sort->keys, context, slots, out);
}

bool node_scores(sort_policy &policy, const call_context &context, node_table &nodes, const ask_facts &asks,
                 std::span<const uint32_t> slots, key_batch &out) {
  batch_builder &b = context.batches;
  b.start(policy.columns.size());
  for (const column_binding &c : policy.columns) add_node_column(b, c, nodes, context, &asks, slots);
  return call_keys(policy, policy.bound->sort->score, context, slots, out);
}

result<node_predicate> wrap_predicate(std::unique_ptr<bound_policy> bound) {
  node_predicate predicate;
  if (bound->predicate == nullptr || bound->predicate->filter == nullptr) {
    return refusal{"predicate " + bound->name, "a predicate table with filter", "none", "correct the module"};
  }
  for (const column_request &request : bound->columns) {
    auto column = resolve_column(module_kind::predicate, request);
    if (!column) return column.why();
    if (column->is_watched()) {
      if (request.scope != TENON_SCOPE_CONTEXT) predicate.node_mask |= entry_of(column->source).change;
      predicate.reads_need |= column->source == column_source::ask_resources;
    }
    predicate.columns.push_back(std::move(*column));
  }
  predicate.bound = std::move(bound);
  return predicate;
}

bool filter_nodes(node_predicate &predicate, const call_context &context, node_table &nodes, const ask_facts &asks,
                  std::span<const uint32_t> slots, uint8_t *verdicts, uint16_t *reasons) {
  batch_builder &b = context.batches;
  b.start(predicate.columns.size());
  for (const column_binding &c : predicate.columns) add_node_column(b, c, nodes, context, &asks);
  const tenon_batch batch = b.batch(context.types, context.now_ms, slots.data(), slots.size());
  tenon_filter_out out{sizeof(tenon_filter_out), 0, verdicts, reasons};
  ++predicate.calls;
  if (predicate.bound->predicate->filter(predicate.bound->instance, &batch, &out) == TENON_OK) return true;
  ++predicate.faults;
  return false;
}

signed_as ask_signature(node_predicate &predicate, const call_context &context, const ask_facts &asks,
                        uint64_t words[2]) {
  const tenon_predicate_v1 &table = *predicate.bound->predicate;
  if (table.size < offsetof(tenon_predicate_v1, signature) + sizeof table.signature || table.signature == nullptr) {
    return signed_as::nothing;
  }
  node_table no_nodes;
  batch_builder &b = context.batches;
  b.start(predicate.columns.size());
  for (const column_binding &c : predicate.columns) add_node_column(b, c, no_nodes, context, &asks);
  const tenon_batch batch = b.batch(context.types, context.now_ms, nullptr, 0);
  tenon_signature_out out{sizeof(tenon_signature_out), 0, {0, 0}};
  ++predicate.calls;
  if (table.signature(predicate.bound->instance, &batch, &out) != TENON_OK) {
    ++predicate.faults;
    return signed_as::fault;
  }
  words[0] = out.words[0];
  words[1] = out.words[1];
  return signed_as::words;
}

}  // namespace tenon::internal
