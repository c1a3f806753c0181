// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Audit: the sums of a snapshot, added up again from the objects in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/kernel/snapshot.hpp"

namespace tenon {

enum class audit_kind : uint8_t {
  sum,                    // of a queue, a user, an application, a task group
  total,                  // the partition's capacity, of its nodes'
  node,                   // what is allocated there, or left
  partition_below_zero,   // the partition's capacity, or what is used of it
  node_below_zero,        // capacity, allocated or occupied
  orphan_on_node,         // an allocation of which its application knows nothing
  orphan_of_application,  // an allocation that is on no node
  place,                  // an ask, an allocation or a reservation is at two places, or at none
  devices,
};

struct audit_finding {
  audit_kind kind;
  std::string partition;  // [rm]name
  std::string of;         // which object
  std::string text;       // what is wrong with it
};

// What is wrong in the books of the partitions; empty: nothing. Sums agree with what they are of, every allocation is
// on one node, and every reservation is of one ask that waits, on one node. `state` has all parts. On any thread; it
// walks over all objects.
[[nodiscard]] std::vector<audit_finding> audit(const kernel_snapshot &state);
// "[rm]default: root.a: allocated is vcore:3, and sums to vcore:2"
[[nodiscard]] std::string text_of(const audit_finding &f);

}  // namespace tenon
