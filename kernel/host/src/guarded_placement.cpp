// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guard of tenon_placement_rule_v1.
#include <algorithm>
#include <string>

#include "guarded_policy.hpp"

namespace tenon::host {
namespace {

constexpr char canary = '\xa5';

bool is_answer(tenon_status status) {
  return status == TENON_OK || status == TENON_DECLINED || status == TENON_INVALID_CONFIG;
}

std::string shape_problem(const tenon_place_out &before, const tenon_message &words, const tenon_place_out &after) {
  if (after.size != before.size || after.name != before.name || after.name_capacity != before.name_capacity ||
      after.error != before.error || after.error->size != words.size || after.error->data != words.data ||
      after.error->capacity != words.capacity)
    return "changed the size or the pointers of its output";
  if (after.name_length > before.name_capacity) return "gave a name that is longer than the room for it";
  if (after.qualified > 1) return "gave something else than 0 or 1 for qualified";
  if (after.error->length > words.capacity) return "said that its words are longer than the room for them";
  return {};
}

tenon_status call_place(guarded_instance &self, const tenon_place_in *in, tenon_place_out *out, const char *end) {
  const tenon_place_out before = *out;
  const tenon_message words = *out->error;
  const tenon_status status = self.guard.call(
      "place", slot_tag::cycle, {1, call_shape::place, in}, [&] { return self.placement.place(self.real, in, out); },
      is_answer,
      [&](tenon_status) -> std::string {
        if (end != nullptr && *end != canary) return "wrote behind the end of its output";
        return shape_problem(before, words, *out);
      });
  if (status != TENON_INTERNAL) return status;
  *before.error = words;
  *out = before;
  return status;
}

// The module writes its name into a buffer with a canary behind it.
tenon_status checked_place(guarded_instance &self, const tenon_place_in *in, tenon_place_out *out) {
  std::string room(out->name_capacity + 1, canary);
  tenon_place_out inner = *out;
  inner.name = room.data();
  const tenon_status status = call_place(self, in, &inner, &room.back());
  std::copy_n(room.begin(), inner.name_length, out->name);
  out->name_length = inner.name_length;
  out->qualified = inner.qualified;
  return status;
}

tenon_status place(tenon_instance *handle, const tenon_place_in *in, tenon_place_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.guard.checks_output() ? checked_place(self, in, out) : call_place(self, in, out, nullptr);
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
