// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Names with a meaning in attributes and tags of the scheduler interface.
#pragma once

#include <string_view>

namespace tenon::interface_names {

// Attributes of nodes.
inline constexpr std::string_view arch = "si/arch";
inline constexpr std::string_view host_name = "si/hostname";
inline constexpr std::string_view rack_name = "si/rackname";
inline constexpr std::string_view os = "si/os";
inline constexpr std::string_view instance_type = "si/instance-type";
inline constexpr std::string_view zone = "si/zone";
inline constexpr std::string_view region = "si/region";
inline constexpr std::string_view local_images = "si/local-images";
inline constexpr std::string_view node_partition = "si/node-partition";

// Attributes of allocations.
inline constexpr std::string_view application_id = "si/application-id";
inline constexpr std::string_view container_image = "si/container-image";
inline constexpr std::string_view container_ports = "si/container-ports";

// A tag's name is domain, group where there is one, key: kubernetes.io/meta/namespace.
inline constexpr std::string_view domain_k8s = "kubernetes.io/";
inline constexpr std::string_view domain_yunikorn = "yunikorn.apache.org/";
inline constexpr std::string_view domain_yunikorn_internal = "internal.yunikorn.apache.org/";
inline constexpr std::string_view group_meta = "meta/";
inline constexpr std::string_view group_label = "label/";
inline constexpr std::string_view group_annotation = "annotation/";
inline constexpr std::string_view key_pod_name = "podName";
inline constexpr std::string_view key_namespace = "namespace";
inline constexpr std::string_view key_required_node = "requiredNode";
inline constexpr std::string_view key_allow_preemption = "allowPreemption";

// Tags of allocations.
inline constexpr std::string_view creation_time = "creationTime";  // Unix seconds
inline constexpr std::string_view foreign = "foreign";             // static or default

// Tags of applications.
inline constexpr std::string_view application_creation_time = "yunikorn.apache.org/creationTime";
inline constexpr std::string_view parent_queue = "namespace.parentqueue";
inline constexpr std::string_view resource_quota = "namespace.resourcequota";
inline constexpr std::string_view resource_guaranteed = "namespace.resourceguaranteed";
inline constexpr std::string_view resource_max_apps = "namespace.resourcemaxapps";
inline constexpr std::string_view state_aware_disable = "application.stateaware.disable";
inline constexpr std::string_view create_force = "application.create.force";

// Types of resources.
inline constexpr std::string_view memory = "memory";  // bytes
inline constexpr std::string_view vcore = "vcore";    // thousandths of a core

}  // namespace tenon::interface_names
