// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A policy of a module as the kernel gets it. Tables of the host's own guard every call. Within them an instance lives
// through the ABI's lifecycle.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "guards/call_guard.hpp"
#include "guards/loaded_module.hpp"
#include "tenon/host/io_module.hpp"
#include "tenon/kernel/policies.hpp"

namespace tenon::host {

// A table of each kind, of which the one of a module's kind is filled.
struct kind_tables {
  tenon_sort_v1 sort{};
  tenon_predicate_v1 predicate{};
  tenon_placement_rule_v1 placement{};
  tenon_identity_v1 identity{};
  tenon_event_sink_v1 sink{};
  tenon_transport_v1 transport{};
};

// What stands behind the tenon_instance that the kernel holds. Tables are the module's, slots that it does not
// have are NULL.
struct guarded_instance : kind_tables {
  guarded_instance(std::shared_ptr<module_tally> tally, std::string interface, std::string name)
      : guard(tally, interface, name), beside(std::move(tally), std::move(interface), std::move(name)) {
    guard.made_of(origin);
    beside.made_of(origin);
  }

  instance_origin origin;
  call_guard guard;
  call_guard beside;  // of slots that may run at the same time as others
  tenon_instance *real = nullptr;
  tenon_lifecycle lifecycle{};
  uint32_t reason_count = 0;
  boost::json::object tags;  // the manifest's schema of the tags that the module reads

  static guarded_instance &of(tenon_instance *self) { return *reinterpret_cast<guarded_instance *>(self); }
  tenon_instance *handle() { return reinterpret_cast<tenon_instance *>(this); }
};

// As much of a module's table as both sides know; the rest is NULL.
template <class Table>
Table known_part(const void *given) {
  Table out{};
  const auto *table = static_cast<const Table *>(given);
  if (table != nullptr) std::memcpy(&out, table, std::min<size_t>(table->size, sizeof out));
  return out;
}

// How tables of a kind are guarded. guarded_*.cpp defines them, each those of its kind.
struct kind_guard {
  void (*take)(kind_tables &real, const void *given);
  // A slot that the module must have and has not; empty: none.
  std::string_view (*missing)(const kind_tables &real);
  // Gives `policy` a table in `own` whose slots go through the guard of a guarded_instance; optional slots are there
  // where they are in `real`.
  void (*guard)(const kind_tables &real, kind_tables &own, bound_module &policy);
};
extern const kind_guard sort_guard, predicate_guard, placement_guard, identity_guard, sink_guard, transport_guard;

[[nodiscard]] const kind_guard &guard_of(module_kind kind);

struct policy_request {
  std::string configuration;  // complete JSON object
  uint32_t max_resource_types = 0;
  std::string where;  // for refusals
};

// Makes an instance of `one` and takes it to active. Refused with the module's words. `module` is kept until the
// policy is gone.
[[nodiscard]] result<std::unique_ptr<bound_module>> make_policy(std::shared_ptr<loaded_module> module,
                                                                const implementation &one, module_kind kind,
                                                                std::shared_ptr<module_tally> tally,
                                                                const policy_request &request);

// In place of a policy whose module is in quarantine: each of its calls is a fault, in these words, so that the kernel
// does and records what it does and records of a module at fault.
[[nodiscard]] std::unique_ptr<bound_module> make_quarantined_policy(module_kind kind,
                                                                    const provided_interface &promised,
                                                                    std::shared_ptr<module_tally> tally,
                                                                    std::string why, boost::json::object tags);

}  // namespace tenon::host
