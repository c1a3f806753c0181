// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guard of tenon_event_sink_v1.
#include "guards/guarded_policy.hpp"

namespace tenon::host {
namespace {

bool is_answer(tenon_status status) { return status == TENON_OK || status == TENON_RETRY || status == TENON_DECLINED; }

tenon_status emit(tenon_instance *handle, const tenon_event_emit_in *in, tenon_event_emit_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  const auto items = static_cast<uint32_t>(std::min<uint64_t>(in->record_count, UINT32_MAX));
  return self.guard.call(
      "emit", slot_tag::io, {items, call_shape::emit, in}, [&] { return self.sink.emit(self.real, in, out); },
      is_answer);
}

tenon_status query(tenon_instance *handle, const tenon_event_query_in *in, tenon_event_query_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.guard.call(
      "query", slot_tag::io, 1, [&] { return self.sink.query(self.real, in, out); }, is_answer);
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
