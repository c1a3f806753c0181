// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The interfaces that this host can bind, one line each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tenon/abi/app_sort.h"
#include "tenon/abi/event_sink.h"
#include "tenon/abi/identity.h"
#include "tenon/abi/node_sort.h"
#include "tenon/abi/placement_rule.h"
#include "tenon/abi/predicate.h"
#include "tenon/abi/queue_sort.h"
#include "tenon/abi/transport.h"

namespace tenon::host {

enum class interface_family : uint8_t { sort, predicate, placement_rule, identity, event_sink, transport };

struct known_interface {
  std::string_view id;
  std::string_view kind;  // as manifests, queues.yaml and people say it
  interface_family family;
  bool draft;  // loads only where TENON_DRAFT_REV is equal
};

inline constexpr std::array known_interfaces{
    known_interface{TENON_QUEUE_SORT, "queue-sort", interface_family::sort, false},
    known_interface{TENON_APP_SORT, "app-sort", interface_family::sort, false},
    known_interface{TENON_NODE_SORT, "node-sort", interface_family::sort, false},
    known_interface{TENON_PREDICATE, "predicate", interface_family::predicate, false},
    known_interface{TENON_PLACEMENT_RULE, "placement-rule", interface_family::placement_rule, true},
    known_interface{TENON_IDENTITY, "identity", interface_family::identity, true},
    known_interface{TENON_EVENT_SINK, "event-sink", interface_family::event_sink, true},
    known_interface{TENON_TRANSPORT, "transport", interface_family::transport, true},
};

// A factory describes at most so many.
inline constexpr uint32_t max_implementations = 256;

// nullptr for an id that this host does not know.
constexpr const known_interface *find_interface(std::string_view id) {
  for (const known_interface &known : known_interfaces)
    if (known.id == id) return &known;
  return nullptr;
}

}  // namespace tenon::host
