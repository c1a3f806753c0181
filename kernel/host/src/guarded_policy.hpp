// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A policy of a module as the kernel gets it: tables of the host's own that guard every call, around an instance
// that lives through the ABI's lifecycle.
#pragma once

#include <memory>

#include "call_guard.hpp"
#include "known_interfaces.hpp"
#include "loaded_module.hpp"
#include "tenon/host/io_module.hpp"
#include "tenon/kernel/policies.hpp"

namespace tenon::host {

// What stands behind the tenon_instance that the kernel holds. Tables are the module's, slots that it does not
// have are NULL.
struct guarded_instance {
  guarded_instance(std::shared_ptr<module_tally> tally, std::string interface, std::string name)
      : guard(tally, interface, name), beside(std::move(tally), std::move(interface), std::move(name)) {}

  call_guard guard;
  call_guard beside;  // of slots that may run at the same time as others
  tenon_instance *real = nullptr;
  tenon_lifecycle lifecycle{};
  tenon_sort_v1 sort{};
  tenon_predicate_v1 predicate{};
  tenon_placement_rule_v1 placement{};
  tenon_identity_v1 identity{};
  tenon_event_sink_v1 sink{};
  tenon_transport_v1 transport{};
  uint32_t reason_count = 0;

  static guarded_instance &of(tenon_instance *self) { return *reinterpret_cast<guarded_instance *>(self); }
  tenon_instance *handle() { return reinterpret_cast<tenon_instance *>(this); }
};

// Tables whose slots go through the guard of a guarded_instance; optional slots as in the instance's own table.
[[nodiscard]] tenon_sort_v1 guarded_sort_table(const tenon_sort_v1 &real);
[[nodiscard]] tenon_predicate_v1 guarded_predicate_table(const tenon_predicate_v1 &real);
[[nodiscard]] tenon_placement_rule_v1 guarded_placement_table();
[[nodiscard]] tenon_identity_v1 guarded_identity_table();
[[nodiscard]] tenon_event_sink_v1 guarded_sink_table(const tenon_event_sink_v1 &real);
[[nodiscard]] tenon_transport_v1 guarded_transport_table(const tenon_transport_v1 &real);

struct policy_request {
  std::string configuration;  // complete JSON object
  uint32_t max_resource_types = 0;
  std::string where;  // for refusals
};

// Makes an instance of `one` and takes it to active. Refused with the module's words. `module` is kept until the
// policy is gone.
[[nodiscard]] result<std::unique_ptr<bound_module>> make_policy(std::shared_ptr<loaded_module> module,
                                                                const implementation &one, interface_family family,
                                                                std::shared_ptr<module_tally> tally,
                                                                const policy_request &request);

}  // namespace tenon::host
