// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A kernel as plain values, and a kernel made of them.
#include <string>
#include <utility>

#include "kernel_impl.hpp"
#include "snapshots/restored_partition.hpp"
#include "snapshots/saved_partition.hpp"
#include "tenon/kernel/resources.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon {

result<saved_state> kernel::save() const {
  saved_state out;
  out.partitions.reserve(impl_->partitions.size());  // savers point to them
  for (const auto &[id, rm] : impl_->rms) {
    saved_rm &to = out.rms.emplace_back(saved_rm{id, rm.state, rm.check_deadline_ms, rm.epoch, {}});
    for (const auto &[name, stops] : rm.stops) to.stops.push_back(internal::saved_of(name, stops));
  }
  internal::kernel_saver saver(out);
  for (const auto &p : impl_->partitions) {
    if (auto why = saver.add(*p)) return *why;
  }
  saver.add(impl_->shared.timers.all());
  out.partitions_made = impl_->partitions_made;
  out.next_decision = impl_->shared.next_decision;
  return out;
}

result<std::unique_ptr<kernel>> kernel::restored(const saved_state &from, int64_t now_ms, policy_source &policies,
                                                 kernel_options options) {
  if (auto why = internal::problem_with(from, options)) return *why;
  // What was due has happened. One that is armed anew from when it was due would be fired once for each time since.
  constexpr int64_t late_ms = 60'000;
  for (size_t i = 0; i < from.timers.size(); ++i) {
    if (from.timers[i].due_ms >= sub_saturating(now_ms, late_ms)) continue;
    return refusal{"state, timers[" + std::to_string(i) + "]", "what is due later than a minute before the state",
                   std::to_string(from.timers[i].due_ms), "save it again"};
  }
  auto out = std::make_unique<kernel>(policies, options);
  impl &made = *out->impl_;
  made.shared.now_ms = now_ms;
  for (const auto &[id, state, check_deadline_ms, epoch, stops] : from.rms) {
    impl::manager &rm = made.rms[id];
    internal::ledger::set(rm.state, state);
    rm.check_deadline_ms = check_deadline_ms;
    rm.epoch = epoch;
    for (const saved_stops &one : stops) rm.stops[one.name] = internal::restored_from(one);
  }
  internal::kernel_restorer restorer(from);
  for (size_t i = 0; i < from.partitions.size(); ++i) {
    auto p = restorer.next(made.shared);
    if (!p) return p.why();
    made.partitions.add(std::move(*p));
  }
  restorer.arm(made.shared);
  made.partitions_made = from.partitions_made;
  out->drain([](const decision_view &) {});
  made.shared.next_decision = from.next_decision;
  return out;
}

}  // namespace tenon
