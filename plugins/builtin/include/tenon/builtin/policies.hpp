// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The built-in policies, linked statically: the same sources as the modules under entries of their own. For
// the fallback after a module's fault, for tests and for programs that load nothing.
#pragma once

#include <array>
#include <string_view>

#include "tenon/abi/module.h"

extern "C" {
extern const tenon_module tenon_module_queue_fair;
extern const tenon_module tenon_module_queue_priority;
extern const tenon_module tenon_module_app_fifo;
extern const tenon_module tenon_module_app_fair;
extern const tenon_module tenon_module_app_stateaware;
extern const tenon_module tenon_module_node_fair;
extern const tenon_module tenon_module_node_binpacking;
extern const tenon_module tenon_module_device_packing;
extern const tenon_module tenon_module_node_attributes;
extern const tenon_module tenon_module_placement_provided;
extern const tenon_module tenon_module_placement_user;
extern const tenon_module tenon_module_placement_tag;
extern const tenon_module tenon_module_placement_fixed;
extern const tenon_module tenon_module_identity_none;
extern const tenon_module tenon_module_identity_os;
}

namespace tenon::builtin {

// A module that is part of the program, with the id that its manifest gives it.
struct static_module {
  std::string_view id;
  const tenon_module *entry;
};

inline constexpr std::array policies{
    static_module{"tenon.queue-fair", &tenon_module_queue_fair},
    static_module{"tenon.queue-priority", &tenon_module_queue_priority},
    static_module{"tenon.app-fifo", &tenon_module_app_fifo},
    static_module{"tenon.app-fair", &tenon_module_app_fair},
    static_module{"tenon.app-stateaware", &tenon_module_app_stateaware},
    static_module{"tenon.node-fair", &tenon_module_node_fair},
    static_module{"tenon.node-binpacking", &tenon_module_node_binpacking},
    static_module{"tenon.device-packing", &tenon_module_device_packing},
    static_module{"tenon.node-attributes", &tenon_module_node_attributes},
    static_module{"tenon.placement-provided", &tenon_module_placement_provided},
    static_module{"tenon.placement-user", &tenon_module_placement_user},
    static_module{"tenon.placement-tag", &tenon_module_placement_tag},
    static_module{"tenon.placement-fixed", &tenon_module_placement_fixed},
    static_module{"tenon.identity-none", &tenon_module_identity_none},
    static_module{"tenon.identity-os", &tenon_module_identity_os},
};

}  // namespace tenon::builtin
