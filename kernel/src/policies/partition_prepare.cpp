// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What orders prepare: tags when an application is submitted, properties when a queue is configured. Refused words
// refuse the application or the configuration.
#include "partition.hpp"
#include "policies/prepared_words.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

std::string partition::prepare_submitted(const queue &leaf, std::string_view app_id, const tag_list &tags,
                                         std::array<uint64_t, 4> &words) const {
  const prepared_words made = prepare(*leaf.order, text_pairs(tags));
  words = made.words;
  if (made.failed) ++shared.counters.policy_faults;
  return made.refused ? messages::order_refused_application(app_id, leaf.order->bound->name, leaf.path, made.why)
                      : std::string{};
}

std::string partition::check_prepared(const queue_config &c, const std::string &path, const property_map &properties,
                                      const child_template_config &above) {
  if (is_leaf(c, path == "root")) return {};
  const std::string wanted = property_of(properties, "queue.sort.policy");
  const auto named = [&](auto &policies, const std::string &of) {
    const auto found = policies.find(of);
    return found == policies.end() ? nullptr : found->second.get();
  };
  sort_policy *policy = named(orders.of_queues, wanted);
  if (policy == nullptr) policy = named(staged.queue_policies, wanted);
  if (policy == nullptr) policy = named(orders.of_queues, "fair");
  if (policy == nullptr) policy = named(staged.queue_policies, "fair");
  const auto refused = [&](const std::string &child, const property_map &of) {
    const prepared_words made = prepare(*policy, text_pairs(of));
    if (made.failed) ++shared.counters.policy_faults;
    return made.refused ? messages::order_refused_queue(path + "." + child, policy->bound->name, made.why)
                        : std::string{};
  };
  const child_template_config &dynamic = c.child_template.empty() ? above : c.child_template;
  if (!dynamic.properties.empty()) {
    if (std::string problem = refused("*", dynamic.properties); !problem.empty()) return problem;
  }
  for (const queue_config &child : c.queues) {
    const property_map effective = effective_properties(properties, child.properties);
    std::string problem = refused(child.name, effective);
    if (problem.empty()) problem = check_prepared(child, path + "." + child.name, effective, dynamic);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace tenon::internal
