// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A kernel whose modules others take the place of.
#include <algorithm>
#include <utility>

#include "kernel_impl.hpp"

namespace tenon {

std::string kernel::impl::prepare(const swap_module &c) {
  prepared.reset();
  prepared_swap ready{std::string(c.module), std::string(c.digest), {}};
  shared.policies.use_build(c.module, c.digest);
  for (const auto &p : partitions) {
    auto &[id, staged] = ready.of.emplace_back(p->handle(), internal::staged_swap{});
    if (std::string problem = p->module_swap().stage(c, staged); !problem.empty()) {
      shared.policies.use_build(c.module, c.before);
      return problem;
    }
  }
  prepared = std::move(ready);
  return {};
}

// All partitions, or none: what was made for some of them is given back.
void kernel::impl::apply(const swap_module &c) {
  std::optional<prepared_swap> ready = std::exchange(prepared, std::nullopt);
  const bool is_ready = ready && ready->module == c.module && ready->digest == c.digest &&
                        std::equal(ready->of.begin(), ready->of.end(), partitions.begin(), partitions.end(),
                                   [](const auto &staged, const auto &p) { return staged.first == p->handle(); });
  if (!is_ready) {
    if (!prepare(c).empty()) return;
    ready = std::exchange(prepared, std::nullopt);
  }
  std::vector<std::vector<std::unique_ptr<internal::placement_rule>>> rules;
  for (const auto &p : partitions) {
    if (!p->module_swap().stage_rules(c, rules.emplace_back()).empty())
      return shared.policies.use_build(c.module, c.before);
  }
  ++shared.counters.modules_swapped;
  size_t next = 0;
  touch_all_of({}, [&](internal::partition &p) {
    p.module_swap().adopt(std::move(ready->of[next].second), std::move(rules[next]));
    ++next;
  });
}

}  // namespace tenon
