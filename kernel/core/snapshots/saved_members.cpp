// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The members of what is saved. Who adds one finds that this does not compile any more: it is to be saved
// (saved_state.hpp, saved_partition.cpp, restored_partition.cpp, journal/saved_fields.hpp) where it decides something
// and does not follow from what is saved, and then it is listed here.
#include "partition.hpp"

namespace tenon::internal {
namespace {

[[maybe_unused]] void members_of(const queue &of) {
  [[maybe_unused]] const auto &[name, path, parent, children, children_by_name, sequence, frozen, leaf, managed, gone,
                                state, guaranteed, max, fair_max, max_applications, own_properties, properties,
                                submit_acl, admin_acl, child_template, limits, kept_bytes, allocated, pending,
                                preempting, expiring, claimed, awaited, by_order, running_apps, held, priority_sort,
                                priority_rule, has_preemption_policy, fence, intra, spared, preemption_delay_ms,
                                quota_delay_ms, quota, mark, priority_offset, priority, priorities, order, key,
                                prepared, decayed, key_dirty, position, ready, dirty_children, apps, dirty_apps,
                                reserved, ready_classes, emptying, wait_for_cluster, limited, parked, strict,
                                gangs_begin, kept_order, starts, reserved_below, beside_reserved] = of;
}
[[maybe_unused]] void members_of(const node &of) {
  [[maybe_unused]] const auto &[id, slot, state, divided, capacity, occupied, allocated, attributes, instance_type,
                                allocations, foreign, coming, reservations, kept_bytes] = of;
}
[[maybe_unused]] void members_of(const ask_wait &of) {
  [[maybe_unused]] const auto &[index, live, reserve_from_ms, preempt_from_ms, held, victims, awaited, refusals,
                                held_off] = of;
}
[[maybe_unused]] void members_of(const allocation &of) {
  [[maybe_unused]] const auto &[index, live, placeholder, originator, foreign, preempt_self, bound, replaced, state,
                                priority, owner, where, from, sequence, class_id, node_slot, devices, create_time_ms,
                                bind_time_ms, placeholder_created_ms, gang, under_way, offered, foreign_key] = of;
}
[[maybe_unused]] void members_of(const replacement &of) {
  [[maybe_unused]] const auto &[index, live, placeholder, real, where, terms, devices, number] = of;
}
[[maybe_unused]] void members_of(const task_group &of) {
  [[maybe_unused]] const auto &[name, owner, first_class, pending, held, allocated, sizes, waiting, in_play, next,
                                hopeless, replaced, timed_out, group_members] = of;
}
[[maybe_unused]] void members_of(const reservation &of) {
  [[maybe_unused]] const auto &[index, live, look, due, refused, way, stands_aside, by_order, full, of_gang, ask_of,
                                where, sequence, unit, any_position, own_position, due_position] = of;
}
[[maybe_unused]] void members_of(const canary_config &of) {
  [[maybe_unused]] const auto &[node_sort, queues, share, salt, back, predicate] = of;
}

[[maybe_unused]] void members_of(const canary_tally &of) {
  [[maybe_unused]] const auto &[faults, fault_is_counted, its, others, placed, longer, its_next, others_next] = of;
}

// Of those with members of their own, and with others that decide nothing, by size: on one machine that says it.
#if defined(__x86_64__) && defined(__GLIBCXX__) && defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
static_assert(sizeof(internal::ask) == 128);
static_assert(sizeof(internal::application) == 1248);
static_assert(sizeof(internal::ask_details) == 48);
static_assert(sizeof(internal::canary) == 184);
static_assert(sizeof(internal::administration) == 72);
static_assert(sizeof(internal::open_proposals) == 80);
static_assert(sizeof(internal::allocation_states) == 256);
static_assert(sizeof(internal::application_states) == 144);
static_assert(sizeof(internal::partition_identity) == 992);
static_assert(sizeof(internal::node_sortings) == 200);
static_assert(sizeof(internal::sort_policy) == 240);
static_assert(sizeof(internal::decayed_usage) == 112);
static_assert(sizeof(internal::claims) == 112);
static_assert(sizeof(internal::quotas) == 72);
static_assert(sizeof(internal::gangs) == 24);
static_assert(sizeof(internal::gang_turns) == 56);
static_assert(sizeof(internal::held_off_asks) == 72);
static_assert(sizeof(internal::ask_shapes) == 96);
#endif

}  // namespace
}  // namespace tenon::internal
