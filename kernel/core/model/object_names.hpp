// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The objects of a partition by name, and how they are found by their own names.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_hash.hpp"
#include "tenon/kernel/growing_map.hpp"

namespace tenon::internal {

// Objects by their own name: the key is a view of the object's text, which does not move.
template <class V>
using text_map = growing_map<std::string_view, V, text_hash, std::equal_to<>>;
using tag_list = std::vector<std::pair<std::string, std::string>>;

struct queue;
struct application;
struct ask;
struct app_class;
struct leaf_class;
struct limit_line;
struct allocation;
struct replacement;
struct task_group;
struct node;
struct sort_policy;
class node_sorting;
struct usage_node;
struct usage_tracker;
struct frozen_tracker;
struct reservation;

}  // namespace tenon::internal
