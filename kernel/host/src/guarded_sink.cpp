// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guard of tenon_event_sink_v1.
#include "guarded_policy.hpp"

namespace tenon::host {
namespace {

bool is_answer(tenon_status status) { return status == TENON_OK || status == TENON_RETRY || status == TENON_DECLINED; }

// What both slots do: their output's words are theirs to fill, its size and pointers are not.
template <class In, class Out>
tenon_status call_slot(guarded_instance &self, const char *slot_name, uint64_t items, call_shape shape,
                       tenon_status (*slot)(tenon_instance *, const In *, Out *), const In *in, Out *out,
                       bool (*same)(const Out &, const Out &)) {
  const Out before = *out;
  const tenon_message words = *out->error;
  const tenon_status status = self.guard.call(
      slot_name, slot_tag::io, {static_cast<uint32_t>(std::min<uint64_t>(items, UINT32_MAX)), shape, in},
      [&] { return slot(self.real, in, out); }, is_answer,
      [&](tenon_status) -> std::string {
        const bool same_text = before.error->size == words.size && before.error->data == words.data &&
                               before.error->capacity == words.capacity;
        if (!same(before, *out) || !same_text) return "changed the size or the pointers of its output";
        if (before.error->length > words.capacity) return "said that its words are longer than the room for them";
        return {};
      });
  if (status != TENON_INTERNAL) return status;
  *before.error = words;
  *out = before;
  return status;
}

bool same_emit(const tenon_event_emit_out &a, const tenon_event_emit_out &b) {
  return a.size == b.size && a.error == b.error;
}

bool same_query(const tenon_event_query_out &a, const tenon_event_query_out &b) {
  return a.size == b.size && a.take == b.take && a.taker == b.taker && a.error == b.error;
}

tenon_status emit(tenon_instance *handle, const tenon_event_emit_in *in, tenon_event_emit_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return call_slot(self, "emit", in->record_count, call_shape::emit, self.sink.emit, in, out, same_emit);
}

tenon_status query(tenon_instance *handle, const tenon_event_query_in *in, tenon_event_query_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return call_slot(self, "query", 1, call_shape::nothing, self.sink.query, in, out, same_query);
}

tenon_event_sink_v1 guarded_table_of_sink(const tenon_event_sink_v1 &real) {
  return {sizeof(tenon_event_sink_v1), 0, emit, real.query == nullptr ? nullptr : query};
}

}  // namespace

const kind_guard sink_guard{
    [](kind_tables &real, const void *given) { real.sink = known_part<tenon_event_sink_v1>(given); },
    [](const kind_tables &real) -> std::string_view { return real.sink.emit == nullptr ? "emit" : ""; },
    [](const kind_tables &real, kind_tables &own, bound_module &policy) {
      own.sink = guarded_table_of_sink(real.sink);
      policy.sink = &own.sink;
    }};

}  // namespace tenon::host
