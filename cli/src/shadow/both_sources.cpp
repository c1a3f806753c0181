// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "shadow/both_sources.hpp"

namespace tenon::cli {
namespace {

void rename(std::string &name) { name.insert(0, of_the_shadow); }

void rename_in(std::map<std::string, std::string> &properties) {
  for (const char *key : {"queue.sort.policy", "application.sort.policy"})
    if (const auto found = properties.find(key); found != properties.end()) rename(found->second);
}

void rename_below(queue_config &of) {
  rename_in(of.properties);
  rename_in(of.child_template.properties);
  for (queue_config &child : of.queues) rename_below(child);
}

}  // namespace

bool both_sources::provides(module_kind kind, std::string_view name) const {
  return name.starts_with(of_the_shadow) ? second_.provides(kind, name.substr(of_the_shadow.size()))
                                         : first_.provides(kind, name);
}

result<std::unique_ptr<bound_policy>> both_sources::bind(module_kind kind, std::string_view name,
                                                         std::string_view configuration, uint32_t max_resource_types) {
  return name.starts_with(of_the_shadow)
             ? second_.bind(kind, name.substr(of_the_shadow.size()), configuration, max_resource_types)
             : first_.bind(kind, name, configuration, max_resource_types);
}

std::unique_ptr<bound_policy> both_sources::fallback(module_kind kind, uint32_t max_resource_types) {
  return first_.fallback(kind, max_resource_types);
}

result<std::vector<std::unique_ptr<bound_policy>>> both_sources::predicates(uint32_t max_resource_types) {
  return first_.predicates(max_resource_types);
}

// A queue has what it is not given of the one above it, so the root says what holds where nobody says anything.
void use_second_orders(partition_config &of) {
  if (of.node_sort.type.empty()) of.node_sort.type = "fair";
  rename(of.node_sort.type);
  of.root.properties.try_emplace("queue.sort.policy", "fair");
  of.root.properties.try_emplace("application.sort.policy", "fifo");
  rename_below(of.root);
}

}  // namespace tenon::cli
