// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guard of tenon_identity_v1.
#include <algorithm>
#include <functional>

#include "guarded_policy.hpp"

namespace tenon::host {
namespace {

bool is_answer(tenon_status status) {
  return status == TENON_OK || status == TENON_DECLINED || status == TENON_RETRY || status == TENON_EXHAUSTED;
}

bool same_buffers(const tenon_resolve_out &a, const tenon_resolve_out &b) {
  return a.size == b.size && a.groups == b.groups && a.group_capacity == b.group_capacity && a.room == b.room &&
         a.room_capacity == b.room_capacity && a.error == b.error;
}

// A name that is not where it should be.
bool is_outside(const tenon_text &name, const tenon_resolve_out &out) {
  if (name.length == 0) return false;
  const std::less<const char *> before;
  if (name.data == nullptr || before(name.data, out.room) || before(out.room + out.room_capacity, name.data))
    return true;
  return name.length > static_cast<uint64_t>(out.room + out.room_capacity - name.data);
}

std::string answer_problem(tenon_status status, const tenon_resolve_out &out) {
  if (out.error->length > out.error->capacity) return "said that its words are longer than the room for them";
  const bool fits = out.group_count <= out.group_capacity && out.room_length <= out.room_capacity;
  if (status == TENON_EXHAUSTED) return fits ? "wants more room than it was given, and names less" : "";
  if (status != TENON_OK) return {};
  if (!fits) return "gave more groups than there is room for";
  if (std::any_of(out.groups, out.groups + out.group_count,
                  [&](const tenon_text &name) { return is_outside(name, out); }))
    return "gave a group whose name is not in the room for names";
  return {};
}

tenon_status resolve(tenon_instance *handle, const tenon_resolve_in *in, tenon_resolve_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  const tenon_resolve_out before = *out;
  const tenon_message words = *out->error;
  const tenon_status status = self.guard.call(
      "resolve", slot_tag::io, {1, call_shape::resolve, in}, [&] { return self.identity.resolve(self.real, in, out); },
      is_answer,
      [&](tenon_status given) -> std::string {
        const bool same_text = before.error->size == words.size && before.error->data == words.data &&
                               before.error->capacity == words.capacity;
        if (!same_buffers(before, *out) || !same_text) return "changed the size or the pointers of its output";
        return answer_problem(given, *out);
      });
  if (status != TENON_INTERNAL) return status;
  *before.error = words;
  *out = before;
  return status;
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
