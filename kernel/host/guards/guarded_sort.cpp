// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guards of tenon_sort_v1.
#include "guards/guarded_policy.hpp"

namespace tenon::host {
namespace {

using keys_slot = tenon_status (*)(tenon_instance *, const tenon_batch *, tenon_keys_out *);

bool only_ok(tenon_status status) { return status == TENON_OK; }

tenon_status guarded_keys(guarded_instance &self, const char *name, keys_slot slot, const tenon_batch *in,
                          tenon_keys_out *out) {
  return self.guard.call(
      name, slot_tag::cycle, {in->item_count, call_shape::batch, in, out->key_words},
      [&] { return slot(self.real, in, out); }, only_ok);
}

tenon_status keys(tenon_instance *handle, const tenon_batch *in, tenon_keys_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return guarded_keys(self, "keys", self.sort.keys, in, out);
}

tenon_status score(tenon_instance *handle, const tenon_batch *in, tenon_keys_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return guarded_keys(self, "score", self.sort.score, in, out);
}

tenon_status prepare(tenon_instance *handle, const tenon_prepare_in *in, tenon_prepare_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.guard.call(
      "prepare", slot_tag::cycle, {1, call_shape::prepare, in}, [&] { return self.sort.prepare(self.real, in, out); },
      [](tenon_status status) { return status == TENON_OK || status == TENON_INVALID_CONFIG; });
}

tenon_sort_v1 guarded_table_of_sort(const tenon_sort_v1 &real) {
  tenon_sort_v1 out{sizeof(tenon_sort_v1), 0, keys, nullptr, nullptr};
  if (real.prepare != nullptr) out.prepare = prepare;
  if (real.score != nullptr) out.score = score;
  return out;
}

}  // namespace

const kind_guard sort_guard{
    [](kind_tables &real, const void *given) { real.sort = known_part<tenon_sort_v1>(given); },
    [](const kind_tables &real) -> std::string_view { return real.sort.keys == nullptr ? "keys" : ""; },
    [](const kind_tables &real, kind_tables &own, bound_module &policy) {
      own.sort = guarded_table_of_sort(real.sort);
      policy.sort = &own.sort;
    }};

}  // namespace tenon::host
