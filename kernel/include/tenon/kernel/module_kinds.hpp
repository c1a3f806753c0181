// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The catalogue of kinds of modules: one line each, from which everything that goes by kind is derived.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tenon/abi/app_sort.h"
#include "tenon/abi/event_sink.h"
#include "tenon/abi/identity.h"
#include "tenon/abi/node_sort.h"
#include "tenon/abi/placement_rule.h"
#include "tenon/abi/predicate.h"
#include "tenon/abi/queue_sort.h"
#include "tenon/abi/transport.h"

namespace tenon {

enum class module_kind : uint8_t {
  queue_sort,
  app_sort,
  node_sort,
  predicate,
  placement_rule,
  identity,
  event_sink,
  transport,
};

// Who names a kind's implementations: queues.yaml one here and there, or the deployment all that run.
enum class named_in : uint8_t { queues, deployment };
// Who calls them: the kernel while it decides, or the host and the service around it.
enum class called_by : uint8_t { kernel, service };

// "node-sort" of "tenon.node-sort/1": the kind as manifests, queues.yaml and people say it.
constexpr std::string_view kind_in(std::string_view interface) {
  const size_t dot = interface.find('.'), slash = interface.rfind('/');
  if (dot == std::string_view::npos || slash == std::string_view::npos || slash < dot) return interface;
  return interface.substr(dot + 1, slash - dot - 1);
}

struct kind_entry {
  module_kind kind;
  std::string_view interface;  // id in the ABI
  const char *macro;           // of the id, in the ABI's headers
  named_in named;
  called_by called;
  bool draft;  // loads only where TENON_DRAFT_REV is equal

  [[nodiscard]] constexpr std::string_view name() const { return kind_in(interface); }
  // Of the ids of all versions: "tenon.node-sort/".
  [[nodiscard]] constexpr std::string_view family() const { return interface.substr(0, interface.rfind('/') + 1); }
};

inline constexpr std::array module_kinds{
    kind_entry{module_kind::queue_sort, TENON_QUEUE_SORT, "TENON_QUEUE_SORT", named_in::queues, called_by::kernel,
               false},
    kind_entry{module_kind::app_sort, TENON_APP_SORT, "TENON_APP_SORT", named_in::queues, called_by::kernel, false},
    kind_entry{module_kind::node_sort, TENON_NODE_SORT, "TENON_NODE_SORT", named_in::queues, called_by::kernel, false},
    kind_entry{module_kind::predicate, TENON_PREDICATE, "TENON_PREDICATE", named_in::deployment, called_by::kernel,
               false},
    kind_entry{module_kind::placement_rule, TENON_PLACEMENT_RULE, "TENON_PLACEMENT_RULE", named_in::queues,
               called_by::kernel, true},
    kind_entry{module_kind::identity, TENON_IDENTITY, "TENON_IDENTITY", named_in::queues, called_by::service, true},
    kind_entry{module_kind::event_sink, TENON_EVENT_SINK, "TENON_EVENT_SINK", named_in::deployment, called_by::service,
               true},
    kind_entry{module_kind::transport, TENON_TRANSPORT, "TENON_TRANSPORT", named_in::deployment, called_by::service,
               true},
};

constexpr const kind_entry &entry_of(module_kind kind) { return module_kinds[static_cast<size_t>(kind)]; }

// nullptr for an id that is none of the catalogue's.
constexpr const kind_entry *find_kind(std::string_view interface) {
  for (const kind_entry &one : module_kinds)
    if (one.interface == interface) return &one;
  return nullptr;
}

constexpr bool is_sort(module_kind kind) {
  return kind == module_kind::queue_sort || kind == module_kind::app_sort || kind == module_kind::node_sort;
}

// A module has at most so many implementations of a kind.
inline constexpr uint32_t max_implementations = 256;

// One bit a kind, for sets of kinds.
constexpr uint32_t bit_of(module_kind kind) { return 1U << static_cast<unsigned>(kind); }

static_assert(
    [] {
      for (size_t i = 0; i < module_kinds.size(); ++i)
        if (static_cast<size_t>(module_kinds[i].kind) != i) return false;
      return true;
    }(),
    "the catalogue's lines are in the order of the enumerators");

}  // namespace tenon
