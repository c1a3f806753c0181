// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guard of tenon_placement_rule_v1.
#include <string>

#include "guards/guarded_policy.hpp"

namespace tenon::host {
namespace {

bool is_answer(tenon_status status) {
  return status == TENON_OK || status == TENON_DECLINED || status == TENON_INVALID_CONFIG;
}

// What the kernel relies on.
std::string answer_problem(const tenon_place_out &out) {
  if (out.name_length > out.name_capacity) return "gave a name that is longer than the room for it";
  if (out.qualified > 1) return "gave something else than 0 or 1 for qualified";
  return {};
}

tenon_status place(tenon_instance *handle, const tenon_place_in *in, tenon_place_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.guard.call(
      "place", slot_tag::cycle, {1, call_shape::place, in}, [&] { return self.placement.place(self.real, in, out); },
      is_answer, [&](tenon_status) { return answer_problem(*out); });
}

tenon_placement_rule_v1 guarded_table_of_placement(const tenon_placement_rule_v1 &) {
  return {sizeof(tenon_placement_rule_v1), 0, place};
}

}  // namespace

const kind_guard placement_guard{
    [](kind_tables &real, const void *given) { real.placement = known_part<tenon_placement_rule_v1>(given); },
    [](const kind_tables &real) -> std::string_view { return real.placement.place == nullptr ? "place" : ""; },
    [](const kind_tables &real, kind_tables &own, bound_module &policy) {
      own.placement = guarded_table_of_placement(real.placement);
      policy.placement = &own.placement;
    }};

}  // namespace tenon::host
