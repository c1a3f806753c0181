// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guard of tenon_transport_v1.
#include "guards/guarded_policy.hpp"

namespace tenon::host {
namespace {

// A refusal is an answer: it is said to whoever starts or stops the scheduler.
bool any_status(tenon_status) { return true; }

tenon_status start(tenon_instance *handle, const tenon_transport_start_in *in, tenon_message *error) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.guard.call(
      "start", slot_tag::io, 1, [&] { return self.transport.start(self.real, in, error); }, any_status);
}

tenon_status stop(tenon_instance *handle, const tenon_transport_stop_in *in, tenon_message *error) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.guard.call(
      "stop", slot_tag::io, 1, [&] { return self.transport.stop(self.real, in, error); }, any_status);
}

tenon_status deliver(tenon_instance *handle, const tenon_transport_deliver_in *in, tenon_transport_deliver_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  const uint32_t items = in->message_count > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(in->message_count);
  return self.guard.call(
      "deliver", slot_tag::io, items, [&] { return self.transport.deliver(self.real, in, out); },
      [](tenon_status status) { return status == TENON_OK || status == TENON_RETRY || status == TENON_DECLINED; },
      [&](tenon_status) -> std::string {
        return out->taken > in->message_count ? "said that it took more answers than there were" : "";
      });
}

tenon_status ended(tenon_instance *handle, const tenon_transport_ended_in *in) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.guard.call(
      "ended", slot_tag::io, 1, [&] { return self.transport.ended(self.real, in); },
      [](tenon_status status) { return status == TENON_OK; });
}

tenon_status check(tenon_instance *handle, const tenon_transport_check_in *in, tenon_transport_check_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.beside.call(
      "check", slot_tag::cycle, 1, [&] { return self.transport.check(self.real, in, out); },
      [](tenon_status status) { return status == TENON_OK || status == TENON_DECLINED; },
      [&](tenon_status) -> std::string { return out->fits > 1 ? "gave neither yes nor no" : ""; });
}

tenon_transport_v1 guarded_table_of_transport(const tenon_transport_v1 &real) {
  return {sizeof(tenon_transport_v1),
          0,
          start,
          stop,
          deliver,
          real.ended == nullptr ? nullptr : ended,
          real.check == nullptr ? nullptr : check};
}

}  // namespace

const kind_guard transport_guard{
    [](kind_tables &real, const void *given) { real.transport = known_part<tenon_transport_v1>(given); },
    [](const kind_tables &real) -> std::string_view {
      return real.transport.start == nullptr     ? "start"
             : real.transport.stop == nullptr    ? "stop"
             : real.transport.deliver == nullptr ? "deliver"
                                                 : "";
    },
    [](const kind_tables &real, kind_tables &own, bound_module &policy) {
      own.transport = guarded_table_of_transport(real.transport);
      policy.transport = &own.transport;
    }};

}  // namespace tenon::host
