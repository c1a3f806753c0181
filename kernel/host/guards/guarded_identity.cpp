// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guard of tenon_identity_v1.
#include <algorithm>

#include "guards/guarded_policy.hpp"

namespace tenon::host {
namespace {

bool is_answer(tenon_status status) {
  return status == TENON_OK || status == TENON_DECLINED || status == TENON_RETRY || status == TENON_EXHAUSTED;
}

std::string answer_problem(tenon_status status, const tenon_resolve_out &out) {
  const bool fits = out.group_count <= out.group_capacity && out.room_length <= out.room_capacity;
  if (status == TENON_EXHAUSTED) return fits ? "wants more room than it was given, and names less" : "";
  if (status != TENON_OK) return {};
  if (!fits) return "gave more groups than there is room for";
  if (std::any_of(out.groups, out.groups + out.group_count,
                  [](const tenon_text &name) { return name.data == nullptr && name.length != 0; }))
    return "gave a group whose name is not in the room for names";
  return {};
}

tenon_status resolve(tenon_instance *handle, const tenon_resolve_in *in, tenon_resolve_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.guard.call(
      "resolve", slot_tag::io, {1, call_shape::resolve, in}, [&] { return self.identity.resolve(self.real, in, out); },
      is_answer, [&](tenon_status given) { return answer_problem(given, *out); });
}

tenon_identity_v1 guarded_table_of_identity(const tenon_identity_v1 &) {
  return {sizeof(tenon_identity_v1), 0, resolve};
}

}  // namespace

const kind_guard identity_guard{
    [](kind_tables &real, const void *given) { real.identity = known_part<tenon_identity_v1>(given); },
    [](const kind_tables &real) -> std::string_view { return real.identity.resolve == nullptr ? "resolve" : ""; },
    [](const kind_tables &real, kind_tables &own, bound_module &policy) {
      own.identity = guarded_table_of_identity(real.identity);
      policy.identity = &own.identity;
    }};

}  // namespace tenon::host
