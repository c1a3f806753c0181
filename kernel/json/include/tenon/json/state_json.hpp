// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// States and explanations as JSON. The keys are those of describe.hpp, the same in every document; what a document
// calls otherwise since before stays beside them, for readers who know no better.
#pragma once

#include <boost/json.hpp>
#include <span>
#include <string_view>

#include "tenon/kernel/explain.hpp"
#include "tenon/kernel/refusal.hpp"
#include "tenon/kernel/snapshot.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::state_json {

// A member of a record by record_name and key.
struct member {
  std::string_view record, key;
};
// What it was called before: deprecated, written beside its key.
struct old_key {
  std::string_view record, key, before;
};

struct style {
  std::span<const old_key> old_keys = {};
  std::span<const member> without = {};  // not written
  bool nulls = true;                     // also what is not there
};

[[nodiscard]] boost::json::object write(const kernel_snapshot &, const style & = {});
[[nodiscard]] boost::json::object write(const partition_snapshot &, const style & = {});
[[nodiscard]] boost::json::object write(const queue_snapshot &, const style & = {});
[[nodiscard]] boost::json::object write(const application_snapshot &, const style & = {});
[[nodiscard]] boost::json::object write(const allocation_snapshot &, const style & = {});
[[nodiscard]] boost::json::object write(const node_snapshot &, const style & = {});
[[nodiscard]] boost::json::object write(const service::rm_status &, const style & = {});
[[nodiscard]] boost::json::object write(const explanation &, const style & = {});

// Of explanations on the control socket and of `tenon simulate`.
inline constexpr old_key explanation_old_keys[] = {{"nodes of an explanation", "refused_by_rm", "refused"}};

// What write() made of a whole state.
[[nodiscard]] result<kernel_snapshot> read_state(std::string_view text);

}  // namespace tenon::state_json
