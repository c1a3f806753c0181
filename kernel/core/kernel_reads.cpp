// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a kernel is asked; nothing of it decides.
#include <algorithm>
#include <utility>

#include "explain/explain_text.hpp"
#include "explain/rehearsal.hpp"
#include "kernel_impl.hpp"
#include "model/application_id.hpp"
#include "snapshots/frozen_state_impl.hpp"
#include "snapshots/partition_copy.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon {

using internal::partition;

std::vector<named_partition> kernel::partitions() const {
  std::vector<named_partition> out;
  for (const auto &p : impl_->partitions) out.push_back({p->handle(), p->full_name()});
  return out;
}

partition_id kernel::find_partition(std::string_view name) const {
  const partition *p = impl_->find(name);
  return p == nullptr ? partition_id::none : p->handle();
}

bool kernel::has_work(std::optional<partition_id> only) const {
  if (!only) return impl_->partitions.has_work();
  const partition *p = impl_->find(*only);
  return p != nullptr && p->has_work();
}

kernel_snapshot kernel::snapshot(snapshot_part parts, std::optional<partition_id> only) {
  return freeze(parts, only)->plain(parts);
}

std::shared_ptr<const frozen_state> kernel::freeze(snapshot_part parts, std::optional<partition_id> only) {
  auto out = std::make_unique<frozen_state::impl>();
  out->now_ms = impl_->shared.now_ms;
  out->commands = impl_->shared.counters.commands;
  for (const auto &p : impl_->partitions.those(only)) {
    impl_->partitions.note_read(*p);
    p->freeze(parts, out->partitions.emplace_back());
  }
  return std::make_shared<const frozen_state>(std::move(out));
}

kernel_snapshot kernel::sums() const {
  kernel_snapshot out;
  out.now_ms = impl_->shared.now_ms;
  for (const auto &p : impl_->partitions) out.partitions.push_back(p->sums());
  return out;
}

size_t kernel::freeze_some(size_t most, snapshot_part parts, std::optional<partition_id> only) {
  size_t left = 0;
  for (const auto &p : impl_->partitions.those(only)) {
    impl_->partitions.note_read(*p);
    const uint64_t before = impl_->shared.counters.blocks_made;
    left += p->blocks().freeze_some(parts, most);
    most -= std::min<size_t>(most, impl_->shared.counters.blocks_made - before);
  }
  return left;
}

void kernel::forget_frozen() {
  for (const auto &p : impl_->partitions) p->blocks().forget();
}

size_t kernel::frozen_bytes() const { return impl_->partitions.frozen_bytes(); }

std::optional<explanation> kernel::explain(partition_id id, std::string_view application, std::string_view key,
                                           const explain_terms &terms) {
  partition *p = impl_->find(id);
  if (p == nullptr) return std::nullopt;
  explanation out = p->explain(application, key);
  if (!out.pending) return out;
  const auto copy = [p](internal::core &in) { return copy_of(*p, in, p->handle()); };
  internal::find_changes(p->model(), impl_->shared, copy, terms, out);
  internal::put_as_text(out);
  return out;
}

bool kernel::is_pending(partition_id id, std::string_view application, std::string_view key) const {
  const partition *p = impl_->find(id);
  const internal::application *app = p == nullptr ? nullptr : p->model().find_application(application);
  const internal::ask *found = app == nullptr ? nullptr : app->asks.find(key);
  return found != nullptr && found->state == ask_state::pending;
}

bool describe_ask(const kernel &in, partition_id id, std::string_view application, std::string_view key,
                  placement_view &out) {
  const partition *p = in.impl_->find(id);
  return p != nullptr && p->describe(application, key, out);
}

void each_allocation_of(const kernel &in, const release &c,
                        const std::function<void(std::string_view, std::string_view, uint64_t)> &f) {
  const partition *p = c.what == release_what::asks ? nullptr : in.impl_->find(c.partition);
  if (p == nullptr) return;
  const auto name_all = [&](const auto &allocations) {
    for (const internal::allocation *a : allocations) f(a->owner->id, a->key(), a->sequence);
  };
  const auto look_at = [&](const internal::application &app) {
    if (c.key.empty()) return name_all(app.allocations);
    if (const internal::ask *only = app.asks.find(c.key); only != nullptr) name_all(only->allocations);
  };
  if (c.application.empty() && c.key.empty()) {
    for (const internal::application *app : p->model().by_submission()) look_at(*app);
  } else if (const auto *app = p->model().find_application(internal::application_id_of(c.application, c.key))) {
    look_at(*app);
  }
}

std::vector<policy_answer> kernel::ask_policies(partition_id id, const policy_question &about) {
  partition *p = impl_->find(id);
  return p == nullptr ? std::vector<policy_answer>{} : p->ask_policies(about);
}

const kernel_counters &kernel::counters() const { return impl_->shared.counters; }

std::unique_ptr<kernel> kernel::copy(std::optional<partition_id> only, policy_source *by) const {
  auto out = std::make_unique<kernel>(by != nullptr ? *by : impl_->shared.policies, impl_->shared.options);
  out->impl_->follow(*impl_);
  for (const auto &p : impl_->partitions.those(only)) {
    out->impl_->partitions.add(copy_of(*p, out->impl_->shared, p->handle()));
  }
  out->drain([](const decision_view &) {});
  return out;
}

result<std::unique_ptr<kernel>> kernel::copy_apart(policy_source &policies, std::optional<partition_id> only) const {
  auto out = std::make_unique<kernel>(policies, impl_->shared.options);
  out->impl_->follow(*impl_);
  for (const auto &p : impl_->partitions.those(only)) {
    auto copy = internal::copy_apart(*p, out->impl_->shared, p->handle());
    if (!copy) return copy.why();
    out->impl_->partitions.add(std::move(*copy));
  }
  out->drain([](const decision_view &) {});
  return out;
}

uint64_t kernel::objects_of(partition_id id) const {
  const partition *p = impl_->find(id);
  return p == nullptr ? 0 : internal::objects_in(p->model());
}

bool kernel::has_checks(partition_id id) const {
  const partition *p = impl_->find(id);
  return p != nullptr && (impl_->shared.check || p->checks_placements());
}

std::optional<object_state> kernel::state_of_partition(partition_id id) const {
  const partition *p = impl_->find(id);
  return p == nullptr ? std::nullopt : std::optional(p->model().state.now());
}

size_t kernel::open_checks(partition_id id) const {
  const partition *p = impl_->find(id);
  return p == nullptr ? 0 : p->open_checks();
}

std::optional<node_state> kernel::state_of_node(partition_id id, std::string_view node) const {
  const partition *p = impl_->find(id);
  if (p == nullptr) return std::nullopt;
  const internal::node *n = p->model().nodes.find(node);
  return n == nullptr ? std::nullopt : std::optional(n->state.now());
}

std::optional<application_place> kernel::place_of(partition_id id, std::string_view application) const {
  const partition *p = impl_->find(id);
  const internal::application *app = p == nullptr ? nullptr : p->model().find_application(application);
  if (app == nullptr || app->home == nullptr) return std::nullopt;
  return application_place{app->home->path, app->allocations.size()};
}

std::optional<bool> kernel::may_administer(partition_id id, std::string_view queue, std::string_view user,
                                           std::span<const std::string_view> groups) const {
  const partition *p = impl_->find(id);
  return p == nullptr ? std::nullopt : p->may_administer(queue, user, groups);
}

bool kernel::may_administer_all(std::string_view user, std::span<const std::string_view> groups) const {
  const auto &all = impl_->partitions;
  return !all.empty() && std::all_of(all.begin(), all.end(), [&](const auto &p) {
    return p->may_administer("root", user, groups).value_or(false);
  });
}

kept_amounts kernel::kept_for(std::string_view rm) const {
  kept_amounts out;
  for (const auto &p : impl_->partitions) {
    if (p->is_of(rm)) out += p->kept_in_all();
  }
  return out;
}

kept_amounts kernel::kept_instead_of(const command &c) const {
  return std::visit(
      [&](const auto &one) -> kept_amounts {
        if constexpr (requires(const partition &p) { p.kept().instead_of(one); }) {
          const partition *p = impl_->find(one.partition);
          return p == nullptr ? kept_amounts{} : p->kept().instead_of(one);
        } else {
          return {};
        }
      },
      c);
}

std::string kernel::problem_with(const command &c) const {
  if (const auto *swap = std::get_if<swap_module>(&c)) return impl_->prepare(*swap);
  if (const auto *wanted = std::get_if<configure>(&c)) {
    const uint32_t made_before = impl_->partitions_made;
    impl::configured_partitions tried;
    std::string why = impl_->check(*wanted, tried);
    impl_->partitions_made = made_before;
    return why.empty() ? why : messages::configuration_failed(why);
  }
  return std::visit(
      [&](const auto &one) -> std::string {
        if constexpr (requires(const partition &p) { p.problem_with(one); }) {
          const partition *p = impl_->find(one.partition);
          return p == nullptr ? messages::no_partition(one.partition, impl_->partitions_beside(one.partition))
                              : p->problem_with(one);
        } else {
          return {};
        }
      },
      c);
}

}  // namespace tenon
