// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The objects of the interface as JSON, key for key as the field has them.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/host_views.h"

namespace tenon::rest {

[[nodiscard]] boost::json::object cluster_json(const tenon_view &all, const tenon_view_partition &p);
[[nodiscard]] boost::json::object partition_json(const tenon_view_partition &p);
// `partition` is the full name, "[rm]default".
[[nodiscard]] boost::json::object node_json(const tenon_view_node &n, std::string_view partition);
[[nodiscard]] boost::json::object allocation_json(const tenon_view_allocation &a);
[[nodiscard]] boost::json::object foreign_allocation_json(const tenon_view_allocation &a);
[[nodiscard]] boost::json::object ask_json(const tenon_view_ask &a);
[[nodiscard]] boost::json::object application_json(const tenon_view_application &a, std::string_view partition);

// Queue number `at` of the partition, with the queues below it where `below`.
[[nodiscard]] boost::json::object queue_json(const tenon_view_partition &p, uint64_t at, bool below, bool top);

// All rows of one user or group: a tree of queues.
[[nodiscard]] boost::json::object usage_tree_json(const std::vector<const tenon_view_usage *> &rows);

// Nodes by how much of each type they use, in ten steps.
[[nodiscard]] boost::json::object utilizations_json(const tenon_view_partition &p, std::string_view cluster);

// A span of time as the field writes it: "1m30s".
[[nodiscard]] std::string duration_text(int64_t ms);
// "30s", "1m30s", "500ms" in milliseconds; nothing where it is none.
[[nodiscard]] std::optional<int64_t> duration_ms(std::string_view text);

}  // namespace tenon::rest
