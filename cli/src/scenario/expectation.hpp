// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Expectations as a scenario file states them. What each key means is in fields.hpp, one table a section.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/value.hpp"
#include "tenon/config/problems.hpp"

namespace tenon::cli {

using config::text_position;

// The things that a block can speak of. The order is the one in which a block is checked.
enum class section : uint8_t { queues, nodes, apps, users, groups, cluster, partitions, rm, explain };

// One key with its wanted value. `row` is the index of the key in the section's table.
struct expected_field {
  text_position at;
  size_t row = 0;
  std::string sub;  // key below it where the table says that it has some: a termination type
  value want;
};

// What is wanted of one object: a queue, node, application, user in a queue; or of the section itself.
struct expected_object {
  text_position at;
  section where = section::queues;
  std::string name;   // path, id or user; empty for cluster, partitions, rm and explain
  std::string queue;  // users and groups: the queue path
  std::vector<expected_field> fields;
};

struct expected_block {
  text_position at;
  std::string partition = "default";
  std::vector<expected_object> objects;
  std::vector<expected_block> any_of;  // one of them must hold, where there are some
};

}  // namespace tenon::cli
