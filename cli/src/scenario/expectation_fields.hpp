// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The keys of expectations: one table a section. The reader, the checker and the documentation's test all
// go by these tables.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "scenario/expectation.hpp"
#include "scenario/rm_model.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::cli {

// All words about why an ask waits, or what it is instead of waiting. Partition as in [rm]name.
using explainer =
    std::function<std::string(std::string_view partition, std::string_view application, std::string_view key)>;

// What an expectation is held against. The object of its own section may be null: it does not exist.
struct target {
  const kernel_snapshot *kernel = nullptr;
  const partition_snapshot *partition = nullptr;
  const rm_model *rm = nullptr;
  const explainer *explain = nullptr;
  const queue_snapshot *queue = nullptr;
  const node_snapshot *node = nullptr;
  const application_snapshot *application = nullptr;
  const usage_snapshot *usage = nullptr;
};

// What the keys below a field are.
enum class sub_keys : uint8_t { none, terminations, asks };

struct field_row {
  std::string_view key;
  value_rule rule;
  // What the scheduler or the RM has. `sub`: see below.
  value (*have)(const target &of, const std::string &sub);
  // The value is a map, and each entry of it a field of its own with a value of this rule.
  sub_keys subs = sub_keys::none;
};

[[nodiscard]] std::span<const field_row> rows(section where);
// As scenario files write it: "queues".
[[nodiscard]] std::string_view name(section where);

// The key that says whether an object exists; absent in sections whose objects need not exist.
inline constexpr std::string_view exists_key = "exists";

// The object that `wanted` speaks of, found by its name.
[[nodiscard]] target find_target(const expected_object &wanted, const kernel_snapshot &kernel,
                                 const partition_snapshot *partition, const rm_model &rm, const explainer &explain);
// False when the object itself is missing, so that only `exists` can be answered.
[[nodiscard]] bool present(section where, const target &of);

}  // namespace tenon::cli
