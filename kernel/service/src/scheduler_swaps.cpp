// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Builds of modules that take over while the scheduler runs.
#include <chrono>

#include "scheduler_impl.hpp"

namespace tenon::service {
namespace {

using swap_clock = std::chrono::steady_clock;

swap_module swap_of(const host::build_beside &build, const std::string &text, std::vector<swapped_policy> &policies) {
  for (const auto &[kind, name] : build.policies) policies.push_back({kind, name});
  return {build.module, build.digest, build.before, build.version, text, policies};
}

}  // namespace

// What takes long (opening, its preflight, its checks) is done here, while the cycle thread decides.
result<module_swap_outcome> scheduler::impl::swap_module(const module_swap_wish &wish) {
  const std::lock_guard lock(swapping_);
  const auto build = wish.build == host::swap_to::before  ? modules->build_before(wish.module)
                     : wish.build == host::swap_to::again ? modules->build_again(wish.module)
                                                          : modules->open_beside(wish.module);
  if (!build) return build.why();
  if (wish.check) {
    if (auto no = wish.check(*build)) return *no;
  }
  module_swap_outcome out{*build};
  std::string problem;
  const bool ran = call_unless_held_up([&](cycle &on) {
    const auto from = swap_clock::now();
    std::vector<swapped_policy> policies;
    const tenon::swap_module c = swap_of(*build, wish.text, policies);
    problem = on.state().problem_with(c);
    if (problem.empty()) on.apply(c);
    out.paused = swap_clock::now() - from;
  });
  if (!ran)
    return refusal{"module " + wish.module, "a scheduler between two steps", "one that stops, or is held up",
                   "nothing was changed; try again"};
  if (!problem.empty())
    return refusal{build->manifest.string(), "a build that the scheduler takes", std::move(problem),
                   "nothing was changed; install another build, and swap to it"};
  modules->took_over(*build);
  return out;
}

}  // namespace tenon::service
