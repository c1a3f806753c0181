// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a kernel is asked; nothing of it decides.
#include <algorithm>
#include <utility>

#include "kernel_impl.hpp"
#include "readers/explain_text.hpp"
#include "readers/frozen_state_impl.hpp"
#include "readers/partition_copy.hpp"
#include "readers/rehearsal.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon {

using internal::partition;

bool kernel::has_work(std::string_view name) const {
  const auto those = impl_->named(name);
  return std::any_of(those.begin(), those.end(), [](const auto &p) { return p->has_work(); });
}

kernel_snapshot kernel::snapshot(snapshot_part parts, std::string_view name) {
  return freeze(parts, name)->plain(parts, name);
}

std::shared_ptr<const frozen_state> kernel::freeze(snapshot_part parts, std::string_view name) {
  auto out = std::make_unique<frozen_state::impl>();
  out->now_ms = impl_->shared.now_ms;
  out->commands = impl_->shared.counters.commands;
  for (const auto &p : impl_->named(name)) {
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

size_t kernel::freeze_some(size_t most, snapshot_part parts, std::string_view name) {
  size_t left = 0;
  for (const auto &p : impl_->named(name)) {
    const uint64_t before = impl_->shared.counters.blocks_made;
    left += p->freeze_some(parts, most);
    most -= std::min<size_t>(most, impl_->shared.counters.blocks_made - before);
  }
  return left;
}

void kernel::forget_frozen() {
  for (const auto &p : impl_->partitions) p->forget_frozen();
}

size_t kernel::frozen_bytes() const {
  size_t out = 0;
  for (const auto &p : impl_->partitions) out += p->frozen_bytes();
  return out;
}

std::optional<explanation> kernel::explain(std::string_view name, std::string_view application, std::string_view key) {
  partition *p = impl_->find(name);
  if (p == nullptr) return std::nullopt;
  explanation out = p->explain(application, key);
  if (!out.pending) return out;
  const auto copy = [p](internal::core &in) { return copy_of(*p, in, p->number()); };
  internal::find_changes(p->model(), impl_->shared, copy, out);
  internal::put_as_text(out);
  return out;
}

const kernel_counters &kernel::counters() const { return impl_->shared.counters; }

std::unique_ptr<kernel> kernel::copy() const {
  const internal::core &own = impl_->shared;
  auto out = std::make_unique<kernel>(own.policies, own.options);
  out->impl_->shared.now_ms = own.now_ms;
  out->impl_->rms = impl_->rms;
  for (const auto &p : impl_->partitions) {
    out->impl_->partitions.push_back(copy_of(*p, out->impl_->shared, out->impl_->next_partition++));
  }
  out->drain([](const decision_view &) {});
  return out;
}

std::vector<std::string> kernel::partitions() const {
  std::vector<std::string> out;
  for (const auto &p : impl_->partitions) out.push_back(p->full_name());
  return out;
}

std::optional<object_state> kernel::state_of_partition(std::string_view name) const {
  const partition *p = impl_->find(name);
  return p == nullptr ? std::nullopt : std::optional(p->model().state.now());
}

size_t kernel::open_checks(std::string_view name) const {
  const partition *p = impl_->find(name);
  return p == nullptr ? 0 : p->open_checks();
}

std::optional<node_state> kernel::state_of_node(std::string_view name, std::string_view node) const {
  const partition *p = impl_->find(name);
  if (p == nullptr) return std::nullopt;
  const internal::node *n = p->model().nodes.find(node);
  return n == nullptr ? std::nullopt : std::optional(n->state.now());
}

std::optional<std::string> kernel::queue_of(std::string_view name, std::string_view application) const {
  const partition *p = impl_->find(name);
  const internal::application *app = p == nullptr ? nullptr : p->model().find_application(application);
  if (app == nullptr || app->home == nullptr) return std::nullopt;
  return app->home->path;
}

std::optional<bool> kernel::may_administer(std::string_view name, std::string_view queue, std::string_view user,
                                           std::span<const std::string_view> groups) const {
  const partition *p = impl_->find(name);
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
    if (p->is_of(rm)) out += p->kept().amounts();
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
  return std::visit(
      [&](const auto &one) -> std::string {
        if constexpr (requires(const partition &p) { p.problem_with(one); }) {
          const partition *p = impl_->find(one.partition);
          return p == nullptr ? messages::no_partition(one.partition) : p->problem_with(one);
        } else {
          return {};
        }
      },
      c);
}

}  // namespace tenon
