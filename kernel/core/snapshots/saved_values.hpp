// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Small values of the model as those of a saved state, and back.
#pragma once

#include "model/object_names.hpp"
#include "tenon/kernel/acl.hpp"
#include "tenon/kernel/resources.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::internal {

[[nodiscard]] inline saved_amounts saved(const resources &of) {
  saved_amounts out;
  for_each_type(of, [&](type_index t, int64_t amount) { out.push_back({t, amount}); });
  return out;
}
[[nodiscard]] inline resources restored(const saved_amounts &from) {
  resources out;
  for (const auto &[type, amount] : from) out.set(type, amount);
  return out;
}

[[nodiscard]] inline saved_pairs saved(const tag_list &of) {
  saved_pairs out;
  for (const auto &[key, value] : of) out.push_back({key, value});
  return out;
}
[[nodiscard]] inline tag_list restored(const saved_pairs &from) {
  tag_list out;
  for (const auto &[key, value] : from) out.emplace_back(key, value);
  return out;
}

[[nodiscard]] inline saved_acl saved(const acl &of) {
  const auto &[all, users, groups, ignored] = of;
  return {all, users, groups, ignored};
}
[[nodiscard]] inline acl restored(const saved_acl &from) {
  const auto &[all, users, groups, ignored] = from;
  return {all, users, groups, ignored};
}

}  // namespace tenon::internal
